import { Worker } from 'node:worker_threads';
import type { SvcError } from '../../../src/errors.ts';
import { deadlineError } from '../errors.ts';
import {
  type FromWorker,
  fromPlainError,
  type PlainError,
  type ToWorker,
  type WorkerSetup,
} from './messages.ts';
import type { Job } from './pending-query.ts';

/** What a pool hears from a member. */
export interface MemberEvents {
  /** A job was answered: there is room for another. */
  onFree(): void;
  /** The thread has ended. `culprit` was running then; the others only waited. */
  onEnd(member: Member, culprit: Job | undefined, waiting: readonly Job[]): void;
}

/** One worker thread with an engine in it, and the jobs it has been given. */
export class Member {
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #events: MemberEvents;
  readonly #running: Int32Array<SharedArrayBuffer>;
  readonly #jobs = new Map<number, Job>();
  #lastId = 0;
  #lastStep = -1;
  #stuckSince = Number.POSITIVE_INFINITY;

  constructor(workerUrl: URL, setup: Omit<WorkerSetup, 'running'>, events: MemberEvents) {
    this.#events = events;
    this.#running = new Int32Array(new SharedArrayBuffer(8));
    const workerData: WorkerSetup = { ...setup, running: this.#running };
    this.#worker = new Worker(workerUrl, { workerData, execArgv: [], name: 'duckdb' });
    this.ready = this.#whenReady();
    this.#worker.on('exit', () => this.#end());
  }

  get load(): number {
    return this.#jobs.size;
  }

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  /** The job whose step runs now. */
  get current(): Job | undefined {
    return this.#jobs.get(Atomics.load(this.#running, 0));
  }

  /** How long one and the same step has been running, as far as `observe` has seen. */
  get stuckMs(): number {
    return Math.max(0, performance.now() - this.#stuckSince);
  }

  /** Looks whether steps still end. */
  observe(): void {
    const step = Atomics.load(this.#running, 1);
    const busy = Atomics.load(this.#running, 0) !== 0;
    if (!busy || step !== this.#lastStep)
      this.#stuckSince = busy ? performance.now() : Number.POSITIVE_INFINITY;
    this.#lastStep = step;
  }

  start(job: Job): void {
    this.#lastId = (this.#lastId % 0x3fff_ffff) + 1;
    this.#jobs.set(this.#lastId, job);
    job.begun = true;
    const timeoutMs = Math.max(1, job.remainingMs);
    this.#post({ kind: 'start', id: this.#lastId, task: job.task, caller: job.call.caller, timeoutMs });
  }

  /** Asks the engine to stop a job, which counts as its load until it has. */
  cancel(job: Job): void {
    for (const [id, candidate] of this.#jobs) if (candidate === job) this.#post({ kind: 'cancel', id });
  }

  /** Takes back the jobs that only wait for the one that runs. */
  release(): readonly Job[] {
    const { current } = this;
    const waiting = [...this.#jobs].filter(([, job]) => job !== current);
    for (const [id] of waiting) {
      this.#jobs.delete(id);
      this.#post({ kind: 'cancel', id });
    }
    return waiting.map(([, job]) => job);
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
    const job = this.#jobs.get(message.id);
    this.#jobs.delete(message.id);
    if (message.kind === 'done') job?.resolve(message.result);
    else job?.reject(errorOf(message.error, job));
    // Its step has ended, so it may no longer be stuck.
    this.observe();
    this.#events.onFree();
  }

  #end(): void {
    const { current, jobs } = this;
    this.#jobs.clear();
    this.#events.onEnd(
      this,
      current,
      jobs.filter((job) => job !== current),
    );
  }
}

/** The engine was told what was left of the time; the caller hears of all of it. */
function errorOf(error: PlainError, { call }: Job): SvcError {
  return error.code === 'deadline_exceeded' ? deadlineError(call.timeoutMs) : fromPlainError(error);
}
