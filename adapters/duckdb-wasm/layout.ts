/*
 * What the pinned engine's linker decided; scripts/build-wasm.ts checks each figure against the package,
 * so a version bump that moves one fails at build time.
 */

const PAGE_BYTES = 65_536;

/** Where the engine's static data starts, and how many bytes it takes. */
export const DATA = { start: 1024, bytes: 2_523_444 } as const;

/** The engine's function table: its slots, the empty one at 0 included. */
export const TABLE_SLOTS = 24_698;

/** Four times the stock engine's: deep expressions must meet JavaScript's own stack limit before they meet data. */
const STACK_BYTES = 64 * PAGE_BYTES;

const aligned = (address: number): number => Math.ceil(address / 16) * 16;

const STACK_LOW = aligned(DATA.start + DATA.bytes);

/** The stack grows down from `high`, where the heap begins. */
export const STACK = { low: STACK_LOW, high: STACK_LOW + STACK_BYTES } as const;

/** Memory comes in pages: how large they are, how many the engine starts with, how many a megabyte has. */
export const MEMORY = { pageBytes: PAGE_BYTES, initialPages: 256, pagesPerMb: 16 } as const;

/** Where things lie in DuckDB's own objects; test/unit/adapters/duckdb-wasm/functions.test.ts looks whether they do. */
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
export const LOGICAL_TYPE = { bytes: 12, timestamp: 19, timestampTz: 32, decimal: 0xff15 } as const;

/** What a function is told that binds another: where that function is. */
export const BIND_INFO = { function: 4 } as const;

/** The type of what an expression gives. */
export const EXPRESSION = { type: 32 } as const;

/** The description of a macro: schema, name and parameters, and at the end its body. */
export const MACRO = { bytes: 108, body: 104 } as const;
