import { describe, expect, it, vi } from 'vitest';
import { createThreadBudget } from '../../../../../adapters/duckdb-native/driver/thread-budget.ts';

describe('budget in the pool of threads of Node', () => {
  it.each([
    [undefined, 2],
    ['', 2],
    ['72', 70],
    ['1', 1],
    ['many', 2],
  ])('of size %s are %i', (size, count) => {
    const { take } = createThreadBudget(size);
    const taken = Array.from({ length: count }, take);
    expect(taken).not.toContain(null);
    expect(take()).toBeNull();
    taken[0]?.();
    expect(take()).not.toBeNull();
  });
});

describe('statements that wait for a thread', () => {
  /** Waits `ms` with a stopped clock. */
  const withClock = async (work: (wait: (ms: number) => Promise<unknown>) => Promise<void>) => {
    vi.useFakeTimers();
    try {
      await work((ms) => vi.advanceTimersByTimeAsync(ms));
    } finally {
      vi.useRealTimers();
    }
  };

  it('get those that come free, in turn, and each thread only once', async () => {
    const budget = createThreadBudget('3');
    const first = await budget.takeSoon();
    const order: number[] = [];
    const waitAs = async (number: number) => {
      const leave = await budget.takeSoon();
      order.push(number);
      return leave;
    };
    const [second, third] = [waitAs(2), waitAs(3)];
    first?.();
    first?.();
    (await second)?.();
    (await third)?.();
    expect(order).toEqual([2, 3]);
    expect(budget.take()).not.toBeNull();
    expect(budget.take()).toBeNull();
  });

  it('stop waiting while long statements keep all threads, until one comes free', () =>
    withClock(async (wait) => {
      const budget = createThreadBudget('3');
      const long = budget.take();
      const waiting = [budget.takeSoon(), budget.takeSoon()];
      await wait(1_000);
      expect(await Promise.all(waiting)).toEqual([null, null]);
      expect(await budget.takeSoon()).toBeNull();
      long?.();
      const short = await budget.takeSoon();
      const next = budget.takeSoon();
      short?.();
      expect(await next).not.toBeNull();
    }));

  it('wait longer than a moment while others come and go', () =>
    withClock(async (wait) => {
      const budget = createThreadBudget('3');
      let leave = await budget.takeSoon();
      const turns = Array.from({ length: 10 }, () => budget.takeSoon());
      for (const turn of turns) {
        await wait(15);
        leave?.();
        leave = await turn;
        expect(leave).not.toBeNull();
      }
    }));
});
