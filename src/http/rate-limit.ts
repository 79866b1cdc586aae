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

/** The requests of each client. */
interface Throttle {
  /** Counts one request. Throws rate_limited above the limit. */
  count(client: string): void;
  /** The milliseconds until the client may send this many requests at once. */
  wait(client: string, requests: number): number;
}

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
  const fullAt = (client: string, time: number) => {
    const cached = young.get(client) ?? old.get(client) ?? time;
    // The upper bound is an empty bucket, in case the clock was set back.
    return Math.min(Math.max(cached, time), time + capacity);
  };
  const waitAt = (full: number, time: number, requests: number) => {
    const wait = full - time + cost * requests - capacity;
    return wait > ROUNDING ? wait : 0;
  };
  return {
    count: (client) => {
      const time = now();
      const full = fullAt(client, time);
      if (young.size >= remembered && !young.has(client)) {
        old = young;
        young = new Map();
      }
      const wait = waitAt(full, time, 1);
      young.set(client, wait > 0 ? full : full + cost);
      if (wait > 0) throw tooMany(wait);
    },
    wait: (client, requests) => {
      const time = now();
      return waitAt(fullAt(client, time), time, requests);
    },
  };
}

function tooMany(wait: number): SvcError {
  const seconds = Math.ceil(wait / 1000);
  const message = `Too many requests; try again in ${seconds} s.`;
  return new SvcError('rate_limited', message, { detail: { retry_after: seconds } });
}

/** Counts a request by its API key, its user, or else its network address. Throws rate_limited. */
export type CountRequest = (user: User | null, address: string | undefined) => void;

/** The counts of one server's requests, on all its paths together. */
export interface RequestCounts {
  readonly count: CountRequest;
  /**
   * Identifies the sender of a request from this address, and counts the request if that fails. The check awaits `admit`
   * before it asks another server about the sender. It throws rate_limited if failures have used up the limit of the address.
   */
  identify<T>(address: string | undefined, check: (admit: () => Promise<void>) => Promise<T>): Promise<T>;
}

/** Creates the counts of a server; null for no limit. */
export function createRequestCounts(limit: RateLimit | null): RequestCounts {
  const throttle = limit && createThrottle(limit);
  const count: CountRequest = (user, address) => {
    const client = throttle && clientOf(user, address);
    if (client !== null) throttle?.count(client);
  };
  const openTurn = createTurns(throttle);
  return {
    count,
    identify: async (address, check) => {
      const turn = openTurn(address);
      try {
        return await check(turn.begin);
      } catch (thrown) {
        count(null, address);
        throw thrown;
      } finally {
        turn.end();
      }
    },
  };
}

/** The name of a client. Null without an address: such clients cannot be told apart, and one must not block the others. */
export function clientOf(user: User | null, address: string | undefined): string | null {
  if (user?.apiKey !== undefined) return `key ${user.apiKey}`;
  if (user !== null) return `user ${user.provider ?? ''} ${user.id}`;
  return address === undefined ? null : `address ${toNetwork(address)}`;
}

/** The interval in milliseconds at which a request looks whether it has its turn, and the number of looks. */
const LOOK_MS = 50;
const LOOKS = 600;

/** The turn of one request to ask another server about its sender. */
interface Turn {
  /** Waits for the turn. Throws rate_limited for a client whose failures have used up its limit. */
  begin(): Promise<void>;
  end(): void;
}

/**
 * Gives as many turns at once as a client has requests left, because each of them may fail. The others wait: if the
 * turns before them succeed, these count for their users, and the client has as many requests left as before. They look
 * again and again, because in a Worker no request may wait for another's promise.
 */
function createTurns(throttle: Throttle | null): (address: string | undefined) => Turn {
  const begun = new Map<string, number>();
  const wait = async (client: string) => {
    for (let look = 0; look < LOOKS; look += 1) {
      const open = begun.get(client) ?? 0;
      const spent = throttle?.wait(client, 1) ?? 0;
      if (spent > 0) throw tooMany(spent);
      if ((throttle?.wait(client, open + 1) ?? 0) === 0) return void begun.set(client, open + 1);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    throw tooMany(LOOK_MS);
  };
  return (address) => {
    let client: string | null = null;
    return {
      begin: async () => {
        const asking = clientOf(null, address);
        if (client !== null || asking === null) return;
        await wait(asking);
        client = asking;
      },
      end: () => {
        if (client === null) return;
        const open = begun.get(client) ?? 1;
        if (open > 1) begun.set(client, open - 1);
        else begun.delete(client);
      },
    };
  };
}
