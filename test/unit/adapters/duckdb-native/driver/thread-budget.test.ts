import { describe, expect, it } from 'vitest';
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
