import { writeFileSync } from 'node:fs';

/** A reporter of vitest: writes the errors from outside of all tests to SVC_TEST_UNHANDLED. Its JSON report has none of them. */
export default class UnhandledReporter {
  onTestRunEnd(_modules, errors) {
    const kept = errors.map((error) => ({
      file: error.VITEST_TEST_PATH ?? null,
      test: error.VITEST_TEST_NAME ?? null,
      type: error.type ?? 'Unhandled Error',
      stack: error.stack || `${error.name}: ${error.message}`,
    }));
    writeFileSync(process.env.SVC_TEST_UNHANDLED, JSON.stringify(kept));
  }
}
