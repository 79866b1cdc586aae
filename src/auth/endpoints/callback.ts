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

/** What an authorization code carries: the provider's own code too, which is redeemed together with ours. */
export const CODE = v.object({
  h: v.string(),
  r: v.string(),
  k: v.string(),
  sc: v.array(v.string()),
  /** The provider's code, and the verifier and nonce that go with it. */
  uc: v.string(),
  uv: v.string(),
  un: v.string(),
  /** Names the code, and the session that it opens. */
  id: v.string(),
});

/** How long a code counts, in seconds. */
const CODE_SECONDS = 60;

/** `GET {callback_path}`: the identity provider sends the person back, into the browser that left. */
export const callback: RouteHandler = async (server, exchange) => {
  const { request, urls } = exchange;
  const query = exchange.query();
  const state = need(query, 'state');
  const cookie = /^[\w-]{22}$/.test(state) ? readCookie(request, urls, `tx-${state}`) : null;
  const trip = cookie === null ? null : await server.sealer.open('tx', urls.issuer, cookie, LOGIN_ATTEMPT);
  if (trip === null) {
    const message = 'This browser did not start the sign-in, or started it too long ago.';
    throw new SvcError('request_invalid', message);
  }
  const done = [clearCookie(urls, `tx-${state}`)];
  const { h, r, k, sc, uv, un, st } = trip;
  try {
    await server.provider.enforceIssuer?.(query.get('iss') ?? null);
    const uc = codeOf(query);
    const id = randomText(16);
    const code = await server.sealer.seal('code', urls.issuer, { h, r, k, sc, uc, uv, un, id }, CODE_SECONDS);
    const noted = await rememberSession(server, exchange, id);
    const location = withParameters(r, { code, state: st, iss: urls.issuer });
    return toRedirect(location, [...done, ...noted]);
  } catch (thrown) {
    return toErrorRedirect(server, exchange, { redirect: r, state: st }, thrown, done);
  }
};

/** What is worth another try at the provider; everything else is a no. */
const TRANSIENT: readonly string[] = ['temporarily_unavailable', 'server_error'];

function codeOf(query: Parameters): string {
  const error = query.get('error');
  if (error === undefined) return need(query, 'code');
  // The provider's description may quote anything, so its code alone is passed on.
  const code = TRANSIENT.includes(error) ? 'login_unavailable' : 'login_refused';
  const known = /^[\w.-]{1,64}$/.test(error) ? ` (${error})` : '';
  throw new SvcError(code, `The identity provider did not sign the person in${known}.`);
}
