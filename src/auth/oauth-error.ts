import { ERRORS, type ErrorCode, type SvcError, toPublicText } from '../errors.ts';

/** An OAuth error on the wire (RFC 6749, 5.2; RFC 7591, 3.2.2; RFC 8707, 2). */
interface OAuthError {
  readonly error: string;
  readonly error_description: string;
}

const CODES: { readonly [code in ErrorCode]?: string } = {
  request_invalid: 'invalid_request',
  request_too_large: 'invalid_request',
  body_encoded: 'invalid_request',
  encoding_invalid: 'invalid_request',
  method_not_allowed: 'invalid_request',
  client_invalid: 'invalid_client',
  client_unauthorized: 'unauthorized_client',
  grant_invalid: 'invalid_grant',
  grant_unsupported: 'unsupported_grant_type',
  response_unsupported: 'unsupported_response_type',
  scope_invalid: 'invalid_scope',
  target_invalid: 'invalid_target',
  redirect_invalid: 'invalid_redirect_uri',
  registration_invalid: 'invalid_client_metadata',
  denied: 'access_denied',
  login_unavailable: 'temporarily_unavailable',
  rate_limited: 'temporarily_unavailable',
  token_invalid: 'invalid_token',
  api_key_invalid: 'invalid_token',
  token_missing: 'invalid_token',
  scope_insufficient: 'insufficient_scope',
};

/** Converts an error for the client. Server faults get a general text. */
export function toOAuthError(error: SvcError, refusedLogin = 'invalid_grant'): OAuthError {
  const code = error.code === 'login_refused' ? refusedLogin : CODES[error.code];
  return { error: code ?? 'server_error', error_description: toDescription(toPublicText(error)) };
}

/** Answers a client with an error. Server faults are 503, so that clients retry. */
export function toOAuthErrorResponse(error: SvcError, headers: Record<string, string> = {}): Response {
  const { http } = ERRORS[error.code];
  // Clients read errors of these endpoints from 400 and 401 (RFC 6749, 5.2).
  const status = http >= 500 ? 503 : http === 403 ? 400 : http;
  return Response.json(toOAuthError(error), {
    status,
    headers: { 'cache-control': 'no-store', ...retryHeaders(error), ...headers },
  });
}

/** The `Retry-After` header, if our rate limit or the provider set a time (RFC 9110, 10.2.3). */
export function retryHeaders({ detail }: SvcError): Record<string, string> {
  const seconds = detail?.retry_after;
  return typeof seconds === 'number' ? { 'retry-after': String(seconds) } : {};
}

/** Keeps the characters that RFC 6749 and RFC 6750 allow in a description. */
export function toDescription(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('"', "'")
    .replaceAll(/[^\x20-\x7e]|\\/g, '?');
}
