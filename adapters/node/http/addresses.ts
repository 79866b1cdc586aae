import type { AppOptions } from '../../../src/app.ts';
import { httpAccessOf, isLoopback, withNames } from '../../../src/http/access.ts';
import { type RateLimit, toRateLimit } from '../../../src/http/rate-limit.ts';
import { RATE_LIMIT } from '../../../src/settings/effective/defaults.ts';
import type { TransportSettings } from '../../../src/settings/model.ts';

/** The `transport.http` settings about the address of a server, its clients and its proxies. */
export type AddressSettings = Omit<TransportSettings['http'], 'port' | 'stateless'>;

/** The address settings of a server without configuration. */
export const UNCONFIGURED: Omit<AddressSettings, 'host'> = {
  scheme: 'http',
  base_url: null,
  allowed_hosts: null,
  allowed_origins: null,
  trust_proxy: false,
  rate_limit: null,
};

/** Converts address settings to the options of an app. Without sign-in, web pages of other hosts are rejected. */
export function toAddressOptions(
  http: AddressSettings,
  { signIn }: { readonly signIn: boolean },
): Required<Pick<AppOptions, 'access' | 'rateLimit' | 'publicAddress'>> {
  const { host, base_url, trust_proxy, scheme } = http;
  const access = withNames(httpAccessOf({ host, signIn }), http);
  const rateLimit = rateLimitOf(http);
  const publicAddress = { baseUrl: base_url, trustProxy: trust_proxy, scheme };
  return { access, rateLimit, publicAddress };
}

/**
 * By default, a server that only its own machine reaches has no rate limit: its clients are the programs of one
 * person, or come through a proxy that makes them look alike.
 */
function rateLimitOf({ host, trust_proxy, rate_limit }: AddressSettings): RateLimit | null {
  const local = isLoopback(host) && !trust_proxy;
  const limit = rate_limit ?? (local ? null : RATE_LIMIT);
  return limit === null ? null : toRateLimit(limit);
}
