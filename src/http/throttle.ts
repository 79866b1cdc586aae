import { SvcError } from '../errors.ts';

/** How often one client may ask. */
export interface RateLimit {
  readonly requestsPerMinute: number;
  /** How many of them may come at once after a pause. */
  readonly burst: number;
}

/** A limit as the configuration has it; null where it is taken away. */
export function toRateLimit({
  requests_per_minute,
  burst,
}: {
  readonly requests_per_minute: number;
  readonly burst: number;
}): RateLimit | null {
  return requests_per_minute === 0 ? null : { requestsPerMinute: requests_per_minute, burst };
}

/** Counts one request of a client; throws rate_limited when that is one too many. */
export type Throttle = (client: string) => void;

/** The clients seen last that are remembered; others may be, up to twice as many in all. */
const REMEMBERED = 10_000;

/** A token bucket for each client, in memory that does not grow with their number. */
export function createThrottle(
  { requestsPerMinute, burst }: RateLimit,
  now: () => number = () => performance.now(),
  remembered: number = REMEMBERED,
): Throttle {
  const cost = 60_000 / requestsPerMinute;
  const capacity = cost * burst;
  // A bucket is the time at which it is full again: one number, and none for a client that has long been quiet.
  let young = new Map<string, number>();
  let old = young;
  return (client) => {
    const time = now();
    const known = young.get(client) ?? old.get(client) ?? time;
    // No further ahead than an empty bucket is, should the clock be set back.
    const full = Math.min(Math.max(known, time), time + capacity);
    const wait = full + cost - time - capacity;
    if (young.size >= remembered && !young.has(client)) {
      old = young;
      young = new Map();
    }
    young.set(client, wait > 0 ? full : full + cost);
    if (wait > 0) throw tooMany(Math.ceil(wait / 1000));
  };
}

function tooMany(seconds: number): SvcError {
  const message = `Too many requests; try again in ${seconds} s.`;
  return new SvcError('rate_limited', message, { detail: { retry_after: seconds } });
}
