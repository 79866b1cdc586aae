import { causesOf, ERRORS, SvcError, toSvcError } from '../../errors.ts';
import { withParameters } from '../clients/redirect-uri.ts';
import { toOAuthError } from '../oauth-error.ts';
import type { AuthServer, OAuthRequest } from '../types.ts';

/** Where a client waits for an answer of the authorization endpoint. */
export interface Waiting {
  readonly redirect: string;
  readonly state: string | null;
}

/** Sends a browser on; cookies go along. */
export function toRedirect(location: string, cookies: readonly string[] = []): Response {
  // 303: whatever the browser sent, it now asks with GET, and no form goes along
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

/** An error as the client gets it through the browser, `iss` included (RFC 6749, 4.1.2.1; RFC 9207). */
export function toErrorRedirect(
  server: AuthServer,
  { urls }: OAuthRequest,
  { redirect, state }: Waiting,
  thrown: unknown,
  cookies: readonly string[] = [],
): Response {
  const error = toSvcError(thrown);
  logServerFault(server, error);
  const fields = toOAuthError(error, 'access_denied');
  return toRedirect(withParameters(redirect, { ...fields, state, iss: urls.issuer }), cookies);
}

/** What a client is not told goes to the log. */
export function logServerFault({ log }: AuthServer, error: SvcError): void {
  if (ERRORS[error.code].shown) return;
  const fields = { code: error.code, causes: causesOf(error) };
  log({ level: 'error', message: `signing in failed: ${error.message}`, fields });
}

/** Whoever said no. */
export function toDenied(): SvcError {
  return new SvcError('denied', 'The person did not agree.');
}
