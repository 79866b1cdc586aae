import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** The pause between two rounds. Without it, the loop would occupy a whole core, and the tested calls would wait for it. */
const PAUSE_MS = 5;

/**
 * Does something again and again, at least once, until it is stopped or its test has ended. Work that a failed test leaves
 * behind would fail at once each time, so nothing else of its process would run any more.
 */
export function repeat(work: (round: number) => Promise<unknown>): { stop(): Promise<void> } {
  let going = true;
  onTestFinished(() => {
    going = false;
  });
  const run = async (): Promise<void> => {
    let round = 0;
    do {
      await work(round);
      round += 1;
      await setTimeout(PAUSE_MS);
    } while (going);
  };
  const ended = run();
  // `stop` gives the error to the test.
  ended.catch(() => undefined);
  return {
    stop: () => {
      going = false;
      return ended;
    },
  };
}
