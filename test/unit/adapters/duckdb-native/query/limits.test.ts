import { expect, it } from 'vitest';
import { type Limits, withinLimits } from '../../../../../adapters/duckdb-native/query/limits.ts';
import { SvcError } from '../../../../../src/errors.ts';

const UNKNOWN = new SvcError('outcome_unknown', 'nobody knows');

/** Work that begins to commit and ends when it is told to. */
function startCommit(overdue?: SvcError) {
  const { promise: committed, resolve: end } = Promise.withResolvers<string>();
  const cancel = new AbortController();
  let interrupts = 0;
  const started = withinLimits({ signal: cancel.signal, timeoutMs: 50 }, async (limits: Limits) => {
    limits.begin();
    limits.onStop(() => {
      interrupts += 1;
    });
    limits.commit(overdue);
    return committed;
  });
  const state = { settled: false };
  const outcome = started.answer
    .catch((thrown: unknown) => thrown)
    .finally(() => {
      state.settled = true;
    });
  return { ...started, outcome, state, end, cancel: () => cancel.abort(), interrupts: () => interrupts };
}

const afterDeadline = () => new Promise((resolve) => setTimeout(resolve, 300));

it('a commit of the database itself is waited for beyond the deadline', async () => {
  const { outcome, state, end, interrupts } = startCommit();
  await afterDeadline();
  expect({ ...state, interrupts: interrupts() }).toEqual({ settled: false, interrupts: 0 });
  end('saved');
  expect(await outcome).toBe('saved');
});

it('nobody waits beyond the deadline for the commit of a server, and others learn that it was left', async () => {
  const { outcome, ended, end, interrupts } = startCommit(UNKNOWN);
  expect(await outcome).toBe(UNKNOWN);
  expect(interrupts()).toBeGreaterThan(0);
  end('saved');
  await ended;
});

it('a cancellation ends no commit', async () => {
  const { outcome, state, end, cancel } = startCommit(UNKNOWN);
  cancel();
  await Promise.resolve();
  expect(state.settled).toBe(false);
  end('saved');
  expect(await outcome).toBe('saved');
});
