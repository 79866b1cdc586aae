/** Those who want the one interpreter of an isolate, in the order in which they came. */
export interface LineUp {
  /** A place, or null where too many have one already. */
  join(limitMs: number): QueueSlot | null;
}

/** One caller's place. */
export interface QueueSlot {
  /** Whether somebody is before it. */
  readonly waits: boolean;
  /** Milliseconds until its time is over. */
  leftMs(): number;
  /** Settles when it has the interpreter: `lost`, when whoever had it never gave it back; or `late`, when its time is over. */
  begin(): Promise<'begun' | 'lost' | 'late'>;
  leave(): void;
}

interface Entry {
  readonly until: number;
  readonly left: PromiseWithResolvers<void>;
}

/** What a platform cuts off in the middle leaves nothing, and is not waited for longer than this beyond its time. */
const GRACE_MS = 5_000;

/** Nobody is in line. */
export function createLineUp(most: number, graceMs = GRACE_MS): LineUp {
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
          await within(leftMs, Promise.all(before.map((one) => goneOrLost(one, graceMs))));
          if (before.length > 0 && entry.until <= Date.now()) return 'late';
          const lost = holder !== null;
          holder = entry;
          return lost ? 'lost' : 'begun';
        },
        leave: () => leave(entry),
      };
    },
  };
}

function goneOrLost({ left, until }: Entry, graceMs: number): Promise<void> {
  return within(until + graceMs - Date.now(), left.promise);
}

/** Settles with some work, or after a time. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
