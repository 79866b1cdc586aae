import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Database, Log, SqlCall, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { MEMORY_PATH } from '../../../src/project/attachment.ts';
import { openNative } from '../open.ts';
import type { NativeOptions } from '../options.ts';
import { EngineHost } from './engine-host.ts';

/** The memory of the process besides DuckDB's buffers: the program, results, and values while they are calculated. */
export const OVERHEAD_MB = 512;

/** DuckDB's own default for its memory limit. */
const DEFAULT_SHARE = 0.8;
const MEGABYTE = 1024 * 1024;

/** The deadline of `prepare`, in milliseconds. Its callers pass none. */
const PREPARE_TIMEOUT_MS = 30_000;

/** The processes that hold a file for writing. A reload opens the file again in the same process. */
const writers = new Map<string, EngineHost>();

/** Opens a database whose engine is a process of its own. The log says when the process ended and why. */
export async function openProcess(native: NativeOptions, log?: Log): Promise<ProcessDatabase> {
  const key = writerKey(native);
  const host = (key === null ? undefined : writers.get(key)) ?? createHost(native, key, log);
  const id = await host.add(native);
  // It had left if its last database was just being closed.
  if (key !== null) writers.set(key, host);
  return new ProcessDatabase(host, id, native.readonly);
}

function createHost(
  { memoryMb = defaultMegabytes() }: NativeOptions,
  key: string | null,
  log: Log | undefined,
): EngineHost {
  const host = new EngineHost({
    entry: entryBeside(import.meta.url),
    mostBytes: (memoryMb + OVERHEAD_MB) * MEGABYTE,
    onEmpty: () => {
      if (key !== null && writers.get(key) === host) writers.delete(key);
    },
    ...(log === undefined ? {} : { log }),
  });
  if (key !== null) writers.set(key, host);
  return host;
}

/** Returns the key under which writers share a process: the path, or the attached databases if in memory; null for readers. */
function writerKey({ path, readonly, attach = [] }: NativeOptions): string | null {
  if (readonly) return null;
  if (path !== MEMORY_PATH) return resolve(path);
  return attach.length === 0 ? null : JSON.stringify(attach);
}

/**
 * Opens a database for a project whose callers write SQL. A file that is only read is opened twice: the project's own
 * statements run in this process, and callers' statements in another. A file takes one process that writes, so then all
 * statements run in the other process.
 */
export async function openForCallers(native: NativeOptions, log?: Log): Promise<Database> {
  if (!native.readonly) return openProcess(native, log);
  const [own, callers] = await openBoth(native, log);
  return new DividedDatabase(own, callers);
}

async function openBoth(native: NativeOptions, log?: Log): Promise<readonly [Database, Database]> {
  const own = await openNative(native);
  try {
    return [own, await openProcess(native, log)];
  } catch (thrown) {
    await own.close();
    throw thrown;
  }
}

/** One database in two engines: one for the project's statements, one for those that callers wrote. */
class DividedDatabase implements Database {
  readonly engine = 'duckdb-native';
  readonly readonly = true;
  readonly unchanging: boolean;
  readonly #own: Database;
  readonly #callers: Database;

  constructor(own: Database, callers: Database) {
    this.#own = own;
    this.unchanging = own.unchanging === true;
    this.#callers = callers;
  }

  run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return (request.confined === true ? this.#callers : this.#own).run(request, call);
  }

  prepare(sql: string, mode: SqlRequest['mode']): Promise<readonly string[]> {
    return this.#own.prepare(sql, mode);
  }

  async close(): Promise<void> {
    await Promise.all([this.#own.close(), this.#callers.close()]);
  }
}

function defaultMegabytes(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.floor((bytes * DEFAULT_SHARE) / MEGABYTE);
}

/** The entry beside a program, in TypeScript or JavaScript as the program is. */
function entryBeside(program: string): URL {
  return new URL(program.endsWith('.ts') ? './engine-process.ts' : './engine-process.js', program);
}

/** A database whose engine is in a process of its own. */
export class ProcessDatabase implements Database {
  readonly engine = 'duckdb-native';
  readonly readonly: boolean;
  readonly #host: EngineHost;
  readonly #id: number;

  constructor(host: EngineHost, id: number, readonly: boolean) {
    this.#host = host;
    this.#id = id;
    this.readonly = readonly;
  }

  /** The process that runs statements now; null while another one starts. */
  get pid(): number | null {
    return this.#host.pid;
  }

  async run(request: SqlRequest, call: SqlCall): Promise<SqlResult> {
    return this.#host.submit(this.#id, { kind: 'run', request }, call);
  }

  async prepare(sql: string, mode: SqlRequest['mode']): Promise<readonly string[]> {
    const call = { caller: null, signal: new AbortController().signal, timeoutMs: PREPARE_TIMEOUT_MS };
    const { columns } = await this.#host.submit(this.#id, { kind: 'prepare', sql, mode }, call);
    return columns.map(({ name }) => name);
  }

  close(): Promise<void> {
    return this.#host.remove(this.#id);
  }
}
