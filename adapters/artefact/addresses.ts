import type { AppOptions } from '../../src/app.ts';
import { ANONYMOUS_ACCESS, httpAccessOf, OPEN_ACCESS, withNames } from '../../src/http/access.ts';
import { toRateLimit } from '../../src/http/rate-limit.ts';
import { OWN_ADDRESS } from '../../src/public-address.ts';
import type { Settings } from '../../src/settings/model.ts';

/** Whether callers sign in, and the address on which a program listens itself; null behind a platform's entrance. */
interface ArtefactEntrance {
  readonly signIn: boolean;
  readonly listens: { readonly host: string } | null;
}

/**
 * The options of an app about hosts, rate limit and public address. Without configuration, they limit no client and accept
 * every host name. Web pages may call only a server with sign-in, unless `allowed_origins` names them. A default
 * rate limit would count per instance, and platforms already decide by which names a function is reached. A program that
 * listens itself has the access of its address, as `svc serve` has.
 */
export function artefactAddresses(
  settings: Settings | null,
  { signIn, listens }: ArtefactEntrance,
): Required<Pick<AppOptions, 'access' | 'rateLimit' | 'publicAddress'>> {
  const behindPlatform = signIn ? OPEN_ACCESS : ANONYMOUS_ACCESS;
  const usual = listens === null ? behindPlatform : httpAccessOf({ host: listens.host, signIn });
  if (settings === null) return { access: usual, rateLimit: null, publicAddress: OWN_ADDRESS };
  const { http } = settings.transport;
  const { rate_limit, base_url, trust_proxy, scheme } = http;
  return {
    access: withNames(usual, http),
    rateLimit: rate_limit === null ? null : toRateLimit(rate_limit),
    publicAddress: { baseUrl: base_url, trustProxy: trust_proxy, scheme },
  };
}
