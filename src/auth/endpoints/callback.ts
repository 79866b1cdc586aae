import { randomText } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { toSignInRefusedPage } from '../../pages/sign-in.ts';
import { withParameters } from '../clients/redirect-uri.ts';
import { completeLogin, storeLogin } from '../completed-login.ts';
import { clearCookies, readCookies } from '../cookies.ts';
import { need, type Parameters } from '../parameters.ts';
import type { RouteHandler } from '../types.ts';
import { rememberSession } from './browser-sessions.ts';
import { LOGIN_ATTEMPT } from './login-attempt.ts';
import { toErrorRedirect, toRedirect } from './redirect.ts';

/** The lifetime of a code in seconds. */
const CODE_SECONDS = 60;

/** `GET {callback_path}`: the identity provider sends the browser back. It must be the one that started the login. */
export const callback: RouteHandler = async (server, oauth) => {
  const { request, urls } = oauth;
  const query = oauth.query();
  const state = need(query, 'state');
  const cookie = readCookies(request, urls, 'tx').find(({ id }) => id === state);
  const attempt =
    cookie === undefined ? null : await server.sealer.open('tx', urls.issuer, cookie.value, LOGIN_ATTEMPT);
  if (cookie === undefined || attempt === null) {
    const message = 'This browser did not start the sign-in, or started it too long ago.';
    throw new SvcError('request_invalid', message);
  }
  const cleared = clearCookies(urls, [cookie]);
  const { h, r, k, sc, uv, un, st } = attempt;
  try {
    await server.provider.enforceIssuer?.(query.get('iss') ?? null);
    const up = { c: codeOf(query), v: uv, n: un };
    const id = randomText(16);
    if (server.store !== null) {
      const attempt = { code: up.c, verifier: uv, nonce: un, redirectUri: urls.callback, scopes: sc };
      const login = await completeLogin(server, attempt, oauth.signal);
      await storeLogin(server, id, { login, seconds: CODE_SECONDS });
    }
    const claims = { h, r, k, sc, up: server.store === null ? up : null, id };
    const code = await server.sealer.seal('code', urls.issuer, claims, CODE_SECONDS);
    const noted = await rememberSession(server, oauth, id);
    const location = withParameters(r, { code, state: st, iss: urls.issuer });
    return toRedirect(location, [...cleared, ...noted]);
  } catch (thrown) {
    const back = toErrorRedirect(server, oauth, { redirect: r, state: st }, thrown, cleared);
    return isAboutUser(thrown) ? toRefusedPage(thrown.message, back, cleared) : back;
  }
};

/** Whether the user has signed in, but may not use the server or the requested scopes. */
function isAboutUser(thrown: unknown): thrown is SvcError {
  return thrown instanceof SvcError && (thrown.code === 'denied' || thrown.code === 'scope_invalid');
}

/** Tells the person on a page, which leads back to the client with the error. */
function toRefusedPage(message: string, back: Response, cookies: readonly string[]): Promise<Response> {
  const location = back.headers.get('location') ?? '';
  return toSignInRefusedPage(message, location, { cookies });
}

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
