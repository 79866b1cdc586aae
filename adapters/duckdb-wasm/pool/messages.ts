import type { PlainError } from '../../../src/errors.ts';
import type { SqlCaller, SqlRequest, SqlResult } from '../../../src/ports.ts';
import type { OpenFile } from '../engine/path-file.ts';

/** The data that a worker starts with. */
export interface WorkerSetup {
  readonly wasm: WebAssembly.Module;
  readonly trampolines: WebAssembly.Module;
  /** The same for all engines of a pool, even if another file lies at its path now. */
  readonly file: OpenFile;
  readonly memoryMb: number;
  /** Two slots: the id of the query whose step runs now, 0 between steps; and the number of steps so far. */
  readonly running: Int32Array<SharedArrayBuffer>;
}

/** The task of a query. */
export type Task =
  | { readonly kind: 'run'; readonly request: SqlRequest }
  | { readonly kind: 'prepare'; readonly sql: string; readonly mode: SqlRequest['mode'] };

/** From the pool to a worker. */
export type ToWorker =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly task: Task;
      readonly caller: SqlCaller | null;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'cancel'; readonly id: number };

/** From a worker to the pool. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unopened'; readonly error: PlainError }
  | { readonly kind: 'done'; readonly id: number; readonly result: SqlResult | null }
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError; readonly broken: boolean };
