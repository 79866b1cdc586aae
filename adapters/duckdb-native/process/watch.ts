import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { COMMITS, MEMORY_REPORT, STATEMENTS, type WatchSetup } from './messages.ts';

/** Memory grows by up to about 2 GB a second, so this allows about 40 MB above the limit. */
const EVERY_MS = 20;

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
    // A commit takes a few milliseconds, and its outcome would be unknown.
    const commits = Atomics.load(running, COMMITS);
    if (commits > 0) Atomics.wait(running, COMMITS, commits, EVERY_MS);
    writeSync(MEMORY_REPORT, 'memory');
    end();
  }
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
