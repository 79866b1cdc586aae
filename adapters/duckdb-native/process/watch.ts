import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { MEMORY_REPORT, type WatchSetup } from './messages.ts';

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
    Atomics.wait(running, 0, 0);
    Atomics.wait(pause, 0, 0, EVERY_MS);
    if (process.ppid !== server && process.platform !== 'win32') end();
    if (process.memoryUsage.rss() <= mostBytes) continue;
    writeSync(MEMORY_REPORT, 'memory');
    end();
  }
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
