import { SvcError, toSvcError } from '../../../src/errors.ts';
import type { Database, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { closeFile, type OpenFile } from '../engine/path-file.ts';
import { cancelledError, closedError, deadlineError } from '../errors.ts';
import { Member } from './engine-thread.ts';
import type { Task, WorkerSetup } from './messages.ts';
import { Job } from './pending-query.ts';

/** What a pool is made of. */
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

/** So many statements take turns in one engine. */
const JOBS_PER_MEMBER = 32;
/** From so many on another engine is worth starting. */
const JOBS_TO_GROW = 2;
const TICK_MS = 50;
/** A step that takes longer holds nobody else up: the others move to another engine. */
const STUCK_MS = 150;
/** How long an engine may take to notice a deadline or a cancel before it is terminated. */
const GRACE_MS = 100;
const MAX_LOSSES = 3;

/** Engines in threads of their own behind one database; the process's event loop never waits for a query. */
export class Pool implements Database {
  readonly engine = 'duckdb-wasm';
  readonly readonly = true;
  readonly #options: PoolOptions;
  readonly #members = new Set<Member>();
  readonly #starting = new Set<Member>();
  #file: OpenFile | null = null;
  /** An engine could not be started with it. */
  #doubtful = false;
  #queue: Job[] = [];
  #ticking: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Starts the first engine, which tells whether the database can be opened at all. */
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

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<void> {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: PREPARE_TIMEOUT_MS };
    await this.#submit({ kind: 'prepare', sql, mode }, call);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const members = [...this.#members, ...this.#starting];
    this.#rejectAll([...this.#queue, ...members.flatMap(({ jobs }) => jobs)], closedError());
    this.#queue = [];
    if (this.#ticking !== null) clearInterval(this.#ticking);
    await Promise.all(members.map((member) => member.terminate()));
    if (this.#file !== null) closeFile(this.#file);
  }

  #submit(task: Task, call: SqlCall): Promise<SqlResult | null> {
    const job = new Job(task, call);
    if (this.#closed) job.reject(closedError());
    else if (call.signal.aborted) job.reject(cancelledError());
    else this.#enqueue(job);
    return job.answer;
  }

  #enqueue(job: Job): void {
    job.watch(() => this.#cancel(job));
    this.#queue.push(job);
    this.#dispatch();
    if (this.#queue.length > this.#options.queueLimit) this.#queue.pop()?.reject(busyError());
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS);
  }

  #cancel(job: Job): void {
    this.#queue = this.#queue.filter((candidate) => candidate !== job);
    for (const member of this.#members) member.cancel(job);
  }

  /** Gives waiting jobs to the engines with the most room, and starts another where all have enough to do. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const member = this.#roomiest();
      if (member === undefined || member.load >= JOBS_TO_GROW) this.#growInBackground();
      if (member === undefined) return;
      const job = this.#queue.shift();
      if (job !== undefined) member.start(job);
    }
  }

  #roomiest(): Member | undefined {
    const able = [...this.#members].filter(
      (member) => member.load < JOBS_PER_MEMBER && member.stuckMs < STUCK_MS,
    );
    return able.sort((left, right) => left.load - right.load)[0];
  }

  #growInBackground(): void {
    if (this.#closed || this.#starting.size > 0 || !this.#mayGrow()) return;
    this.#grow().catch((thrown: unknown) => {
      if (this.#members.size > 0) return;
      this.#rejectAll(this.#queue, toSvcError(thrown));
      this.#queue = [];
    });
  }

  /** A stuck engine takes nobody's place, until as many are stuck as there may be at all. */
  #mayGrow(): boolean {
    const members = [...this.#members];
    const able = members.filter(({ stuckMs }) => stuckMs < STUCK_MS).length;
    return able < this.#options.workers && members.length < 2 * this.#options.workers;
  }

  async #grow(): Promise<void> {
    const setup = { ...this.#options.setup, file: this.#fileForAnother() };
    const member = new Member(this.#options.workerUrl, setup, {
      onFree: () => this.#dispatch(),
      onEnd: (...ended) => this.#replace(...ended),
    });
    this.#starting.add(member);
    try {
      await member.ready;
      this.#doubtful = false;
      if (!this.#closed) this.#members.add(member);
    } catch (thrown) {
      this.#doubtful = true;
      throw thrown;
    } finally {
      this.#starting.delete(member);
    }
    this.#dispatch();
  }

  /** All engines read one file, so that answers do not depend on which of them gives them when another takes its place. */
  #fileForAnother(): OpenFile {
    if (this.#file !== null && !(this.#doubtful && this.#members.size === 0)) return this.#file;
    const before = this.#file;
    this.#file = this.#options.openFile();
    if (before !== null) closeFile(before);
    return this.#file;
  }

  /** The calls that only waited go to another engine; reading twice does no harm. */
  #replace(member: Member, culprit: Job | undefined, waiting: readonly Job[]): void {
    if (!this.#members.delete(member) || this.#closed) return;
    culprit?.reject(new SvcError('database_unavailable', 'The database engine failed on this statement.'));
    for (const job of waiting) {
      job.losses += 1;
      if (job.losses >= MAX_LOSSES)
        job.reject(new SvcError('database_unavailable', 'The database engine keeps failing.'));
    }
    this.#requeue(waiting);
    if (this.#members.size === 0) this.#growInBackground();
  }

  #requeue(jobs: readonly Job[]): void {
    this.#queue.unshift(...jobs.filter(({ settled }) => !settled));
    this.#dispatch();
  }

  /** Looks after what no message tells: time that is over, and engines that are stuck. */
  #tick(): void {
    this.#expireQueue();
    for (const member of this.#members) this.#attend(member);
    // An engine that is no longer stuck tells nobody.
    this.#dispatch();
    const idle = this.#queue.length === 0 && [...this.#members].every(({ load }) => load === 0);
    if (!idle || this.#ticking === null) return;
    clearInterval(this.#ticking);
    this.#ticking = null;
  }

  #expireQueue(): void {
    const expired = this.#queue.filter(({ remainingMs }) => remainingMs <= 0);
    if (expired.length === 0) return;
    for (const job of expired) job.reject(job.begun ? deadlineError(job.call.timeoutMs) : busyError());
    this.#queue = this.#queue.filter(({ settled }) => !settled);
  }

  #attend(member: Member): void {
    member.observe();
    for (const job of member.jobs) {
      if (job.remainingMs < -GRACE_MS) job.reject(deadlineError(job.call.timeoutMs));
    }
    if (member.stuckMs < STUCK_MS) return;
    if (member.load > 1) this.#requeue(member.release());
    if (member.current?.settled) void member.terminate();
  }

  #rejectAll(jobs: readonly Job[], error: SvcError): void {
    for (const job of jobs) job.reject(error);
  }
}

/** Planning has no deadline of its own; a plan that takes longer than this is a fault. */
const PREPARE_TIMEOUT_MS = 30_000;

function busyError(): SvcError {
  return new SvcError('busy', 'The database has too much to do; try again.');
}
