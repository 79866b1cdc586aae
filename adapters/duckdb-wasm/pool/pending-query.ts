import { cancelledError, type SvcError } from '../../../src/errors.ts';
import type { SqlCall, SqlResult } from '../../../src/ports.ts';
import type { Task } from './messages.ts';

/** A statement that ends its engine does so earlier, and a long one must not hold up all others. */
const TRIAL_MS = 500;

/** A call in the pool. It is settled once: by its answer, its deadline, or its caller. */
export class PendingQuery {
  readonly task: Task;
  readonly call: SqlCall;
  readonly answer: Promise<SqlResult | null>;
  /** Whether an engine has started it. */
  begun = false;
  /** Whether it was in an engine that ended. */
  suspect = false;
  readonly #deadline: number;
  #begunAt = 0;
  #settled = false;
  #resolve: (result: SqlResult | null) => void = () => {};
  #reject: (error: SvcError) => void = () => {};
  #onAbort: (() => void) | null = null;

  constructor(task: Task, call: SqlCall) {
    this.task = task;
    this.call = call;
    this.#deadline = Date.now() + call.timeoutMs;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Whether it has run for so short a time that it may still end its engine. */
  get young(): boolean {
    return performance.now() - this.#begunAt < TRIAL_MS;
  }

  begin(): void {
    this.begun = true;
    this.#begunAt = performance.now();
  }

  /** Milliseconds that are left; negative when its time is over. */
  get remainingMs(): number {
    return this.#deadline - Date.now();
  }

  /** Settles it as cancelled, and tells, as soon as the caller gives up. */
  watch(onCancel: () => void): void {
    this.#onAbort = () => {
      this.reject(cancelledError());
      onCancel();
    };
    this.call.signal.addEventListener('abort', this.#onAbort);
  }

  resolve(result: SqlResult | null): void {
    if (this.#settle()) this.#resolve(result);
  }

  reject(error: SvcError): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.#onAbort !== null) this.call.signal.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
