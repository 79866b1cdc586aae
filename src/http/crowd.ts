import { SvcError } from '../errors.ts';

/** More would only wait for each other: at a few milliseconds each, the last one of these waits for seconds. */
export const MOST_AT_ONCE = 1_024;

/** Answers one request while not too many others are being answered; throws `busy` where they are. */
export type Enter = <T>(answer: () => Promise<T>) => Promise<T>;

/**
 * Refuses what comes while too much is being answered. A refusal costs a fraction of an answer, so that a server which is
 * offered more than it can do still does as much as it can.
 */
export function createCrowd(most: number = MOST_AT_ONCE): Enter {
  let inside = 0;
  return async (answer) => {
    if (inside >= most) throw busy();
    inside += 1;
    try {
      return await answer();
    } finally {
      inside -= 1;
    }
  };
}

function busy(): SvcError {
  return new SvcError('busy', 'The server has too much to do; try again.', { detail: { retry_after: 1 } });
}
