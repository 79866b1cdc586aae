/** Runs work one at a time, in the order it was asked for. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** A line of its own: each piece of work begins when the one before has ended, well or not. */
export function createTurns(): TakeTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
}
