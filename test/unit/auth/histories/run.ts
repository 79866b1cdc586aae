import fc from 'fast-check';
import { seedOfPart } from '../../../seed-of-part.ts';
import { type Counts, play } from './play.ts';
import { histories } from './steps.ts';
import type { OpenShared } from './world.ts';

/** What a run of histories is asked for. */
export interface Asked {
  /** The least number of steps of all histories together. */
  readonly steps: number;
  readonly seed: number;
  /** The most steps of one history. */
  readonly most?: number;
}

export interface Report {
  readonly histories: number;
  readonly steps: number;
  readonly counts: Counts;
}

/** Histories in a row before the steps are counted. */
const BATCH = 5;

/**
 * Plays generated histories over stores that `open` opens anew for each. Throws the first broken promise with the shortest
 * history that breaks it. The same seed gives the same histories.
 */
export async function playHistories(
  open: () => Promise<OpenShared>,
  { steps, seed, most = 100 }: Asked,
): Promise<Report> {
  const report = { histories: 0, steps: 0, counts: {} as Counts };
  for (let batch = 0; report.steps < steps; batch += 1) {
    const property = fc.asyncProperty(histories(most), async (history) => {
      report.histories += 1;
      report.steps += history.length;
      await play(await open(), history, report.counts);
    });
    await fc.assert(property, { seed: seedOfPart(seed, batch), numRuns: BATCH });
  }
  return report;
}
