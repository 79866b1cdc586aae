/** The time limit of a function, with the signal that interrupts the interpreter. */
export interface Curfew {
  /** CPython reads the first element between its own steps, and raises KeyboardInterrupt for a signal. */
  readonly signals: { 0: number };
  /** Whether the time of the call is over. */
  readonly over: boolean;
  begin(limitMs: number): void;
  /** Ends the time now, whatever the clock shows. */
  strike(): void;
  end(): void;
}

const SIGINT = 2;
/** An upper limit for CPython's reads in a millisecond; about 450 were measured. */
const READS_IN_MS = 1_000;
/** Reads between two signals, so that code which handles the exception can finish. */
const READS_BETWEEN = 10_000;

/**
 * Creates a time limit that also works in a Worker, whose clock stands still while code runs: it counts reads
 * too.
 */
export function createCurfew(now: () => number = Date.now): Curfew {
  let until = Number.POSITIVE_INFINITY;
  let seen = 0;
  let reads = 0;
  let pause = 0;
  const isOver = (): boolean => {
    const time = now();
    reads = time === seen ? reads + 1 : 0;
    seen = time;
    return time + reads / READS_IN_MS >= until;
  };
  const read = (): number => {
    if (until !== Number.NEGATIVE_INFINITY && !isOver()) return 0;
    until = Number.NEGATIVE_INFINITY;
    pause = pause === 0 ? READS_BETWEEN : pause - 1;
    return pause === READS_BETWEEN ? SIGINT : 0;
  };
  return {
    signals: {
      get 0() {
        return read();
      },
      // CPython takes the signal back, and the time stays over.
      set 0(_taken) {},
    },
    get over() {
      return until === Number.NEGATIVE_INFINITY;
    },
    begin(limitMs) {
      until = now() + limitMs;
      pause = 0;
    },
    strike() {
      until = Number.NEGATIVE_INFINITY;
    },
    end() {
      until = Number.POSITIVE_INFINITY;
    },
  };
}
