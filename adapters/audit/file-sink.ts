import { SvcError } from '../../src/errors.ts';
import type { AuditSink, Log } from '../../src/ports.ts';
import { LineFile, type RotationLimits } from './line-file.ts';

/** The file for records and its limits. */
export interface FileSinkOptions {
  readonly path: string;
  readonly limits: RotationLimits;
  /** While the file cannot be written, calls are rejected (`block`) or answered without records (`warn`). */
  readonly onError: 'block' | 'warn';
  readonly log: Log;
  /** Called after a file was closed and a new one begun. */
  readonly onRotated?: () => void;
  /** The maximum number of bytes that wait for the disk. */
  readonly maxQueued?: number;
}

const EVERY_MS = 50;
/** Records that are not in the file may be this old and this many. Beyond, answers wait for the disk. */
const BEHIND_MS = 100;
const BEHIND_LINES = 256;
const BATCH_BYTES = 1024 * 1024;
/** A write that takes longer counts as a failure until it ends. */
const STUCK_MS = 10_000;
const RETRY_MS = 1_000;
const MAX_QUEUED = 16 * 1024 * 1024;

interface Waiting {
  /** The number of records, since the start, that must be in the file. */
  readonly until: number;
  /** Whether they must be synced too. */
  readonly synced: boolean;
  readonly resolve: () => void;
}

/**
 * Appends records to a JSON Lines file (design, D11). A record survives the process when it is written, which takes a
 * twentieth of a second, and the machine when it is synced. A slow sync delays no write; a slow write delays answers.
 */
export class FileSink implements AuditSink {
  readonly #options: FileSinkOptions;
  readonly #file: LineFile;
  readonly #maxQueued: number;
  #queue: string[] = [];
  #queued = 0;
  #batch: readonly string[] = [];
  /** Records in the file that are not synced. They are written again if a sync fails, because the disk may lack them. */
  #unsynced: string[] = [];
  #suspect = false;
  #taken = 0;
  #written = 0;
  /** The time of the oldest record that is not in the file. */
  #since: number | null = null;
  #waiting: Waiting[] = [];
  #syncing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #draining: Promise<void> | null = null;
  #failure: Error | null = null;
  #dropped = 0;
  #closed = false;
  readonly #atExit = () => this.#flushNow();

  constructor(options: FileSinkOptions) {
    this.#options = options;
    this.#file = new LineFile(options.path, options.limits);
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED;
    process.on('exit', this.#atExit);
  }

  /** Opens the file. With `onError: 'block'` it throws `audit_unavailable` if the file cannot be written. */
  async open(): Promise<void> {
    try {
      await this.#file.open();
    } catch (cause) {
      if (this.#options.onError === 'block') {
        process.off('exit', this.#atExit);
        throw unwritable(this.#options.path, cause as Error);
      }
      this.#fail(cause as Error);
    }
  }

  record(line: string): void {
    if (this.#closed || this.#queued + line.length > this.#maxQueued) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(line);
    this.#queued += line.length;
    this.#taken += 1;
    this.#since ??= performance.now();
    if (this.#failure === null && this.#queue.length === BEHIND_LINES) void this.#drain();
    else this.#drainIn(this.#failure === null ? EVERY_MS : RETRY_MS);
  }

  admit(): void {
    if (this.#options.onError === 'warn') return;
    if (this.#failure === null && this.#queued < this.#maxQueued / 2) return;
    throw new SvcError(
      'audit_unavailable',
      'Calls cannot be recorded at the moment, so they are rejected. Try again later.',
    );
  }

  written(): Promise<void> | null {
    if (this.#failure !== null || this.#since === null) return null;
    const isBehind =
      this.#taken - this.#written >= BEHIND_LINES || performance.now() - this.#since >= BEHIND_MS;
    return isBehind ? this.#wait({ synced: false }) : null;
  }

  async flush(): Promise<void> {
    if (this.#synced < this.#taken) await this.#wait({ synced: true });
    if (this.#failure !== null) throw unwritable(this.#options.path, this.#failure);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    do await this.flush().catch(() => {});
    while (this.#failure === null && this.#synced < this.#taken);
    this.#closed = true;
    if (this.#suspect) this.#writeAgain();
    if (this.#timer !== null) clearTimeout(this.#timer);
    process.off('exit', this.#atExit);
    await this.#file.close();
    this.#tellLost(this.#queue.length);
  }

  get #synced(): number {
    return this.#written - this.#unsynced.length;
  }

  /** Waits for the records taken so far only, because a busy server always has newer ones. */
  #wait({ synced }: Pick<Waiting, 'synced'>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ until: this.#taken, synced, resolve });
    void this.#drain();
    return promise;
  }

  #drainIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      // Cleared here too: while records are being written, `#drain` does not begin anew.
      this.#timer = null;
      void this.#drain();
    }, ms).unref();
  }

  #drain(): Promise<void> {
    this.#draining ??= this.#writeAll().finally(() => {
      this.#draining = null;
      if (this.#failure !== null) this.#release(() => true);
    });
    return this.#draining;
  }

  async #writeAll(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#suspect) this.#writeAgain();
    while (this.#queue.length > 0) {
      this.#batch = this.#take();
      const error = await this.#write(this.#batch);
      const syncing = this.#sync();
      if (error !== null) return this.#fail(error);
      if (this.#failure === null) continue;
      await syncing;
      if (this.#suspect) return;
      this.#recover();
    }
  }

  /** Writes a batch. Lines that are not written return to the queue. */
  async #write(batch: readonly string[]): Promise<Error | null> {
    const stuck = setTimeout(
      () => this.#fail(new Error(`a write takes more than ${STUCK_MS / 1_000} seconds`)),
      STUCK_MS,
    ).unref();
    const since = performance.now();
    const { lines, error, rotated } = await this.#file.append(batch);
    clearTimeout(stuck);
    this.#batch = [];
    this.#queue = [...batch.slice(lines), ...this.#queue];
    this.#unsynced.push(...batch.slice(0, lines));
    this.#written += lines;
    this.#since = this.#queue.length === 0 ? null : since;
    this.#release(({ until, synced }) => !synced && until <= this.#written);
    if (rotated) this.#options.onRotated?.();
    return error;
  }

  #release(isDone: (waiting: Waiting) => boolean): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((one) => !isDone(one));
    for (const one of waiting) if (isDone(one)) one.resolve();
  }

  #releaseSynced(): void {
    this.#release(({ until }) => until <= this.#synced);
  }

  /** Syncs until nothing is left to sync, beside the writes. Never throws. */
  async #sync(): Promise<void> {
    if (this.#suspect) return;
    this.#syncing ??= this.#syncAll().finally(() => {
      this.#syncing = null;
    });
    await this.#syncing;
  }

  async #syncAll(): Promise<void> {
    do {
      const many = this.#unsynced.length;
      try {
        await this.#file.sync();
      } catch (thrown) {
        this.#suspect = true;
        this.#fail(thrown as Error);
        this.#release(() => true);
        return;
      }
      for (const line of this.#unsynced.splice(0, many)) this.#queued -= line.length;
      if (this.#failure === null) this.#releaseSynced();
    } while (this.#unsynced.length > 0);
  }

  #writeAgain(): void {
    this.#suspect = false;
    this.#written -= this.#unsynced.length;
    this.#queue = [...this.#unsynced, ...this.#queue];
    this.#unsynced = [];
  }

  /** Takes as many lines from the queue as one write may have. */
  #take(): readonly string[] {
    const most = Math.min(BATCH_BYTES, this.#options.limits.maxBytes);
    let bytes = 0;
    const end = this.#queue.findIndex((line, index) => {
      bytes += line.length;
      return index > 0 && bytes > most;
    });
    const all = this.#queue;
    this.#queue = end === -1 ? [] : all.slice(end);
    return end === -1 ? all : all.slice(0, end);
  }

  /** Ends the waiting of answers. A flush goes on waiting for a write that is stuck, because it may still succeed. */
  #fail(error: Error): void {
    const { path, onError, log } = this.#options;
    if (this.#failure === null) {
      const then =
        onError === 'block' ? 'calls are rejected until it can' : 'calls continue and their records wait';
      log({
        level: 'error',
        message: `the audit file ${path} cannot be written (${error.message}); ${then}`,
      });
    }
    this.#failure = error;
    this.#release(({ synced }) => !synced);
    this.#drainIn(RETRY_MS);
  }

  #recover(): void {
    if (this.#failure === null) return;
    this.#failure = null;
    this.#releaseSynced();
    this.#options.log({
      level: 'warn',
      message: `the audit file ${this.#options.path} can be written again`,
    });
    this.#tellLost(0);
  }

  #tellLost(more: number): void {
    const lost = this.#dropped + more;
    this.#dropped = 0;
    if (lost === 0) return;
    const message = `${lost} audit records are lost: ${this.#options.path} could not be written`;
    this.#options.log({ level: 'error', message, fields: { lost } });
  }

  /** Writes the remaining lines synchronously if the process ends without `close`. */
  #flushNow(): void {
    if (this.#suspect) this.#writeAgain();
    const waiting = [...(this.#file.submitted ? [] : this.#batch), ...this.#queue];
    if (waiting.length === 0) return;
    let written = 0;
    try {
      written = this.#file.appendNow(waiting);
    } catch {
      // Nothing can be done any more.
    }
    this.#tellLost(waiting.length - written);
  }
}

function unwritable(path: string, cause: Error): SvcError {
  const message = `The audit file ${path} cannot be written: ${cause.message}.
Make room for it, give this user the right to write it, or correct \`audit.path\` of the profile. With \`audit.on_error: warn\`, calls continue without records.`;
  return new SvcError('audit_unavailable', message, { cause });
}
