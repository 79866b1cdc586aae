import { accessOf, LOCAL_ACCESS } from '../../src/http/access.ts';
import type { RateLimit } from '../../src/http/throttle.ts';
import { RATE_LIMIT } from '../../src/settings/defaults.ts';
import type { TransportSettings } from '../../src/settings/model.ts';

/** What a client may hold open before it has sent a whole request (milliseconds, bytes). */
export interface HttpLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
}

/** What holds unless a test wants it faster (docs/reference/limits.md). */
export const HTTP_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // Longer than the usual load balancer's, so that it is never the server that closes a connection in reuse.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
};

/** Where a server listens, and what its configuration says about its clients. */
export type Reached = Pick<TransportSettings['http'], 'host' | 'trust_proxy' | 'rate_limit'>;

/**
 * What clients are held to. Without a word in the configuration, a server that only its own machine reaches has no
 * limit: its clients are one person's programs, or those of a proxy that cannot be told apart.
 */
export function rateLimitOf({ host, trust_proxy, rate_limit }: Reached): RateLimit | null {
  const local = accessOf(host) === LOCAL_ACCESS && !trust_proxy;
  const limit = rate_limit ?? (local ? null : RATE_LIMIT);
  if (limit === null || limit.requests_per_minute === 0) return null;
  return { requestsPerMinute: limit.requests_per_minute, burst: limit.burst };
}
