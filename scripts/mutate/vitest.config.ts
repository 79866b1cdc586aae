import { defineConfig } from 'vitest/config';

// As in the tests of the whole tree.
process.env.UV_THREADPOOL_SIZE ??= '72';

/** The tests that a mutation run asks; `scripts/mutate.ts` names them. */
export default defineConfig({
  test: {
    include: (process.env.SVC_MUTATE_TESTS ?? '').split(';'),
    // One starts a program, the other measures time.
    exclude: ['**/workerd.test.ts', '**/cost.test.ts'],
    // One process for all of them: starting one takes longer than most tests.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
