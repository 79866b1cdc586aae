import { Worker } from 'node:worker_threads';
import { deadlineError, fromPlainError, type PlainError, type SvcError } from '../../../src/errors.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.ts';
import type { PendingQuery } from './pending-query.ts';

/** The events of an engine's thread. */
export interface ThreadEvents {
  /** A query was answered: there is room for another. */
  onFree(): void;
  /** The thread has ended. `culprit` was running then, or was alone there and in another that ended. */
  onEnd(thread: EngineThread, culprit: PendingQuery | null, waiting: readonly PendingQuery[]): void;
}

/** An engine is stuck if so many ticks pass during one step. The other statements then move to another engine. */
const STUCK_TICKS = 3;

/** One worker thread with an engine, and its queries. */
export class EngineThread {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #running: Int32Array<SharedArrayBuffer>;
  readonly #queries = new Map<number, PendingQuery>();
  #lastId = 0;
  #lastStep = -1;
  #ticksInStep = 0;
  #broken = false;

  constructor(workerUrl: URL, setup: Omit<WorkerSetup, 'running'>, events: ThreadEvents) {
    this.#events = events;
    this.#running = new Int32Array(new SharedArrayBuffer(8));
    const workerData: WorkerSetup = { ...setup, running: this.#running };
    this.#worker = new Worker(workerUrl, { workerData, execArgv: [], name: 'duckdb' });
    this.ready = this.#whenReady();
    this.#worker.on('exit', () => this.#end());
  }

  get load(): number {
    return this.#queries.size;
  }

  get queries(): readonly PendingQuery[] {
    return [...this.#queries.values()];
  }

  /** The query whose step runs now. */
  get current(): PendingQuery | undefined {
    return this.#queries.get(Atomics.load(this.#running, 0));
  }

  /** The queries that may still end the engine. */
  get young(): readonly PendingQuery[] {
    return this.queries.filter((query) => query.young);
  }

  /** Whether several ticks in a row saw the same step. */
  get stuck(): boolean {
    return this.#ticksInStep >= STUCK_TICKS;
  }

  /**
   * Looks at the current step, once in each tick of the pool. It counts ticks instead of time, because an event
   * loop that gets no processor would take the engine for stuck.
   */
  observe(): void {
    const step = Atomics.load(this.#running, 1);
    const same = Atomics.load(this.#running, 0) !== 0 && step === this.#lastStep;
    this.#ticksInStep = same ? this.#ticksInStep + 1 : 0;
    this.#lastStep = step;
  }

  start(query: PendingQuery): void {
    this.#lastId = (this.#lastId % 0x3fff_ffff) + 1;
    this.#queries.set(this.#lastId, query);
    query.begin();
    const timeoutMs = Math.max(1, query.remainingMs);
    this.#post({ kind: 'start', id: this.#lastId, task: query.task, caller: query.call.caller, timeoutMs });
  }

  /** Asks the engine to stop a query. The query counts as load until the engine has stopped it. */
  cancel(query: PendingQuery): void {
    for (const [id, candidate] of this.#queries) if (candidate === query) this.#post({ kind: 'cancel', id });
  }

  /** Takes back the queries that only wait for the one that runs. */
  release(): readonly PendingQuery[] {
    const { current } = this;
    const waiting = [...this.#queries].filter(([, query]) => query !== current);
    for (const [id] of waiting) {
      this.#queries.delete(id);
      this.#post({ kind: 'cancel', id });
    }
    return waiting.map(([, query]) => query);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #whenReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.on('error', reject);
      this.#worker.on('exit', () => reject(new Error('the engine ended while it was starting')));
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === 'unopened') reject(fromPlainError(message.error));
        else if (message.kind === 'ready') resolve(this.#worker.unref());
        else this.#answer(message);
      });
    }).then(() => {});
  }

  #answer(message: Extract<FromWorker, { id: number }>): void {
    const query = this.#queries.get(message.id);
    this.#queries.delete(message.id);
    if (message.kind === 'done') query?.resolve(message.result);
    else query?.reject(errorOf(message.error, query));
    this.#broken = message.kind === 'failed' && message.broken;
    // Its step has ended.
    this.#ticksInStep = 0;
    this.#events.onFree();
  }

  #end(): void {
    const { current, queries } = this;
    this.#queries.clear();
    const [only] = queries;
    // If an answered query broke the engine, it ends for no other.
    const again = !this.#broken && queries.length === 1 && only?.suspect ? only : null;
    const culprit = current ?? again;
    const waiting = queries.filter((query) => query !== culprit);
    this.#events.onEnd(this, culprit, waiting);
  }
}

/** Names the caller's whole timeout in the error, because the engine received the remaining time only. */
function errorOf(error: PlainError, { call }: PendingQuery): SvcError {
  return error.code === 'deadline_exceeded'
    ? deadlineError('The query', call.timeoutMs)
    : fromPlainError(error);
}
