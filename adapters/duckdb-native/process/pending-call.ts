import type { SvcError } from '../../../src/errors.ts';
import type { SqlCall, SqlResult } from '../../../src/ports.ts';
import type { EngineTask } from './messages.ts';

let lastId = 0;

/** A call of a database in another process. It is settled once. */
export class PendingCall {
  readonly id: number;
  /** The id of the opened database. */
  readonly database: number;
  readonly task: EngineTask;
  readonly call: SqlCall;
  readonly answer: Promise<SqlResult>;
  /** Whether the statement may have ended an engine's process. */
  suspect = false;
  /** The number of processes that ended while this statement was suspect. */
  losses = 0;
  /** The time of its last start, by `performance.now()`. */
  startedAt = 0;
  /** The progress of a write to its commit. From `committing` on, a cancellation by the caller has no effect. */
  commit: 'none' | 'ready' | 'allowed' | 'committing' = 'none';
  /** The time when a write was ready to commit, by `performance.now()`. */
  readyAt = 0;
  /** The time of the call's arrival, by `performance.now()`. */
  readonly arrivedAt = performance.now();
  /** The error of a call that ran past its time or was cancelled; it never runs again. */
  stopped: SvcError | null = null;
  readonly #deadline: number;
  readonly #resolve: (result: SqlResult) => void;
  readonly #reject: (error: SvcError) => void;
  #settled = false;
  #forget = (): void => {};

  constructor(database: number, task: EngineTask, call: SqlCall) {
    lastId += 1;
    this.id = lastId;
    this.database = database;
    this.task = task;
    this.call = call;
    this.#deadline = performance.now() + call.timeoutMs;
    const { promise, resolve, reject } = Promise.withResolvers<SqlResult>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether its caller wrote the statement. */
  get confined(): boolean {
    return this.task.kind === 'run' && this.task.request.confined === true;
  }

  get writes(): boolean {
    return this.task.kind === 'run' && this.task.request.mode === 'write';
  }

  get committing(): boolean {
    return this.commit === 'committing';
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Milliseconds that are left; at least 1. */
  get remainingMs(): number {
    return Math.max(1, this.#deadline - performance.now());
  }

  /** Calls back once, at the deadline or when the caller gives up, unless the call was settled before. */
  watch({ onDeadline, onCancel }: { onDeadline: () => void; onCancel: () => void }): void {
    const { signal, timeoutMs } = this.call;
    const timer = setTimeout(onDeadline, timeoutMs);
    signal.addEventListener('abort', onCancel, { once: true });
    this.#forget = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onCancel);
    };
  }

  resolve(result: SqlResult): void {
    if (this.#settle()) this.#resolve(result);
  }

  reject(error: SvcError): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#forget();
    return true;
  }
}
