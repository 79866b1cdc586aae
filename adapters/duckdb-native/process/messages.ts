import type { PlainError } from '../../../src/errors.ts';
import type { SqlCaller, SqlRequest } from '../../../src/ports.ts';
import type { NativeOptions } from '../options.ts';
import type { PackedResult } from './packed-result.ts';

/** The work of one call. */
export type EngineTask =
  | { readonly kind: 'run'; readonly request: SqlRequest }
  | { readonly kind: 'prepare'; readonly sql: string; readonly mode: SqlRequest['mode'] };

/** From the server to the engine's process. The options carry secrets, so they travel here and nowhere else. */
export type ToProcess =
  | {
      readonly kind: 'open';
      readonly database: number;
      readonly options: NativeOptions;
      readonly mostBytes: number;
    }
  | {
      readonly kind: 'start';
      readonly database: number;
      readonly id: number;
      readonly task: EngineTask;
      readonly caller: SqlCaller | null;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'commit'; readonly id: number }
  | { readonly kind: 'close'; readonly database: number };

/**
 * From the engine's process to the server. A write that is `ready` waits for `commit`, then says `committing` and
 * commits. A call ends with `done`, or with `ended` after it has `failed`.
 */
export type FromProcess =
  | { readonly kind: 'opened'; readonly database: number }
  | { readonly kind: 'unopened'; readonly database: number; readonly error: PlainError }
  | { readonly kind: 'closed'; readonly database: number }
  | { readonly kind: 'ready'; readonly id: number }
  | { readonly kind: 'committing'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly result: PackedResult }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError }
  | { readonly kind: 'ended'; readonly id: number };

/** The data of the thread that watches the engine's process. */
export interface WatchSetup {
  /** The id of the server's process. */
  readonly server: number;
  /** The most memory that the process may have, in bytes. */
  readonly mostBytes: number;
  /** The number of running statements, and the number of commits among them. */
  readonly running: Int32Array<SharedArrayBuffer>;
}

/** The descriptor on which the watching thread says that the memory was exceeded. */
export const MEMORY_REPORT = 4;

/** The slots of `running`. */
export const STATEMENTS = 0;
export const COMMITS = 1;
