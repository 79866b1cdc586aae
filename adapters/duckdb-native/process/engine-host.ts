import { stat } from 'node:fs/promises';
import { busyError, cancelledError, deadlineError, SvcError, toSvcError } from '../../../src/errors.ts';
import type { Log, SqlCall, SqlResult } from '../../../src/ports.ts';
import { memoryText, OVERLOADED } from '../../../src/sql/query.ts';
import { createSerial } from '../engine/engine.ts';
import type { NativeOptions } from '../options.ts';
import { ChildEngine, type EngineEnd } from './child-engine.ts';
import type { EngineTask } from './messages.ts';
import { PendingCall } from './pending-call.ts';

/** The entry of the process, and the memory at which it ends, in bytes. */
export interface HostOptions {
  readonly entry: URL;
  readonly mostBytes: number;
  /** Called when the last database was closed. */
  readonly onEmpty: () => void;
  readonly log?: Log;
}

/** More calls than the engine runs and lets wait. */
const MOST_CALLS = 4_096;
/** A process that ends while it opens its databases is started again, so often altogether. */
const MOST_STARTS = 3;
/** A call that was lost so often fails, although another one may have ended its processes. */
const MOST_LOSSES = 5;
/**
 * A suspect runs alone for this time, and for twice as long after each further loss. Most crashes come earlier, and one long
 * statement must not hold up all others.
 */
const TRIAL_MS = 500;
/** A commit waits so long at most for callers' statements, and they wait so long at most for one that is ready. */
const COMMIT_WAIT_MS = 1_000;
const CHECK_MS = 100;
/** A statement needs more time than this to exceed the memory. */
const HUNGRY_MS = 100;

/** The options of an opened database, and the identity of its file. */
interface OpenedDatabase extends NativeOptions {
  readonly file: string | null;
}

let lastDatabase = 0;

/**
 * Keeps one native engine in a process of its own. When the process ends, the statement that ended it fails, and a new
 * process runs the others again: reads leave nothing behind, and a write that was not committed has done nothing.
 */
export class EngineHost {
  readonly #options: HostOptions;
  /** The opened databases; two of them are one file before and after a reload. */
  readonly #databases = new Map<number, OpenedDatabase>();
  readonly #inTurn = createSerial();
  #current: ChildEngine | null = null;
  /** A process that has opened nothing yet, so that the next engine starts faster. */
  #spare: ChildEngine | null = null;
  #starting: Promise<void> | null = null;
  #check: NodeJS.Timeout | null = null;
  /** Calls for which there is no engine, or which must not run beside another. */
  #waiting: readonly PendingCall[] = [];

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** The process that runs statements now; null while another one starts. */
  get pid(): number | null {
    return this.#current?.pid ?? null;
  }

  /** Opens a database and returns its id; throws if it cannot be opened. */
  add(native: NativeOptions): Promise<number> {
    return this.#inTurn(async () => {
      lastDatabase += 1;
      const id = lastDatabase;
      const engine = await this.#open(id, native, MOST_STARTS);
      // A file that vanishes later is an error, never a new empty database.
      this.#databases.set(id, { ...native, createIfMissing: false, file: await identityOf(native.path) });
      this.#use(engine);
      return id;
    });
  }

  /** Opens a database, again if the process ended meanwhile under a statement of another one. */
  async #open(id: number, native: NativeOptions, attempts: number): Promise<ChildEngine> {
    await this.#starting;
    const engine = this.#current ?? (await this.#startEngine());
    try {
      await engine.open(id, native, this.#options.mostBytes);
      return engine;
    } catch (thrown) {
      if (this.#databases.size === 0) await this.#leave(engine);
      else if (engine.over && attempts > 1) return this.#open(id, native, attempts - 1);
      throw thrown;
    }
  }

  /** Closes a database. The process ends with its last one. */
  async remove(id: number): Promise<void> {
    if (!this.#databases.delete(id)) return;
    this.#rejectWaiting(closedError(), (call) => call.database === id);
    await this.#inTurn(async () => {
      await this.#starting;
      const engine = this.#current;
      await engine?.close(id);
      if (this.#databases.size === 0) await this.#leave(engine);
    });
  }

  /** Runs a call of a database. */
  async submit(database: number, task: EngineTask, call: SqlCall): Promise<SqlResult> {
    if (!this.#databases.has(database)) throw closedError();
    if (call.signal.aborted) throw cancelledError();
    if (this.#waiting.length + (this.#current?.load ?? 0) >= MOST_CALLS) throw busyError(OVERLOADED);
    const pending = new PendingCall(database, task, call);
    pending.watch({
      onCancel: () => this.#stop(pending, cancelledError()),
      onDeadline: () => this.#stop(pending, deadlineError('The query', call.timeoutMs)),
    });
    this.#waiting = [...this.#waiting, pending];
    this.#dispatch();
    return pending.answer;
  }

  #stop(call: PendingCall, reason: SvcError): void {
    if (this.#waiting.includes(call)) {
      this.#waiting = this.#waiting.filter((waiting) => waiting !== call);
      call.reject(reason.code === 'cancelled' ? reason : busyError(OVERLOADED));
      return;
    }
    call.stopped = reason;
    this.#current?.stop(call);
    // Only the engine knows whether it had begun to commit a write.
    if (reason.code === 'cancelled' && !call.writes) call.reject(reason);
  }

  #dispatch(): void {
    const engine = this.#current;
    if (engine === null) {
      if (this.#waiting.length > 0) this.#starting ??= this.#restart();
      return;
    }
    for (const call of engine.calls) if (mayCommit(call, engine)) engine.commit(call);
    for (const call of this.#waiting) if (mayRun(call, engine, this.#waiting)) this.#run(call, engine);
    const held = this.#waiting.length > 0 || engine.calls.some(({ commit }) => commit === 'ready');
    if (held) this.#check ??= setTimeout(() => this.#checkAgain(), CHECK_MS);
  }

  #checkAgain(): void {
    this.#check = null;
    this.#dispatch();
  }

  #run(call: PendingCall, engine: ChildEngine): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== call);
    engine.start(call);
  }

  /** Starts an engine again. A failure is the error of the calls that wait; the next call tries again. */
  async #restart(): Promise<void> {
    try {
      this.#use(await this.#startEngine());
    } catch (thrown) {
      this.#rejectWaiting(toSvcError(thrown));
    } finally {
      this.#starting = null;
    }
    this.#dispatch();
  }

  /** Opens all databases in a new process, and in another one if that ends meanwhile, such as for want of memory. */
  async #startEngine(attempts = MOST_STARTS): Promise<ChildEngine> {
    const engine = this.#take();
    try {
      for (const [id, { file, ...native }] of this.#databases) {
        if (file !== (await identityOf(native.path))) throw replacedError(native.path);
        await engine.open(id, native, this.#options.mostBytes);
      }
      return engine;
    } catch (thrown) {
      const again = engine.over && attempts > 1;
      await engine.end();
      if (again) return this.#startEngine(attempts - 1);
      throw thrown;
    }
  }

  #take(): ChildEngine {
    const engine = this.#spare ?? this.#fork();
    this.#spare = null;
    return engine;
  }

  #use(engine: ChildEngine): void {
    if (this.#current === engine) return;
    this.#current = engine;
    void engine.ended.then((end) => this.#replace(end));
    const spare = this.#fork();
    this.#spare = spare;
    void spare.ended.then(() => {
      if (this.#spare === spare) this.#spare = null;
    });
  }

  #fork(): ChildEngine {
    // A call may have waited for another one to end.
    return new ChildEngine(this.#options.entry, () => this.#dispatch());
  }

  /** Ends the processes when no database is left. */
  async #leave(engine: ChildEngine | null): Promise<void> {
    this.#options.onEmpty();
    await Promise.all([this.#spare?.end(), engine?.end()]);
  }

  #replace(end: EngineEnd): void {
    this.#current = null;
    const suspects = suspectsOf(end);
    const again: PendingCall[] = [];
    for (const call of end.calls) {
      if (call.settled) continue;
      const error = this.#errorOf(call, end, suspects);
      if (error === null) again.push(call);
      else call.reject(error);
    }
    // The youngest first: a crash comes soon, and short statements must not wait for long ones.
    again.sort((one, other) => other.startedAt - one.startedAt);
    this.#waiting = [...again, ...this.#waiting];
    if (this.#databases.size === 0) return;
    const message = `the database engine ended ${end.how}, and is started again`;
    this.#options.log?.({ level: 'warn', message });
    // The next caller finds an engine.
    this.#starting ??= this.#restart();
  }

  /** Returns the error of a call whose process has ended; null if it runs again. */
  #errorOf(call: PendingCall, end: EngineEnd, suspects: readonly PendingCall[]): SvcError | null {
    if (call.committing) return unknownOutcome(end);
    if (call.stopped !== null) return call.stopped;
    if (!this.#databases.has(call.database)) return closedError();
    if (!suspects.includes(call)) return null;
    call.suspect = call.confined;
    call.losses += 1;
    return suspects.length === 1 || call.losses >= MOST_LOSSES
      ? endedError(end, this.#databases.get(call.database))
      : null;
  }

  #rejectWaiting(error: SvcError, which: (call: PendingCall) => boolean = () => true): void {
    for (const call of this.#waiting) if (which(call)) call.reject(error);
    this.#waiting = this.#waiting.filter(({ settled }) => !settled);
  }
}

/** The statements that may have ended a process: those that callers wrote, before those of the project. */
function suspectsOf({ reason, at, calls }: EngineEnd): readonly PendingCall[] {
  if (reason === 'overdue') return [];
  const confined = calls.filter((call) => call.confined);
  const hungry = confined.filter(({ startedAt }) => reason === 'memory' && at - startedAt > HUNGRY_MS);
  return [hungry, confined, calls].find((some) => some.length > 0) ?? [];
}

/**
 * A write commits beside no caller's statement that may still crash the process, and in no process that is about to end,
 * because its outcome would then be unknown.
 */
function mayCommit({ commit, readyAt }: PendingCall, engine: ChildEngine): boolean {
  if (commit !== 'ready' || engine.ending) return false;
  return performance.now() - readyAt > COMMIT_WAIT_MS || youngOf(engine).length === 0;
}

/** A suspect begins without another caller's statement beside it, so that its process ends for no other reason. */
function mayRun(call: PendingCall, engine: ChildEngine, waiting: readonly PendingCall[]): boolean {
  if (!call.confined) return true;
  const late = performance.now() - call.arrivedAt > COMMIT_WAIT_MS;
  const mayWait = late ? ['none', 'ready'] : ['none'];
  // A commit whose caller waits no longer may hang.
  if (!engine.calls.every(({ commit, settled }) => settled || mayWait.includes(commit))) return false;
  const young = youngOf(engine);
  if (call.suspect) return young.length === 0;
  return ![...young, ...waiting].some(({ suspect }) => suspect);
}

/** Callers' statements that run so shortly that they may still crash the process. */
function youngOf(engine: ChildEngine): readonly PendingCall[] {
  const now = performance.now();
  return engine.calls.filter(
    ({ confined, startedAt, losses }) => confined && now - startedAt < trialOf(losses),
  );
}

function trialOf(losses: number): number {
  return TRIAL_MS * 2 ** Math.max(losses - 1, 0);
}

function endedError({ reason, how }: EngineEnd, native: NativeOptions | undefined): SvcError {
  if (reason === 'memory') {
    const memoryMb = native?.memoryMb;
    const limit = memoryMb === undefined ? undefined : `${memoryMb} MiB`;
    return new SvcError('memory_exceeded', memoryText(limit));
  }
  return new SvcError('sql_failed', `The database engine failed on this statement and ended ${how}.`);
}

function unknownOutcome({ how }: EngineEnd): SvcError {
  return new SvcError(
    'outcome_unknown',
    `The database engine ended ${how} while it saved the change, so the change may be there or not. Read it before you try again.`,
  );
}

/** Another file would get the log of the first one. */
function replacedError(path: string): SvcError {
  return new SvcError(
    'database_unavailable',
    `${path} was removed or replaced by another file while it was open, so it is not opened again.
Put the file back, or start the server again. A reload is enough if the database is read-only.`,
  );
}

/** Names a file by its inode; null if there is none. */
async function identityOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.dev}:${found.ino}`;
}

function closedError(): SvcError {
  return new SvcError('database_unavailable', 'The database is closed.');
}
