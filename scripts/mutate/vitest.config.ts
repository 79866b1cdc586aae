import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// As in the tests of the whole tree.
process.env.UV_THREADPOOL_SIZE ??= '72';

// Each request costs the same for every change that it reaches.
process.env.SVC_TEST_DIRECT_REQUESTS ??= '300';

/** Tests that take seconds run last: most changes are noticed before them. */
class FastFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification) => Number(/limits|direct/.test(moduleId));
    return files.toSorted(
      (one, other) => weight(one) - weight(other) || (one.moduleId < other.moduleId ? -1 : 1),
    );
  }
}

/** The tests that a mutation run asks; `scripts/mutate.ts` names them. */
export default defineConfig({
  test: {
    include: (process.env.SVC_MUTATE_TESTS ?? '').split(';'),
    // One starts a program, one measures time, and one reaches every line for seconds and asks little.
    exclude: ['**/workerd.test.ts', '**/cost.test.ts', '**/cel/endless.test.ts'],
    // One process for all of them: starting one takes longer than most tests.
    isolate: false,
    sequence: { sequencer: FastFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
