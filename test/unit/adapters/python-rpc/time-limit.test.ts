import { expect, it } from 'vitest';
import { createCurfew } from '../../../../adapters/python-rpc/time-limit.ts';

/** How often Python looks until it is told to end. */
function looksUntilSignal({ signals }: ReturnType<typeof createCurfew>, most = 10_000_000): number {
  for (let looks = 1; looks <= most; looks += 1) if (signals[0] !== 0) return looks;
  return Number.POSITIVE_INFINITY;
}

it('ends a function by the clock, where that goes on', () => {
  let now = 1_000;
  const curfew = createCurfew(() => now);
  curfew.begin(500);
  now = 1_499;
  expect([curfew.signals[0], curfew.over]).toEqual([0, false]);
  now = 1_500;
  expect([curfew.signals[0], curfew.over]).toEqual([2, true]);
});

it('ends a function by its own steps, where the clock stands still', () => {
  const curfew = createCurfew(() => 1_000);
  curfew.begin(500);
  expect(looksUntilSignal(curfew)).toBeGreaterThanOrEqual(500_000);
  expect(curfew.over).toBe(true);
});

it('leaves what handles the exception in peace for a while, and then says it again', () => {
  const curfew = createCurfew(() => 1_000);
  curfew.begin(Number.POSITIVE_INFINITY);
  expect(looksUntilSignal(curfew, 100_000)).toBe(Number.POSITIVE_INFINITY);
  curfew.strike();
  expect(curfew.signals[0]).toBe(2);
  curfew.signals[0] = 0;
  expect(looksUntilSignal(curfew)).toBeGreaterThan(1_000);
});

it('says nothing outside of calls', () => {
  let now = 0;
  const curfew = createCurfew(() => now);
  now = 1e9;
  expect(curfew.signals[0]).toBe(0);
  curfew.begin(1);
  curfew.strike();
  curfew.end();
  expect([curfew.signals[0], curfew.over]).toEqual([0, false]);
});
