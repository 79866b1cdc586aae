import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { COMMITS, MEMORY_REPORT, STATEMENTS, type WatchSetup } from './messages.ts';

/** Memory grows by up to about 2 GB a second, so this allows about 40 MB above the limit. */
const EVERY_MS = 20;
/** A commit takes a few milliseconds, but a busy disk or processor may hold it up. */
const COMMIT_MS = 1_000;
const COMMIT_EVERY_MS = 5;
/** What other statements may take above the limit until a commit has ended. */
const COMMIT_BYTES = 128 * 1024 * 1024;

/**
 * Ends the process, while statements run, when it has too much memory or the server is gone. A thread does this, because
 * planning may block the main thread. It sleeps while no statement runs.
 */
export function watchProcess(): never {
  const { server, mostBytes, running }: WatchSetup = workerData;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(running, STATEMENTS, 0);
    Atomics.wait(pause, 0, 0, EVERY_MS);
    if (process.ppid !== server && process.platform !== 'win32') end();
    if (process.memoryUsage.rss() <= mostBytes) continue;
    awaitCommit(running, mostBytes + COMMIT_BYTES);
    writeSync(MEMORY_REPORT, 'memory');
    end();
  }
}

/** Waits while a commit runs, whose outcome would be unknown. The memory bounds the wait, and so does the time. */
function awaitCommit(running: WatchSetup['running'], mostBytes: number): void {
  const commits = Atomics.load(running, COMMITS);
  const latest = performance.now() + COMMIT_MS;
  while (commits > 0 && performance.now() < latest && process.memoryUsage.rss() <= mostBytes)
    if (Atomics.wait(running, COMMITS, commits, COMMIT_EVERY_MS) !== 'timed-out') return;
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
