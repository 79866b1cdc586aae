import * as v from 'valibot';
import { randomText } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { clearCookies, MAX_COOKIE, readCookies, setCookie } from '../cookies.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';
import { toRedirect } from './redirect.ts';

/** A checked authorization request. The browser carries it sealed, so that it cannot change it. */
export const PENDING_AUTHORIZATION = v.object({
  /** The hash of the client's id. */
  h: v.string(),
  /** The redirect URI. */
  r: v.string(),
  /** The PKCE challenge. */
  k: v.string(),
  /** The client's state. */
  st: v.nullable(v.string()),
  /** The granted scopes. */
  sc: v.array(v.string()),
});

export type PendingAuthorization = v.InferOutput<typeof PENDING_AUTHORIZATION>;

/** The most seconds that a person may take on each page. */
export const PENDING_SECONDS = 600;

/** A login attempt, sealed in a cookie while the browser is at the identity provider. */
export const LOGIN_ATTEMPT = v.object({
  ...PENDING_AUTHORIZATION.entries,
  /** The PKCE verifier for the provider. */
  uv: v.string(),
  /** The nonce of OpenID Connect. */
  un: v.string(),
});

/** The most login attempts of one browser: browsers limit the cookies of a site, and proxies their bytes. */
const MAX_ATTEMPTS = 4;

/** Sends a browser to the identity provider. A cookie named after the `state` ties the attempt to this browser. */
export async function startLogin(
  { provider, sealer }: AuthServer,
  { request, urls }: OAuthRequest,
  pending: PendingAuthorization,
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
  const open = readCookies(request, urls, 'tx');
  const stale = open.slice(0, Math.max(0, open.length - MAX_ATTEMPTS + 1));
  return toRedirect(url.href, [
    ...cookies,
    ...clearCookies(urls, stale),
    setCookie(urls, { kind: 'tx', id: state, value: sealed }, PENDING_SECONDS),
  ]);
}
