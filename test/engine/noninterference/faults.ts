/** A change of one place of the product. */
interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const edit = (file: string, from: string, to: string): Edit => ({ file, from, to });

/** A result as the source made it, beside the one that policies left. */
const RAW = edit(
  'src/call/pipeline.ts',
  'return { ...outcome, binary:',
  'return { ...outcome, raw: produced.value, binary:',
);

/**
 * Defects of the product, each of which shows a caller what is hidden from them, in one kind of observation. With any of
 * them, the search must find a leak.
 */
export const FAULTS: { readonly [fault: string]: readonly Edit[] } = {
  'the rows of a view come from before the policies': [
    RAW,
    edit(
      'src/mcp/methods/result.ts',
      'const { value, truncated, columns } = outcome;\n  const table',
      'const { raw: value, truncated, columns } = outcome;\n  const table',
    ),
  ],
  'the page of a view needs no scope': [
    edit('src/mcp/methods/resources.ts', 'mayCall(viewed, parts.callerOf(ctx).grant?.scopes)', 'true'),
  ],
  'completions ignore input policies': [
    edit('src/call/completion.ts', "policies.input(known, situation).outcome === 'deny'", 'false'),
  ],
  'completions ignore hidden columns': [
    edit('src/call/completion.ts', 'policies?.sightOfCompletion(column, situation)', 'undefined'),
  ],
  'completions need no scope': [edit('src/call/completion.ts', '!mayCall(entry, context.scopes)', 'false')],
  'the limit of bytes comes before the policies': [
    edit(
      'src/call/pipeline.ts',
      'return { ...shapeRows(result, entry), count, truncated',
      'const shaped = shapeRows(result, entry);\n    const { value } = enforceLimits(shaped.value, { truncated: false }, entry.limits);\n    return { ...shaped, value, count, truncated',
    ),
  ],
  "the engine's text reaches the client": [
    edit('src/mcp/errors.ts', '{toPublicText(error)}', '{error.message}'),
  ],
  'the file of a large result ignores policies': [
    edit(
      'src/mcp/methods/resources.ts',
      'entry: opened.entry, args: opened.args',
      'entry: { ...opened.entry, policies: { input: [], output: [] } }, args: opened.args',
    ),
  ],
  'the summary of a large result comes from before the policies': [
    RAW,
    edit(
      'src/mcp/methods/result.ts',
      'const rows = isList(outcome.value) ? outcome.value : [];',
      'const rows = isList(outcome.raw) ? outcome.raw : [];',
    ),
  ],
  'lists show endpoints of other scopes': [
    edit('src/mcp/scopes.ts', 'entries.filter((entry) => mayCall(entry, held))', 'entries'),
  ],
  'the search for tools shows those of other scopes': [
    edit('src/mcp/methods/tools.ts', 'entries.filter((entry) => mayCall(entry, grant?.scopes))', 'entries'),
  ],
  'log lines and progress count rows before the policies': [
    edit(
      'src/call/pipeline.ts',
      'state.tellRows = work.finish(produced.count);',
      'work.finish(produced.count)();',
    ),
  ],
  'log lines tell whether a result was kept': [
    edit(
      'src/call/pipeline.ts',
      'if (work !== null && language',
      'if (work !== null && !state.cached && language',
    ),
  ],
  'cached results of other callers are served': [
    edit('src/call/cache.ts', 'JSON.stringify(identityOf(call))', "'anybody'"),
  ],
  'a resource inside a prompt ignores policies': [
    edit(
      'src/call/pipeline.ts',
      'callEndpoint({ runtime, entry: found.entry, args',
      'callEndpoint({ runtime, entry: { ...found.entry, policies: { input: [], output: [] } }, args',
    ),
  ],
  'the engine suggests names of hidden tables': [
    edit('src/call/caller-statement.ts', 'const message = hides ?', 'const message = false ?'),
  ],
  'the schema of a table shows hidden columns': [
    edit('src/call/restricted.ts', 'if (hide.some(is)) return [];', ''),
  ],
  'a rule hides the column that DuckDB gave its name to': [
    edit('src/call/sql.ts', "request.mode === 'write' || !names.some(numbered)", 'true'),
  ],
  'the list of tables is whole': [
    edit('src/call/restricted.ts', 'WHERE list_contains($1, ', 'WHERE $1 IS NOT NULL OR list_contains($1, '),
  ],
  'the type of a masked column is shown': [
    edit('src/call/restricted.ts', "[{ ...row, type: 'VARCHAR', nullable: 'YES' }]", '[row]'),
  ],
};

/** Seeds with which the search soon finds a fault, or the removal of a guard. The others are found with seed 1. */
export const QUICK_SEEDS: { readonly [planted: string]: number } = {
  'the rows of a view come from before the policies': 12,
  'the file of a large result ignores policies': 15,
  'the summary of a large result comes from before the policies': 15,
  'log lines tell whether a result was kept': 7,
  'log lines and progress count rows before the policies': 3,
  'the page of a view needs no scope': 8,
  'completions ignore hidden columns': 7,
  'completions need no scope': 6,
  'the limit of bytes comes before the policies': 2,
  'a rule hides the column that DuckDB gave its name to': 8,
  'filters of sensitive fields': 8,
  'masks of results': 7,
  'filters of results': 2,
  'denials of results': 12,
  'the row rules of tables': 4,
};
