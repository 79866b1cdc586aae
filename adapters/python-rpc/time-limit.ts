/** When a function has to end, and what tells the interpreter so while it runs. */
export interface Curfew {
  /** For CPython, which looks at the first element between its own steps, and raises KeyboardInterrupt for a signal. */
  readonly signals: { 0: number };
  /** Whether the time of the call is over. */
  readonly over: boolean;
  begin(limitMs: number): void;
  /** The time is over, whatever the clock says. */
  strike(): void;
  end(): void;
}

const SIGINT = 2;
/** Of CPython's looks, more than it takes in a millisecond anywhere: about 450 where this was measured. */
const LOOKS_IN_MS = 1_000;
/** Looks between one signal and the next: what handles the exception must come to its end. */
const LOOKS_OF_PEACE = 10_000;

/** Ends functions in time, also where the clock stands still as long as nothing is waited for, as in a Worker. */
export function createCurfew(now: () => number = Date.now): Curfew {
  let until = Number.POSITIVE_INFINITY;
  let seen = 0;
  let looks = 0;
  let peace = 0;
  const isOver = (): boolean => {
    const time = now();
    looks = time === seen ? looks + 1 : 0;
    seen = time;
    return time + looks / LOOKS_IN_MS >= until;
  };
  const look = (): number => {
    if (until !== Number.NEGATIVE_INFINITY && !isOver()) return 0;
    until = Number.NEGATIVE_INFINITY;
    peace = peace === 0 ? LOOKS_OF_PEACE : peace - 1;
    return peace === LOOKS_OF_PEACE ? SIGINT : 0;
  };
  return {
    signals: {
      get 0() {
        return look();
      },
      // CPython takes the signal back, and the time stays over.
      set 0(_taken) {},
    },
    get over() {
      return until === Number.NEGATIVE_INFINITY;
    },
    begin(limitMs) {
      until = now() + limitMs;
      peace = 0;
    },
    strike() {
      until = Number.NEGATIVE_INFINITY;
    },
    end() {
      until = Number.POSITIVE_INFINITY;
    },
  };
}
