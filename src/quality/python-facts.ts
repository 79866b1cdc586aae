import type { JsonValue } from '../json.ts';

/** A parameter of a function, as it is written. */
export interface PythonParameter {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  /** It can be given by its place only. */
  readonly positional: boolean;
  readonly required: boolean;
  /** Absent where it is more than a value. */
  readonly default?: JsonValue;
  /** The name of its annotation; null for none, or for more than a name. */
  readonly type: string | null;
}

/** A function, as it is written. */
export interface PythonFunction {
  readonly line: number;
  /** What calls get may be something else. */
  readonly decorated: boolean;
  /** It takes any other argument too (`**kwargs`). */
  readonly open: boolean;
  readonly parameters: readonly PythonParameter[];
}

/** What a Python file holds, or what keeps it from being one. */
export type PythonFacts =
  | { readonly error: { readonly message: string; readonly line: number; readonly column: number } }
  | {
      readonly functions: { readonly [name: string]: PythonFunction };
      /** Other names that the module has. */
      readonly names: readonly string[];
      /** It imports names that nobody knows (`from x import *`). */
      readonly open: boolean;
    };
