/** The result of one test; `error` means that the call failed and no failure was expected. */
export type TestResult = {
  readonly name: string;
  readonly description?: string;
  readonly status: 'passed' | 'failed' | 'error';
  readonly error?: string;
  readonly time_ms: number;
};

/** The tests of one endpoint; `error` is the reason why they could not run. */
export type EndpointReport = {
  /** `kind/name`; the name is `?` if the file cannot be parsed. */
  readonly endpoint: string;
  /** The YAML file, relative to the project's root. */
  readonly path: string;
  readonly error?: string;
  readonly tests: readonly TestResult[];
};

/** The report of `svc test`. */
export type TestReport = {
  readonly status: 'ok' | 'failed' | 'error';
  readonly tests_run: number;
  readonly endpoints: readonly EndpointReport[];
};

/** Combines all reports to one. An error is worse than a failure. */
export function toTestReport(endpoints: readonly EndpointReport[]): TestReport {
  const tests = endpoints.flatMap((endpoint) => endpoint.tests);
  const broken = endpoints.some(({ error }) => error !== undefined);
  const failed = tests.some(({ status }) => status === 'failed');
  const status = broken || tests.some((test) => test.status === 'error') ? 'error' : failed ? 'failed' : 'ok';
  return { status, tests_run: tests.length, endpoints };
}
