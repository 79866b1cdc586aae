/**
 * The signatures of JavaScript functions that the engine calls: parameters and, behind `:`, the result. `i` has 32 bits;
 * `j` has 64 and arrives as a BigInt. The build makes a trampoline for each signature.
 */
export const CALLBACKS = {
  /** Runs a SQL function: `(info, chunk, output)`. */
  scalar: 'iii',
  /** Binds a call of a SQL function: `(info)`. */
  bind: 'i',
  /** Binds a call of one of DuckDB's functions: `(context, callee, arguments)`; returns the address of its bind data. */
  bindCall: 'iii:i',
  /** Binds a cast: `(result, input, source, target)`. */
  bindCast: 'iiii',
  /** Casts a vector: `(source, target, count, parameters)`; returns whether every value could be cast. */
  cast: 'iiji:i',
} as const;

/**
 * The system calls that read files. The build makes a shim for each: it calls the import of the same name and, if that
 * gives `MUST_WAIT`, the import `wait_<name>`, which suspends the engine. A read of bytes that are here suspends nothing.
 */
export const FILE_READS = { fd_pread: 'iiiiii:i', fd_read: 'iiii:i' } as const;

/** The answer of a file read whose bytes must be fetched first. No error number of the engine is negative. */
export const MUST_WAIT = -1;

/** The name of one of these kinds. */
export type CallbackKind = keyof typeof CALLBACKS;

/** A JavaScript function that the engine calls. */
export interface Callback {
  readonly scalar: (info: number, chunk: number, output: number) => void;
  readonly bind: (info: number) => void;
  readonly bindCall: (context: number, callee: number, args: number) => number;
  readonly bindCast: (result: number, input: number, source: number, target: number) => void;
  readonly cast: (source: number, target: number, count: bigint, parameters: number) => number;
}
