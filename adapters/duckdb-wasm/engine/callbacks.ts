/**
 * The kinds of functions of this program that the engine calls: what they take and, behind `:`, what they give back.
 * `i` is 32 bits, `j` 64, which arrive as a BigInt. The build makes a trampoline of each kind.
 */
export const CALLBACKS = {
  /** Runs a SQL function: `(info, chunk, output)`. */
  scalar: 'iii',
  /** Is told how a SQL function is going to be called: `(info)`. */
  bind: 'i',
  /** The same as DuckDB's own functions have it: `(context, callee, arguments)`; answers what it wants to keep. */
  bindCall: 'iii:i',
  /** Says how to cast a type to another: `(result, input, source, target)`. */
  bindCast: 'iiii',
  /** Casts a vector: `(source, target, count, parameters)`; answers whether every value could be cast. */
  cast: 'iiji:i',
} as const;

/** The name of one of these kinds. */
export type CallbackKind = keyof typeof CALLBACKS;

/** A function of this program that the engine calls. */
export interface Callback {
  readonly scalar: (info: number, chunk: number, output: number) => void;
  readonly bind: (info: number) => void;
  readonly bindCall: (context: number, callee: number, args: number) => number;
  readonly bindCast: (result: number, input: number, source: number, target: number) => void;
  readonly cast: (source: number, target: number, count: bigint, parameters: number) => number;
}
