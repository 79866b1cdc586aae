import * as v from 'valibot';
import { randomText } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { clearCookie, MAX_COOKIE, readLoginStates, setCookie } from '../cookies.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';
import { PENDING, PENDING_SECONDS, type Pending } from './pending.ts';
import { toRedirect } from './redirect-error.ts';

/** What the browser keeps, sealed, while it is at the identity provider. */
export const TRIP = v.object({
  ...PENDING.entries,
  /** PKCE verifier for the provider. */
  uv: v.string(),
  /** OpenID Connect nonce. */
  un: v.string(),
});

/** Browsers hold few cookies for a site, and proxies few bytes: so many logins may be open side by side. */
const MAX_TRIPS = 4;

/** Sends a browser to the identity provider, bound to it by a cookie whose name is the `state`. */
export async function startLogin(
  { provider, sealer }: AuthServer,
  { request, urls }: OAuthRequest,
  pending: Pending,
  cookies: readonly string[] = [],
): Promise<Response> {
  const [state, verifier, nonce] = [randomText(16), randomText(32), randomText(16)];
  const url = await provider.authorizationUrl({ state, verifier, nonce, redirectUri: urls.callback });
  const sealed = await sealer.seal(
    'tx',
    urls.issuer,
    { ...pending, uv: verifier, un: nonce },
    PENDING_SECONDS,
  );
  if (sealed.length > MAX_COOKIE) throw new SvcError('request_invalid', 'The state is too long.');
  const open = readLoginStates(request, urls);
  const stale = open.slice(0, Math.max(0, open.length - MAX_TRIPS + 1));
  return toRedirect(url.href, [
    ...cookies,
    ...stale.map((name) => clearCookie(urls, `tx-${name}`)),
    setCookie(urls, `tx-${state}`, sealed, PENDING_SECONDS),
  ]);
}
