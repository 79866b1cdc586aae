/** A part of an area: the files that a mutation run changes, and the tests that it asks, fast ones first. */
export interface Part {
  readonly name: string;
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

/** The code that mutation runs change, by the name of its area. */
export const AREAS: { readonly [name: string]: readonly Part[] } = {
  policy: [
    {
      name: 'rules',
      files: ['src/policy/*.ts', 'src/policy/tables/*.ts'],
      tests: ['test/unit/policy/{*,checks/*,cel/limits}.test.ts'],
    },
    {
      name: 'conditions',
      files: ['src/policy/cel/*.ts', 'src/policy/checks/*.ts'],
      tests: ['test/unit/policy/**/*.test.ts', 'test/unit/call/field-rules.test.ts'],
    },
    {
      name: 'statements',
      files: [
        'src/call/{restricted,caller-statement}.ts',
        'src/mcp/scopes.ts',
        'src/sql/quote.ts',
        'src/sql/restricted/{condition,relations,statement}.ts',
      ],
      tests: [
        'test/unit/sql/restricted/**/*.test.ts',
        'test/unit/call/{caller-statement,restricted}.test.ts',
        'test/unit/mcp/scopes.test.ts',
      ],
    },
    {
      name: 'calls',
      files: ['src/call/{policies,completion,pipeline}.ts', 'src/context.ts'],
      tests: [
        'test/unit/call/{pipeline,policies,field-rules,notified-rows,result,runtime,cache,scans,sql-tools}.test.ts',
        'test/unit/mcp/{scopes,toolsets,notifications,codes,log-ids,no-value-in-log,peer-defects,direct}.test.ts',
        'test/unit/mcp/{elicitation,methods}/*.test.ts',
        'test/unit/{context,adapters/otel/telemetry}.test.ts',
      ],
    },
  ],
};
