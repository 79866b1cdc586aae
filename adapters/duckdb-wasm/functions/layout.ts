/** Where things lie in DuckDB's own objects; test/unit/adapters/duckdb-wasm/functions/register.test.ts looks whether they do. */
export const SCALAR_FUNCTION = {
  bytes: 176,
  /** The vector of the types it takes: its first and its end. */
  takes: 52,
  returns: 88,
  /** The callable, and behind it a pointer to where its code is named: mostly the callable itself. */
  callable: 104,
  callee: 120,
  bind: 128,
} as const;

/** A named set of functions: behind its name the vector of them, as its first, its end and the end of its room. */
export const FUNCTION_SET = { bytes: 24, functions: 12 } as const;

/** A logical type: its id in the first byte. */
export const LOGICAL_TYPE = {
  bytes: 12,
  timestamp: 19,
  timestampTz: 32,
  decimal: 0xff15,
  enum: 0xff68,
} as const;

/** What a function is told that binds another: where that function is. */
export const BIND_INFO = { function: 4 } as const;

/** The type of what an expression gives. */
export const EXPRESSION = { type: 32 } as const;

/** The description of a macro: schema, name and parameters, and at the end its body. */
export const MACRO = { bytes: 108, body: 104 } as const;
