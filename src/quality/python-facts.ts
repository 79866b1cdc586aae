import type { JsonValue } from '../json.ts';

/** A parameter of a Python function, as written. */
export interface PythonParameter {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** Whether the parameter is positional only. */
  readonly positional: boolean;
  readonly required: boolean;
  /** Absent if the default is not a plain value. */
  readonly default?: JsonValue;
  /** The name of its annotation; null if there is none or it is not a plain name. */
  readonly type: string | null;
}

/** A Python function, as written. */
export interface PythonFunction {
  readonly line: number;
  /** A decorator may replace the function's parameters. */
  readonly decorated: boolean;
  /** Whether the function accepts any other argument (`**kwargs`). */
  readonly open: boolean;
  readonly parameters: readonly PythonParameter[];
}

/** The content of a Python file, or the reason why it cannot be parsed. */
export type PythonFacts =
  | { readonly error: { readonly message: string; readonly line: number; readonly column: number } }
  | {
      readonly functions: { readonly [name: string]: PythonFunction };
      /** Other names that the module defines. */
      readonly names: readonly string[];
      /** Whether the module imports unknown names (`from x import *`). */
      readonly open: boolean;
    };
