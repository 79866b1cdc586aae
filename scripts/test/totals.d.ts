/** Runs the steps of two sides; see totals.js. */
export function runSides<Step, Result>(
  steps: readonly Step[],
  beside: readonly Step[],
  run: (step: Step) => Promise<Result>,
): Promise<readonly Result[]>;
