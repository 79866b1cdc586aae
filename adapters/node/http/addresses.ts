import type { AppOptions } from '../../../src/app.ts';
import { httpAccessOf, LOCAL_ACCESS, withNames } from '../../../src/http/access.ts';
import { type RateLimit, toRateLimit } from '../../../src/http/rate-limit.ts';
import { RATE_LIMIT } from '../../../src/settings/effective/defaults.ts';
import type { TransportSettings } from '../../../src/settings/model.ts';

/** Where a server listens, and what is configured about who reaches it. */
export type Reached = Omit<TransportSettings['http'], 'port' | 'stateless'>;

/** What is known without any configuration. */
export const UNCONFIGURED: Omit<Reached, 'host'> = {
  scheme: 'http',
  base_url: null,
  allowed_hosts: null,
  allowed_origins: null,
  trust_proxy: false,
  rate_limit: null,
};

/** What of it an app has to know. */
export function reachOf(http: Reached): Required<Pick<AppOptions, 'access' | 'rateLimit' | 'publicAddress'>> {
  const { host, base_url, trust_proxy, scheme } = http;
  const access = withNames(httpAccessOf(host), http);
  const rateLimit = rateLimitOf(http);
  const publicAddress = { baseUrl: base_url, trustProxy: trust_proxy, scheme };
  return {
    access: () => access,
    rateLimit: () => rateLimit,
    publicAddress: () => publicAddress,
  };
}

/**
 * Without a word in the configuration, a server that only its own machine reaches has no limit: its clients are one
 * person's programs, or those of a proxy that cannot be told apart.
 */
function rateLimitOf({ host, trust_proxy, rate_limit }: Reached): RateLimit | null {
  const local = httpAccessOf(host) === LOCAL_ACCESS && !trust_proxy;
  const limit = rate_limit ?? (local ? null : RATE_LIMIT);
  return limit === null ? null : toRateLimit(limit);
}
