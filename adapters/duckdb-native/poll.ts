import type { PendingResult } from '@duckdb/node-bindings';

/** Most queries are done by then; looking at them on every turn of the event loop is faster than any timer. */
const SPIN_MS = 2;
const READY = 0;
const FAILED = 2;

interface Waiting {
  readonly pending: PendingResult;
  readonly since: number;
  readonly resolve: () => void;
}

type Bindings = Pick<typeof import('@duckdb/node-bindings'), 'pending_execute_check_state'>;

/** Waits until a statement that runs on the engine's own threads is done, well or not. */
export type WaitFor = (pending: PendingResult) => Promise<void>;

/** One look at all running statements at a time, however many there are. */
export function createPoll(bindings: Bindings): WaitFor {
  const running = new Set<Waiting>();
  let looking = false;

  function look(): void {
    for (const waiting of running) {
      const state: number = bindings.pending_execute_check_state(waiting.pending);
      if (state !== READY && state !== FAILED) continue;
      running.delete(waiting);
      waiting.resolve();
    }
    lookAgain();
  }

  function lookAgain(): void {
    looking = running.size > 0;
    if (!looking) return;
    const spinUntil = performance.now() - SPIN_MS;
    if ([...running].some(({ since }) => since > spinUntil)) setImmediate(look);
    else setTimeout(look, 1);
  }

  return (pending) =>
    new Promise((resolve) => {
      running.add({ pending, since: performance.now(), resolve });
      if (!looking) lookAgain();
    });
}
