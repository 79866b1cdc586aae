import type { User } from '../context.ts';
import { SvcError } from '../errors.ts';
import { toNetwork } from './network.ts';

/** The number of requests that one client may send. */
export interface RateLimit {
  readonly requestsPerMinute: number;
  /** The number of requests that may come at once after a pause. */
  readonly burst: number;
}

/** Converts a configured limit; null if 0 removes it. */
export function toRateLimit({
  requests_per_minute,
  burst,
}: {
  readonly requests_per_minute: number;
  readonly burst: number;
}): RateLimit | null {
  return requests_per_minute === 0 ? null : { requestsPerMinute: requests_per_minute, burst };
}

/** Counts one request of a client; throws rate_limited above the limit. */
type Throttle = (client: string) => void;

/** The least number of recent clients whose counts are kept. At most twice as many are. */
const REMEMBERED = 10_000;

/** Sums of times with fractions are wrong by less than this, in milliseconds. */
const ROUNDING = 0.001;

/** Keeps a token bucket for each client, in memory that does not grow with the number of clients. */
export function createThrottle(
  { requestsPerMinute, burst }: RateLimit,
  now: () => number = () => performance.now(),
  remembered: number = REMEMBERED,
): Throttle {
  const cost = 60_000 / requestsPerMinute;
  const capacity = cost * burst;
  // A bucket is the time at which it is full again: one number, and none for a client that has paused for long.
  let young = new Map<string, number>();
  let old = young;
  return (client) => {
    const time = now();
    const cached = young.get(client) ?? old.get(client) ?? time;
    // The upper bound is an empty bucket, in case the clock was set back.
    const full = Math.min(Math.max(cached, time), time + capacity);
    const wait = full - time + cost - capacity;
    if (young.size >= remembered && !young.has(client)) {
      old = young;
      young = new Map();
    }
    const refused = wait > ROUNDING;
    young.set(client, refused ? full : full + cost);
    if (refused) throw tooMany(Math.ceil(wait / 1000));
  };
}

function tooMany(seconds: number): SvcError {
  const message = `Too many requests; try again in ${seconds} s.`;
  return new SvcError('rate_limited', message, { detail: { retry_after: seconds } });
}

/** Counts a request by its API key, its user, or else its network address. Throws rate_limited. */
export type CountRequest = (user: User | null, address: string | undefined) => void;

/** Counts the requests of one server, on all its paths together. A changed limit starts new counts. */
export function createRequestCount(rateLimit: () => RateLimit | null): CountRequest {
  let held: { readonly limit: RateLimit; readonly throttle: Throttle } | null = null;
  return (user, address) => {
    const limit = rateLimit();
    if (limit === null) return;
    if (held?.limit !== limit) held = { limit, throttle: createThrottle(limit) };
    if (user?.apiKey !== undefined) held.throttle(`key ${user.apiKey}`);
    else if (user !== null) held.throttle(`user ${user.provider ?? ''} ${user.id}`);
    // Clients without an address cannot be told apart, and one of them must not block the others.
    else if (address !== undefined) held.throttle(`address ${toNetwork(address)}`);
  };
}
