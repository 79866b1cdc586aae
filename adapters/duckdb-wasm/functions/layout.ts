/** Offsets in DuckDB's ScalarFunction. test/unit/adapters/duckdb-wasm/functions/register.test.ts checks all of this file. */
export const SCALAR_FUNCTION = {
  bytes: 176,
  /** The vector of the parameters' types: its begin and its end. */
  takes: 52,
  returns: 88,
  bind: 128,
} as const;

/** A ScalarFunctionSet: behind its name a vector of functions, as begin, end and end of capacity. */
export const FUNCTION_SET = { bytes: 24, functions: 12 } as const;

/** A logical type: its id in the first byte. */
export const LOGICAL_TYPE = {
  bytes: 12,
  timestamp: 19,
  timestampTz: 32,
  decimal: 0xff15,
  enum: 0xff68,
} as const;

/** The bind info of the C API: the addresses of the context, of the function and of the vector of its arguments. */
export const BIND_INFO = { context: 0, function: 4, arguments: 8 } as const;

/** An Expression: its return type. */
export const EXPRESSION = { type: 32 } as const;

/** The bind data of strftime: the vectors of the parts and of the texts around them, and the part that `%n` is. test/engine/raw-memory.test.ts checks it. */
export const STRFTIME_DATA = { parts: 24, texts: 36, nanoseconds: 32 } as const;

/** A C++ string. The byte at `length` is its length, or greater than 127 if the string is long. */
export const TEXT = { bytes: 12, length: 11 } as const;

/** The functions of an object whose type has a virtual destructor. `destroy` also gives its memory back. */
export const OBJECT = { destroy: 4 } as const;

/** A DefaultMacro: schema, name and parameters, and at the end its body. */
export const MACRO = { bytes: 108, body: 104 } as const;
