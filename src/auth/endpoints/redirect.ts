import { causesOf, ERRORS, SvcError, toPublicText, toSvcError } from '../../errors.ts';
import { oneLine } from '../../one-line.ts';
import { toSignInFailurePage } from '../../pages/sign-in.ts';
import { withParameters } from '../clients/redirect-uri.ts';
import { retryHeaders, toOAuthError } from '../oauth-error.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

/** The redirect URI and state of a client that waits for the authorization response. */
interface WaitingClient {
  readonly redirect: string;
  readonly state: string | null;
}

/** Redirects a browser and sets cookies. */
export function toRedirect(location: string, cookies: readonly string[] = []): Response {
  // After a 303 the browser sends a GET without the form, whatever the method was.
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

/** Sends an error to the client through the browser, with `iss` (RFC 6749, 4.1.2.1; RFC 9207). */
export function toErrorRedirect(
  server: AuthServer,
  { urls }: OAuthRequest,
  { redirect, state }: WaitingClient,
  thrown: unknown,
  cookies: readonly string[] = [],
): Response {
  const error = toSvcError(thrown);
  logFailure(server, error);
  const fields = toOAuthError(error, 'access_denied');
  return toRedirect(withParameters(redirect, { ...fields, state, iss: urls.issuer }), cookies);
}

/** Shows an error to the person. `back` is the address that tells the client, if it can be told. */
export function toFailurePage(error: SvcError, back: string | null = null): Promise<Response> {
  const { http } = ERRORS[error.code];
  const status = http >= 500 ? 503 : http === 401 ? 400 : http;
  return toSignInFailurePage(toPublicText(error), { status, headers: retryHeaders(error) }, back);
}

/** Logs an error whose text the client does not get, and a refusal of the provider, whose text says what to change. */
export function logFailure({ log }: AuthServer, error: SvcError): void {
  const message = `signing in failed: ${oneLine(error.message)}`;
  const fields = { code: error.code, causes: causesOf(error) };
  if (error.code === 'login_refused') log({ level: 'info', message });
  else if (!ERRORS[error.code].shown) log({ level: 'error', message, fields });
}

/** The error for a person who declines on the consent page. */
export function consentDeclined(): SvcError {
  return new SvcError('denied', 'The person did not agree.');
}
