import type { AppOptions } from '../../src/app.ts';
import { OWN_ADDRESS, type PublicAddress } from '../../src/http/origin.ts';
import { type RateLimit, toRateLimit } from '../../src/http/throttle.ts';
import type { Settings } from '../../src/settings/model.ts';

/** What an app asks about its clients, and where the settings of a cold start go. */
export interface EdgeReach {
  readonly parts: Required<Pick<AppOptions, 'rateLimit' | 'publicAddress'>>;
  readonly follow: (settings: Settings | null) => void;
}

/** Nobody is limited unless the configuration says so: each instance would count for itself, and platforms count better. */
export function createEdgeReach(): EdgeReach {
  let limit: RateLimit | null = null;
  let address: PublicAddress = OWN_ADDRESS;
  return {
    parts: { rateLimit: () => limit, publicAddress: () => address },
    follow: (settings) => {
      if (settings === null) return;
      const { rate_limit, base_url, trust_proxy } = settings.transport.http;
      limit = rate_limit === null ? null : toRateLimit(rate_limit);
      address = { baseUrl: base_url, trustProxy: trust_proxy, scheme: null };
    },
  };
}
