import type { AppOptions } from '../../src/app.ts';
import {
  ANONYMOUS_ACCESS,
  type HttpAccess,
  httpAccessOf,
  OPEN_ACCESS,
  withNames,
} from '../../src/http/access.ts';
import { type RateLimit, toRateLimit } from '../../src/http/rate-limit.ts';
import { OWN_ADDRESS, type PublicAddress } from '../../src/public-address.ts';
import type { Settings } from '../../src/settings/model.ts';

/** The options of an app about hosts, rate limit and public address, and the function that applies settings to them. */
export interface ArtefactAddresses {
  readonly parts: Required<Pick<AppOptions, 'access' | 'rateLimit' | 'publicAddress'>>;
  readonly follow: (settings: Settings | null, access: { readonly signIn: boolean }) => void;
}

/**
 * Creates options that limit no client and accept every host name until the configuration says otherwise. Web pages
 * may call only a server with sign-in, unless `allowed_origins` names them. A default
 * rate limit would count per instance, and platforms already decide by which names a function is reached. A program that
 * listens itself has the access of its address, as `svc serve` has.
 */
export function createAddresses(listens: { readonly host: string } | null = null): ArtefactAddresses {
  let access: HttpAccess = ANONYMOUS_ACCESS;
  let limit: RateLimit | null = null;
  let address: PublicAddress = OWN_ADDRESS;
  return {
    parts: { access: () => access, rateLimit: () => limit, publicAddress: () => address },
    follow: (settings, { signIn }) => {
      const behindPlatform = signIn ? OPEN_ACCESS : ANONYMOUS_ACCESS;
      const usual = listens === null ? behindPlatform : httpAccessOf({ host: listens.host, signIn });
      access = usual;
      if (settings === null) return;
      const { http } = settings.transport;
      const { rate_limit, base_url, trust_proxy, scheme } = http;
      access = withNames(usual, http);
      limit = rate_limit === null ? null : toRateLimit(rate_limit);
      address = { baseUrl: base_url, trustProxy: trust_proxy, scheme };
    },
  };
}
