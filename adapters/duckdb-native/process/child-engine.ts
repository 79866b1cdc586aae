import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import { deadlineError, fromPlainError, type PlainError, SvcError } from '../../../src/errors.ts';
import type { NativeOptions } from '../options.ts';
import { type FromProcess, MEMORY_REPORT, type ToProcess } from './messages.ts';
import { unpackResult } from './packed-result.ts';
import type { PendingCall } from './pending-call.ts';

/** The end of an engine's process. */
export interface EngineEnd {
  /** `overdue`: we ended it, because a statement did not end in time. */
  readonly reason: 'memory' | 'overdue' | 'ended';
  /** The time when it ended, or ran out of memory, by `performance.now()`. */
  readonly at: number;
  /** The reason, the signal or the exit code, for the error's text. */
  readonly how: string;
  /** The calls that ran, those included that were answered but had not ended. */
  readonly calls: readonly PendingCall[];
}

/** The time between a missed deadline and the end of the process; an interrupt usually ends the statement within it. */
const GRACE_MS = 1_000;
/** The time for a checkpoint. Without one, the next process reads the committed writes from the log beside the file. */
const CLOSE_MS = 5_000;
/** A commit takes a few milliseconds. */
const COMMIT_POLL_MS = 10;
const THREADS = '72';

/** Why we ended a process, for the error's text. */
const OWN_REASONS = {
  memory: 'because it took more memory than it may',
  overdue: 'because a statement did not stop in time',
} as const;

/** An engine in a process of its own, and its calls. */
export class ChildEngine {
  readonly ended: Promise<EngineEnd>;
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, PendingCall>();
  readonly #opening = new Map<number, PromiseWithResolvers<void>>();
  readonly #closing = new Map<number, () => void>();
  /** The ids of calls under which the process ends as soon as no other call commits. */
  readonly #overdue = new Set<number>();
  readonly #onChange: () => void;
  #reason: EngineEnd['reason'] = 'ended';
  #over = false;
  #exceededAt: number | null = null;

  /** Starts the process, which opens nothing yet. `onChange` is called whenever a call has ended in it, or asks to commit. */
  constructor(entry: URL, onChange: () => void) {
    this.#onChange = onChange;
    this.#child = fork(entry, {
      execArgv: [],
      env: environment(),
      serialization: 'advanced',
      // Its output could contain values, and the server's own output may be the transport.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    });
    this.#child.on('message', (message: FromProcess) => this.#receive(message));
    const report = this.#child.stdio[MEMORY_REPORT];
    report?.once('data', () => {
      this.#reason = 'memory';
      this.#exceededAt = performance.now();
    });
    // An idle engine keeps no server alive.
    if (report instanceof Socket) report.unref();
    this.ended = this.#untilEnd();
    this.#unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get calls(): readonly PendingCall[] {
    return [...this.#calls.values()];
  }

  /** Whether the process has ended. */
  get over(): boolean {
    return this.#over;
  }

  /** Whether the process is about to end under a call that did not stop. */
  get ending(): boolean {
    return this.#overdue.size > 0;
  }

  /** The number of calls. */
  get load(): number {
    return this.#calls.size;
  }

  /** Opens a database under an id. The first one sets the memory at which the process ends. */
  async open(database: number, options: NativeOptions, mostBytes: number): Promise<void> {
    const opening = Promise.withResolvers<void>();
    this.#opening.set(database, opening);
    this.#ref();
    this.#post({ kind: 'open', database, options, mostBytes });
    void this.ended.then(({ how }) => opening.reject(endedEarly(how)));
    try {
      await opening.promise;
    } finally {
      this.#opening.delete(database);
      if (this.#opening.size === 0) this.#unref();
    }
  }

  start(call: PendingCall): void {
    const { id, database, task, remainingMs: timeoutMs } = call;
    this.#calls.set(id, call);
    call.startedAt = performance.now();
    call.commit = 'none';
    this.#post({ kind: 'start', database, id, task, caller: call.call.caller, timeoutMs });
  }

  /** Lets a write commit that has asked for it. */
  commit(call: PendingCall): void {
    call.commit = 'allowed';
    this.#post({ kind: 'commit', id: call.id });
  }

  /** Cancels a call, or waits for its deadline in the engine. Ends the process if the call has not ended after the grace. */
  stop(call: PendingCall): void {
    if (!this.#calls.has(call.id)) return;
    if (call.stopped?.code === 'cancelled') this.#post({ kind: 'cancel', id: call.id });
    setTimeout(() => this.#endOverdue(call, performance.now() + GRACE_MS), GRACE_MS);
  }

  /** Ends the process under a call that did not stop, if possible while no other call commits. Meanwhile none begins to. */
  #endOverdue(call: PendingCall, latest: number): void {
    if (!this.#calls.has(call.id) || call.committing) return;
    this.#overdue.add(call.id);
    if (performance.now() < latest && this.calls.some(({ committing }) => committing)) {
      setTimeout(() => this.#endOverdue(call, latest), COMMIT_POLL_MS);
      return;
    }
    this.#reason = 'overdue';
    this.#kill();
  }

  /** Ends the process at once. */
  async end(): Promise<void> {
    this.#ref();
    this.#kill();
    await this.ended;
  }

  /** Closes a database, or ends the process if that takes too long. */
  async close(database: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#closing.set(database, resolve));
    this.#ref();
    this.#post({ kind: 'close', database });
    const timer = setTimeout(() => this.#kill(), CLOSE_MS);
    await Promise.race([closed, this.ended]);
    clearTimeout(timer);
  }

  #post(message: ToProcess): void {
    // A process that has just ended takes no more messages; its end is noticed by itself.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #receive(message: FromProcess): void {
    if (message.kind === 'opened') this.#opening.get(message.database)?.resolve();
    else if (message.kind === 'unopened')
      this.#opening.get(message.database)?.reject(fromPlainError(message.error));
    else if (message.kind === 'closed') this.#closing.get(message.database)?.();
    else this.#settle(message);
  }

  #settle(message: Extract<FromProcess, { id: number }>): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    if (message.kind === 'ready') {
      call.commit = 'ready';
      call.readyAt = performance.now();
      this.#onChange();
    } else if (message.kind === 'committing') call.commit = 'committing';
    else if (message.kind === 'failed') call.reject(errorOf(message.error, call));
    else this.#end(call, message);
  }

  #end(call: PendingCall, message: Extract<FromProcess, { kind: 'done' | 'ended' }>): void {
    this.#calls.delete(call.id);
    this.#overdue.delete(call.id);
    if (message.kind === 'done') call.resolve(unpackResult(message.result));
    this.#onChange();
  }

  #untilEnd(): Promise<EngineEnd> {
    return new Promise((resolve) => {
      const end = (how: string): void => {
        this.#over = true;
        const at = this.#exceededAt ?? performance.now();
        const reason = this.#reason;
        const why = reason === 'ended' ? how : OWN_REASONS[reason];
        resolve({ reason, at, how: why, calls: this.calls });
        this.#calls.clear();
      };
      this.#child.once('error', ({ message }) => end(`(${message})`));
      // After the last message was read.
      this.#child.once('close', (code, signal) =>
        end(signal === null ? `with exit code ${code}` : `by signal ${signal}`),
      );
    });
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  #ref(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  #unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function endedEarly(how: string): SvcError {
  return new SvcError(
    'database_unavailable',
    `The database engine ended ${how} before the database was open.`,
  );
}

/** The settings of svc and of Node are the server's own; extensions may read the others. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(?:SVC|NODE)_/.test(name));
  return { ...Object.fromEntries(others), UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? THREADS };
}

/** Names the caller's whole timeout in the error, because the engine received the remaining time only. */
function errorOf(error: PlainError, { call }: PendingCall): SvcError {
  return error.code === 'deadline_exceeded'
    ? deadlineError('The query', call.timeoutMs)
    : fromPlainError(error);
}
