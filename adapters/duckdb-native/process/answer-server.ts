import { Worker } from 'node:worker_threads';
import { toPlainError, toSvcError } from '../../../src/errors.ts';
import type { SqlResult } from '../../../src/ports.ts';
import { loadDriver } from '../driver/driver.ts';
import { openNative } from '../open.ts';
import type { NativeDatabase, OnCommit } from '../query/database.ts';
import type { LimitedWork } from '../query/limits.ts';
import {
  COMMITS,
  type EngineTask,
  type FromProcess,
  STATEMENTS,
  type ToProcess,
  type WatchSetup,
} from './messages.ts';
import { packResult } from './packed-result.ts';

type Start = Extract<ToProcess, { kind: 'start' }>;

/** A terminal and a supervisor send these to the whole group; the server decides when its engines end. */
const SERVERS_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the statements of the server that started this process, until the server ends. */
export function answerServer(entry: URL): void {
  for (const signal of SERVERS_SIGNALS) process.on(signal, () => {});
  const running = new Int32Array(new SharedArrayBuffer(8));
  const stops = new Map<number, AbortController>();
  const commits = new Map<number, () => void>();
  const databases = new Map<number, NativeDatabase>();
  let watched = false;
  // A spare process is then ready. `open` reports a failure.
  loadDriver().catch(() => {});

  // Committed writes are in the log beside the file, so the kill loses nothing.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

  function watch(mostBytes: number): void {
    if (watched) return;
    watched = true;
    const workerData: WatchSetup = { server: process.ppid, mostBytes, running };
    new Worker(entry, { workerData, execArgv: [], name: 'watch' }).unref();
  }

  /** Two databases of one file that is written share the engine. */
  async function open({ database, options, mostBytes }: Extract<ToProcess, { kind: 'open' }>): Promise<void> {
    watch(mostBytes);
    try {
      databases.set(database, await openNative(options));
      post({ kind: 'opened', database });
    } catch (thrown) {
      post({ kind: 'unopened', database, error: toPlainError(toSvcError(thrown)) });
    }
  }

  function count(slot: number, by: number): void {
    Atomics.add(running, slot, by);
    Atomics.notify(running, slot);
  }

  async function start(opened: NativeDatabase, message: Start): Promise<void> {
    const { id } = message;
    const stop = new AbortController();
    stops.set(id, stop);
    count(STATEMENTS, 1);
    let committing = false;
    const onCommit: OnCommit = {
      ready: () =>
        new Promise((resolve) => {
          commits.set(id, resolve);
          stop.signal.addEventListener('abort', () => resolve(), { once: true });
          post({ kind: 'ready', id });
        }),
      committing: async () => {
        if (!committing) count(COMMITS, 1);
        committing = true;
        await posted({ kind: 'committing', id });
      },
    };
    const { answer, ended } = begin(opened, message, stop.signal, onCommit);
    try {
      const result = packResult(await answer);
      // The process may end as soon as it commits nothing.
      await (committing ? posted : post)({ kind: 'done', id, result });
    } catch (thrown) {
      post({ kind: 'failed', id, error: toPlainError(toSvcError(thrown)) });
      await ended;
      post({ kind: 'ended', id });
    } finally {
      if (committing) count(COMMITS, -1);
      count(STATEMENTS, -1);
      stops.delete(id);
      commits.delete(id);
    }
  }

  async function close(database: number): Promise<void> {
    await databases.get(database)?.close();
    databases.delete(database);
    post({ kind: 'closed', database });
  }

  process.on('message', (message: ToProcess) => {
    if (message.kind === 'open') void open(message);
    else if (message.kind === 'cancel') stops.get(message.id)?.abort();
    else if (message.kind === 'commit') commits.get(message.id)?.();
    else if (message.kind === 'close') void close(message.database);
    else {
      const opened = databases.get(message.database);
      if (opened !== undefined) void start(opened, message);
    }
  });
}

function begin(
  database: NativeDatabase,
  { task, caller, timeoutMs }: Start,
  signal: AbortSignal,
  onCommit: OnCommit,
): LimitedWork<SqlResult> {
  if (task.kind === 'prepare') return prepare(database, task);
  return database.start(task.request, { caller, timeoutMs, signal }, onCommit);
}

function prepare(
  database: NativeDatabase,
  { sql, mode }: Extract<EngineTask, { kind: 'prepare' }>,
): LimitedWork<SqlResult> {
  const answer = database.prepare(sql, mode).then(toEmptyResult);
  return {
    answer,
    ended: answer.then(
      () => {},
      () => {},
    ),
  };
}

/** The names of a planned statement as a result without rows, which is what an engine's process answers with. */
function toEmptyResult(names: readonly string[]): SqlResult {
  return { columns: names.map((name) => ({ name, type: '' })), rows: [], truncated: false };
}

function post(message: FromProcess): void {
  process.send?.(message);
}

/** Resolves when the operating system has the message: it then arrives, even if this process ends. */
function posted(message: FromProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (failed) => (failed ? reject(failed) : resolve()));
  });
}
