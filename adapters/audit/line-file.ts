import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toAuditLine } from '../../src/audit/filter.ts';
import { makeFolder } from '../node/make-folder.ts';
import { rotatedName } from './audit-files.ts';
import { repairTail } from './repair.ts';

/** The limits at which a file is rotated. */
export interface RotationLimits {
  readonly maxBytes: number;
  /** The maximum age of a file, in milliseconds. */
  readonly maxAgeMs: number;
}

/** The outcome of writing a batch. */
export interface Appended {
  /** The number of its lines that are in the file, but perhaps not on the disk: all, unless there is an error. */
  readonly lines: number;
  readonly error: Error | null;
  readonly rotated: boolean;
}

interface Opened {
  readonly handle: FileHandle;
  readonly isFile: boolean;
  readonly identity: string;
  /** The time of its first record, in milliseconds since 1970. */
  readonly beganAt: number;
  size: number;
}

/** Error codes of `datasync` on a pipe or a device, which cannot be synced. */
const UNSYNCABLE = ['EINVAL', 'ENOTSUP', 'EROFS'];
/** A file that is rotated stays open until it is synced. With more such files, writes wait for the sync. */
const MAX_RETIRED = 16;

/**
 * Appends batches of lines to a file. Each batch is one write, so that several processes never mix their lines. Writes
 * follow one another; `sync` runs beside them.
 */
export class LineFile {
  readonly #path: string;
  readonly #limits: RotationLimits;
  #opened: Opened | null = null;
  /** Files that were rotated or moved, and have writes that are not synced. */
  #retired: FileHandle[] = [];
  #syncing: Promise<void> = Promise.resolve();
  /** Whether the last write ended within a line. */
  #torn = false;
  #submitted = false;

  constructor(path: string, limits: RotationLimits) {
    this.#path = path;
    this.#limits = limits;
  }

  /** Whether the current batch was handed to the system, which completes the write even if the process ends. */
  get submitted(): boolean {
    return this.#submitted;
  }

  /** Opens the file and creates its folders, readable by the owner only. */
  async open(): Promise<void> {
    if (this.#opened !== null) return;
    makeFolder(dirname(this.#path), 0o700);
    while (this.#opened === null) this.#opened = await tryToOpen(this.#path);
  }

  /** Writes lines, which then survive the end of the process. Never throws: a failure is in the result. */
  async append(lines: readonly string[]): Promise<Appended> {
    let rotated = false;
    let written = 0;
    const text = Buffer.from(`${this.#torn ? '\n' : ''}${lines.join('\n')}\n`);
    try {
      const current = await this.#current();
      rotated = await this.#rotateWhenFull(current, text.length);
      const { handle } = await this.#current();
      this.#submitted = true;
      written = (await handle.write(text)).bytesWritten;
      if (written < text.length)
        throw Object.assign(new Error('only a part was written'), { code: 'ENOSPC' });
      this.#torn = false;
      return { lines: lines.length, error: null, rotated };
    } catch (thrown) {
      const kept = written < text.length ? this.#keep(text.subarray(0, written)) : 0;
      this.#retire();
      return { lines: kept, error: thrown as Error, rotated };
    } finally {
      this.#submitted = false;
    }
  }

  /** Writes lines synchronously, for the end of the process. Returns the number of those that are in the file. */
  appendNow(lines: readonly string[]): number {
    const text = Buffer.from(`${this.#torn ? '\n' : ''}${lines.join('\n')}\n`);
    const descriptor = openSync(this.#path, 'a', 0o600);
    try {
      const written = writeSync(descriptor, text);
      fsyncSync(descriptor);
      return written === text.length ? lines.length : this.#keep(text.subarray(0, written));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Syncs every earlier write to the disk, so that it survives a crash of the machine. One call at a time. */
  sync(): Promise<void> {
    this.#syncing = this.#syncAll();
    return this.#syncing;
  }

  async close(): Promise<void> {
    this.#retire();
    await Promise.allSettled([this.#syncing]);
    await Promise.allSettled(this.#retired.map((handle) => handle.close()));
    this.#retired = [];
  }

  async #syncAll(): Promise<void> {
    const retired = this.#retired;
    this.#retired = [];
    const current = this.#opened === null ? [] : [this.#opened.handle];
    const synced = await Promise.allSettled([...retired, ...current].map(syncHandle));
    const closed = await Promise.allSettled(retired.map((handle) => handle.close()));
    const failed = [...synced, ...closed].find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #retire(): void {
    if (this.#opened !== null) this.#retired.push(this.#opened.handle);
    this.#opened = null;
  }

  /** Returns the file that is at the path now: another process or a person may have moved the previous one. */
  async #current(): Promise<Opened> {
    if (this.#opened?.isFile) {
      const found = await stat(this.#path).catch(ifMissing(null));
      if (found === null || `${found.dev}:${found.ino}` !== this.#opened.identity) this.#retire();
      else this.#opened.size = found.size;
    }
    if (this.#retired.length >= MAX_RETIRED) await Promise.allSettled([this.#syncing]);
    await this.open();
    if (this.#opened === null) throw new Error(`${this.#path} is closed`);
    return this.#opened;
  }

  async #rotateWhenFull({ isFile, size, beganAt }: Opened, more: number): Promise<boolean> {
    const { maxBytes, maxAgeMs } = this.#limits;
    const old = Date.now() - beganAt > maxAgeMs;
    if (!isFile || size === 0 || (size + more <= maxBytes && !old)) return false;
    // Another process that writes the same file may have rotated it first.
    const first = await rename(this.#path, rotatedName(this.#path, Date.now())).then(
      () => true,
      ifMissing(false),
    );
    this.#retire();
    return first;
  }

  /** Counts the lines that a write completed before it failed. */
  #keep(done: Buffer): number {
    const first = this.#torn ? 1 : 0;
    if (done.length > 0) this.#torn = done.at(-1) !== 0x0a;
    return Math.max(0, done.filter((byte) => byte === 0x0a).length - first);
  }
}

async function syncHandle(handle: FileHandle): Promise<void> {
  try {
    await handle.datasync();
  } catch (thrown) {
    if (!UNSYNCABLE.includes((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
  }
}

/** Opens a file; null if another process that writes it has rotated it in the meantime. */
async function tryToOpen(path: string): Promise<Opened | null> {
  const handle = await open(path, 'a', 0o600);
  try {
    const found = await handle.stat();
    const { dev, ino, size, birthtimeMs } = found;
    const isFile = found.isFile();
    const isThere = !isFile || size === 0 || (await repairTail(path).then(() => true, ifMissing(false)));
    if (isThere) {
      const isNew = !isFile || size === 0;
      // Some file systems have no birth time.
      const beganAt = isNew ? Date.now() : ((await firstTime(path)) ?? (birthtimeMs || Date.now()));
      return { handle, isFile, identity: `${dev}:${ino}`, beganAt, size };
    }
    await handle.close();
    return null;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** More than the longest record has. */
const MAX_HEAD = 65_536;

/** Returns the time of the first record of a file; null without one. A file may be younger, for example a copy. */
async function firstTime(path: string): Promise<number | null> {
  const file = await open(path).catch(ifMissing(null));
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEAD), 0, MAX_HEAD, 0);
    for (const line of buffer.subarray(0, bytesRead).toString('utf8').split('\n')) {
      const record = toAuditLine(line);
      if (record !== null) return Date.parse(record.timestamp);
    }
    return null;
  } finally {
    await file.close();
  }
}

/** Returns a handler for a rejected promise: a missing file gives `answer`, other failures are thrown again. */
function ifMissing<T>(answer: T): (thrown: NodeJS.ErrnoException) => T {
  return (thrown) => {
    if (thrown.code === 'ENOENT') return answer;
    throw thrown;
  };
}
