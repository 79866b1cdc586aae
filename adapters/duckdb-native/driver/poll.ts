import type { PendingResult } from '@duckdb/node-bindings';
import type { ThreadBudget } from './thread-budget.ts';

/** Most queries are done by then; looking at them on every turn of the event loop is faster than any timer. */
const SPIN_MS = 2;
/** DuckDB's threads always take the longest line next, so what is still not done may never have its turn there. */
const PATIENCE_MS = 10;
const READY = 0;
const FAILED = 2;

interface Waiting {
  readonly pending: PendingResult;
  readonly since: number;
  readonly resolve: (leave: () => void) => void;
}

type Bindings = Pick<typeof import('@duckdb/node-bindings'), 'pending_execute_check_state'>;

/**
 * Waits until a statement that runs on the engine's own threads is done, well or not, or until it has a thread of its
 * own to go on with; what is answered must be called when its result is there.
 */
export type WaitFor = (pending: PendingResult) => Promise<() => void>;

/** One look at all running statements at a time, however many there are. */
export function createPoll(bindings: Bindings, budget: ThreadBudget): WaitFor {
  const running = new Set<Waiting>();
  let unfinished = 0;
  let looking = false;

  function look(): void {
    // One alone has all of DuckDB's threads, and another beside them would only be in their way.
    const impatient = unfinished > 1 ? performance.now() - PATIENCE_MS : Number.NEGATIVE_INFINITY;
    for (const waiting of running) {
      const state: number = bindings.pending_execute_check_state(waiting.pending);
      const done = state === READY || state === FAILED;
      const leave = done ? () => {} : waiting.since < impatient ? budget.take() : null;
      if (leave !== null) goOn(waiting, leave);
    }
    lookAgain();
  }

  function goOn(waiting: Waiting, leave: () => void): void {
    running.delete(waiting);
    waiting.resolve(() => {
      unfinished -= 1;
      leave();
    });
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
      unfinished += 1;
      running.add({ pending, since: performance.now(), resolve });
      if (!looking) lookAgain();
    });
}
