import * as v from 'valibot';
import { randomText } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { withParameters } from '../clients/redirect-uri.ts';
import { clearCookie, readCookie } from '../cookies.ts';
import { need, type Parameters } from '../parameters.ts';
import type { RouteHandler } from '../types.ts';
import { rememberSession } from './browser-sessions.ts';
import { LOGIN_ATTEMPT } from './login-attempt.ts';
import { toErrorRedirect, toRedirect } from './redirect.ts';

/** An authorization code. It contains the provider's code, which is redeemed together with ours. */
export const CODE = v.object({
  h: v.string(),
  r: v.string(),
  k: v.string(),
  sc: v.array(v.string()),
  /** The provider's code, with its PKCE verifier and nonce. */
  uc: v.string(),
  uv: v.string(),
  un: v.string(),
  /** The id of the code and of the session that it opens. */
  id: v.string(),
});

/** The lifetime of a code in seconds. */
const CODE_SECONDS = 60;

/** `GET {callback_path}`: the identity provider sends the browser back. It must be the one that started the login. */
export const callback: RouteHandler = async (server, oauth) => {
  const { request, urls } = oauth;
  const query = oauth.query();
  const state = need(query, 'state');
  const cookie = /^[\w-]{22}$/.test(state) ? readCookie(request, urls, `tx-${state}`) : null;
  const attempt = cookie === null ? null : await server.sealer.open('tx', urls.issuer, cookie, LOGIN_ATTEMPT);
  if (attempt === null) {
    const message = 'This browser did not start the sign-in, or started it too long ago.';
    throw new SvcError('request_invalid', message);
  }
  const cleared = [clearCookie(urls, `tx-${state}`)];
  const { h, r, k, sc, uv, un, st } = attempt;
  try {
    await server.provider.enforceIssuer?.(query.get('iss') ?? null);
    const uc = codeOf(query);
    const id = randomText(16);
    const code = await server.sealer.seal('code', urls.issuer, { h, r, k, sc, uc, uv, un, id }, CODE_SECONDS);
    const noted = await rememberSession(server, oauth, id);
    const location = withParameters(r, { code, state: st, iss: urls.issuer });
    return toRedirect(location, [...cleared, ...noted]);
  } catch (thrown) {
    return toErrorRedirect(server, oauth, { redirect: r, state: st }, thrown, cleared);
  }
};

/** Errors of the provider that another try may overcome. Any other error is a refusal. */
const TRANSIENT: readonly string[] = ['temporarily_unavailable', 'server_error'];

function codeOf(query: Parameters): string {
  const error = query.get('error');
  if (error === undefined) return need(query, 'code');
  // The provider's description may quote anything, so its code alone is passed on.
  const code = TRANSIENT.includes(error) ? 'login_unavailable' : 'login_refused';
  const shown = /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : '';
  throw new SvcError(code, `The identity provider did not sign the person in${shown}.`);
}
