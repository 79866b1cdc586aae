import type { AppOptions } from '../../src/app.ts';
import { type HttpAccess, OPEN_ACCESS, withNames } from '../../src/http/access.ts';
import { OWN_ADDRESS, type PublicAddress } from '../../src/http/origin.ts';
import { type RateLimit, toRateLimit } from '../../src/http/throttle.ts';
import type { Settings } from '../../src/settings/model.ts';

/** What an app asks about its clients, and where the settings of a cold start go. */
export interface ArtefactAddresses {
  readonly parts: Required<Pick<AppOptions, 'access' | 'rateLimit' | 'publicAddress'>>;
  readonly follow: (settings: Settings | null) => void;
}

/**
 * Nobody is limited, and every name is answered to, unless the configuration says so: each instance would count for
 * itself, and platforms know better by which names they are reached.
 */
export function createEdgeReach(): ArtefactAddresses {
  let access: HttpAccess = OPEN_ACCESS;
  let limit: RateLimit | null = null;
  let address: PublicAddress = OWN_ADDRESS;
  return {
    parts: { access: () => access, rateLimit: () => limit, publicAddress: () => address },
    follow: (settings) => {
      if (settings === null) return;
      const { http } = settings.transport;
      const { rate_limit, base_url, trust_proxy } = http;
      access = withNames(OPEN_ACCESS, http);
      limit = rate_limit === null ? null : toRateLimit(rate_limit);
      address = { baseUrl: base_url, trustProxy: trust_proxy, scheme: null };
    },
  };
}
