/** The queue for the one interpreter of an isolate, in order of arrival. */
export interface CallQueue {
  /** Adds a call; null if the queue is full. */
  join(limitMs: number): QueueSlot | null;
}

/** The place of one call in the queue. */
export interface QueueSlot {
  /** Whether other calls come first. */
  readonly waits: boolean;
  /** Returns the milliseconds until the time of the call is over. */
  leftMs(): number;
  /**
   * Resolves when the call has the interpreter, with `lost` if the previous call never gave it back; with `late`
   * when its time is over.
   */
  begin(): Promise<'begun' | 'lost' | 'late'>;
  leave(): void;
}

interface Entry {
  readonly until: number;
  readonly left: PromiseWithResolvers<void>;
}

/** The platform may cut off a call without notice. The queue waits for it this long after its time is over. */
const GRACE_MS = 5_000;

/** Creates an empty queue for at most `most` calls. */
export function createCallQueue(most: number, graceMs = GRACE_MS): CallQueue {
  let line: readonly Entry[] = [];
  let holder: Entry | null = null;
  const leave = (entry: Entry): void => {
    line = line.filter((one) => one !== entry);
    if (holder === entry) holder = null;
    entry.left.resolve();
  };
  return {
    join(limitMs) {
      const now = Date.now();
      line = line.filter(({ until }) => until + graceMs > now);
      if (line.length >= most) return null;
      const before = line;
      const entry: Entry = { until: now + limitMs, left: Promise.withResolvers() };
      line = [...line, entry];
      return {
        waits: before.length > 0,
        leftMs: () => entry.until - Date.now(),
        async begin() {
          const leftMs = entry.until - Date.now();
          const inTime = await within(leftMs, Promise.all(before.map((one) => goneOrLost(one, graceMs))));
          if (before.length > 0 && !inTime) return 'late';
          const lost = holder !== null;
          holder = entry;
          return lost ? 'lost' : 'begun';
        },
        leave: () => leave(entry),
      };
    },
  };
}

function goneOrLost({ left, until }: Entry, graceMs: number): Promise<boolean> {
  return within(until + graceMs - Date.now(), left.promise);
}

/**
 * Resolves when the work has ended or the time has passed; false if the time passed first. The clock cannot tell,
 * because a timer may fire a millisecond early.
 */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const inTime = await Promise.race([work.then(() => true), promise]);
  clearTimeout(timer);
  return inTime;
}
