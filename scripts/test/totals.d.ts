/** The processor time of this program and of those that ended below it, in seconds; see totals.js. */
export function processorSeconds(): number | null;

/** Runs the steps of two sides; see totals.js. */
export function runSides<Step, Result>(
  steps: readonly Step[],
  beside: readonly Step[],
  run: (step: Step) => Promise<Result>,
): Promise<readonly Result[]>;
