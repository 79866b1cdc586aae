import type { PendingResult } from '@duckdb/node-bindings';
import type { ThreadBudget } from './thread-budget.ts';

/** Most queries finish within this time. Polling them on every turn of the event loop is faster than any timer. */
const SPIN_MS = 2;
/** After this time a query among others gets a thread of its own: DuckDB's scheduler prefers the longest queue and may never reach it. */
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
 * Waits until a statement on the engine's own threads has finished or failed, or until it may continue on a thread of
 * Node's pool. The caller must call the returned function when it has the result.
 */
export type WaitFor = (pending: PendingResult) => Promise<() => void>;

/** Creates the poll of all running statements: one timer, however many there are. */
export function createPoll(bindings: Bindings, budget: ThreadBudget): WaitFor {
  const running = new Set<Waiting>();
  let unfinished = 0;
  let looking = false;

  function look(): void {
    // A statement that is alone soon gets the thread too: DuckDB's own threads are one fewer than the cores.
    const impatient = performance.now() - (unfinished > 1 ? PATIENCE_MS : SPIN_MS);
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
