import { busyError, cancelledError, deadlineError, SvcError, toSvcError } from '../../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { OVERLOADED } from '../../../src/sql/query.ts';
import { closeFile, type OpenFile } from '../engine/path-file.ts';
import { closedError } from '../errors.ts';
import { EngineThread } from './engine-thread.ts';
import type { Task, WorkerSetup } from './messages.ts';
import { PendingQuery } from './pending-query.ts';

/** The parts and limits of a pool. */
export interface PoolOptions {
  readonly workerUrl: URL;
  /** Opens the database file: at the start, and again once no engine can use it any more. */
  readonly openFile: () => OpenFile;
  readonly setup: Omit<WorkerSetup, 'running' | 'file'>;
  /** The most engines; more than the first are started when there is work for them. */
  readonly workers: number;
  /** The most calls that wait for an engine; one more is answered `busy`. */
  readonly queueLimit: number;
}

/** The most statements that run in turns in one engine. */
const QUERIES_PER_THREAD = 32;
/** From this load on, another engine is started. */
const QUERIES_TO_GROW = 2;
const TICK_MS = 50;
/** The time that an engine has to notice a deadline or a cancel before it is terminated. */
const GRACE_MS = 100;

/** Engines in worker threads behind one database. The event loop never waits for a query. */
export class Pool implements Database {
  readonly engine = 'duckdb-wasm';
  readonly readonly = true;
  readonly unchanging = true;
  readonly #options: PoolOptions;
  readonly #threads = new Set<EngineThread>();
  readonly #starting = new Set<EngineThread>();
  #file: OpenFile | null = null;
  /** Whether an engine failed to start with this file. */
  #doubtful = false;
  #queue: PendingQuery[] = [];
  #ticking: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Starts the first engine; throws if the database cannot be opened. */
  async open(): Promise<this> {
    try {
      await this.#grow();
      return this;
    } catch (thrown) {
      await this.close();
      throw thrown;
    }
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    const result = await this.#submit({ kind: 'run', request }, call);
    if (result === null) throw new SvcError('internal', 'an engine answered a query without a result');
    return result;
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<readonly string[]> {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: PREPARE_TIMEOUT_MS };
    await this.#submit({ kind: 'prepare', sql, mode }, call);
    return [];
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const threads = [...this.#threads, ...this.#starting];
    this.#rejectAll([...this.#queue, ...threads.flatMap(({ queries }) => queries)], closedError());
    this.#queue = [];
    if (this.#ticking !== null) clearInterval(this.#ticking);
    await Promise.all(threads.map((thread) => thread.terminate()));
    if (this.#file !== null) closeFile(this.#file);
  }

  #submit(task: Task, call: SqlCall): Promise<SqlResult | null> {
    const query = new PendingQuery(task, call);
    if (this.#closed) query.reject(closedError());
    else if (call.signal.aborted) query.reject(cancelledError());
    else this.#enqueue(query);
    return query.answer;
  }

  #enqueue(query: PendingQuery): void {
    query.watch(() => this.#cancel(query));
    this.#queue.push(query);
    this.#dispatch();
    if (this.#queue.length > this.#options.queueLimit) this.#queue.pop()?.reject(busyError(OVERLOADED));
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #cancel(query: PendingQuery): void {
    this.#queue = this.#queue.filter((candidate) => candidate !== query);
    for (const thread of this.#threads) thread.cancel(query);
  }

  /** Gives waiting queries to the engines with the most room, and starts another engine if all are busy. */
  #dispatch(): void {
    for (let [query] = this.#queue; query !== undefined; [query] = this.#queue) {
      const thread = this.#roomiest(query);
      if (thread === undefined || thread.load >= QUERIES_TO_GROW) this.#growInBackground();
      if (thread === undefined) return;
      this.#queue.shift();
      thread.start(query);
    }
  }

  #roomiest({ suspect }: PendingQuery): EngineThread | undefined {
    const able = [...this.#threads].filter(({ load, stuck, young }) => {
      const beside = suspect ? young : young.filter((one) => one.suspect);
      return load < QUERIES_PER_THREAD && !stuck && beside.length === 0;
    });
    return able.sort((left, right) => left.load - right.load)[0];
  }

  #growInBackground(): void {
    if (this.#closed || this.#starting.size > 0 || !this.#mayGrow()) return;
    this.#grow().catch((thrown: unknown) => {
      if (this.#threads.size > 0) return;
      this.#rejectAll(this.#queue, toSvcError(thrown));
      this.#queue = [];
    });
  }

  /** A stuck engine does not count, until as many are stuck as the pool may have. */
  #mayGrow(): boolean {
    const threads = [...this.#threads];
    const able = threads.filter(({ stuck }) => !stuck).length;
    return able < this.#options.workers && threads.length < 2 * this.#options.workers;
  }

  async #grow(): Promise<void> {
    const setup = { ...this.#options.setup, file: this.#fileForAnother() };
    const thread = new EngineThread(this.#options.workerUrl, setup, {
      onFree: () => this.#dispatch(),
      onEnd: (...ended) => this.#replace(...ended),
    });
    this.#starting.add(thread);
    try {
      await thread.ready;
      this.#doubtful = false;
      if (!this.#closed) this.#threads.add(thread);
    } catch (thrown) {
      this.#doubtful = true;
      throw thrown;
    } finally {
      this.#starting.delete(thread);
    }
    this.#dispatch();
  }

  /** All engines read one file, so that answers do not depend on which of them gives them when another takes its place. */
  #fileForAnother(): OpenFile {
    if (this.#file !== null && !(this.#doubtful && this.#threads.size === 0)) return this.#file;
    const before = this.#file;
    this.#file = this.#options.openFile();
    if (before !== null) closeFile(before);
    return this.#file;
  }

  /**
   * The calls beside the one that ended an engine go to another engine; reading twice does no harm. Each begins there without
   * a call beside it that may end this one too.
   */
  #replace(thread: EngineThread, culprit: PendingQuery | null, waiting: readonly PendingQuery[]): void {
    if (!this.#threads.delete(thread) || this.#closed) return;
    culprit?.reject(new SvcError('sql_failed', 'The database engine failed on this statement.'));
    for (const query of waiting) query.suspect = true;
    this.#requeue(waiting);
    if (this.#threads.size === 0) this.#growInBackground();
  }

  #requeue(queries: readonly PendingQuery[]): void {
    this.#queue.unshift(...queries.filter(({ settled }) => !settled));
    this.#dispatch();
  }

  /** Handles events without a message: deadlines, and engines that are stuck. */
  #tick(): void {
    this.#expireQueue();
    for (const thread of this.#threads) this.#attend(thread);
    // An engine that is no longer stuck sends no message.
    this.#dispatch();
    const idle = this.#queue.length === 0 && [...this.#threads].every(({ load }) => load === 0);
    if (!idle || this.#ticking === null) return;
    clearInterval(this.#ticking);
    this.#ticking = null;
  }

  #expireQueue(): void {
    const expired = this.#queue.filter(({ remainingMs }) => remainingMs <= 0);
    if (expired.length === 0) return;
    for (const query of expired)
      query.reject(query.begun ? deadlineError('The query', query.call.timeoutMs) : busyError(OVERLOADED));
    this.#queue = this.#queue.filter(({ settled }) => !settled);
  }

  #attend(thread: EngineThread): void {
    thread.observe();
    for (const query of thread.queries) {
      if (query.remainingMs < -GRACE_MS) query.reject(deadlineError('The query', query.call.timeoutMs));
    }
    if (!thread.stuck) return;
    if (thread.load > 1) this.#requeue(thread.release());
    if (thread.current?.settled) void thread.terminate();
  }

  #rejectAll(queries: readonly PendingQuery[], error: SvcError): void {
    for (const query of queries) query.reject(error);
  }
}

/** The deadline of `prepare`, in milliseconds. Its callers pass none. */
const PREPARE_TIMEOUT_MS = 30_000;
