/** The results of a run of vitest. Each name is a failure, with its file and the first lines of its error. */
export interface Results {
  readonly passed: number;
  readonly failed: number;
  readonly crashed: boolean;
  readonly names: readonly string[];
}

export function resultsOf(run: {
  /** The path of vitest's JSON report. */
  readonly report: string;
  /** The path of what `unhandled-reporter.js` wrote. */
  readonly unhandled: string;
  readonly status: number | null;
}): Results;
