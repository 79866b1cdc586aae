import type { SvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { misconfigured, type ProviderStep, refused, unavailable } from './errors.ts';
import type { ProviderResponse } from './request.ts';

/** Error codes that end a login; everything else that is not listed here ends it too, without being quoted. */
const FINAL: ReadonlySet<string> = new Set([
  'bad_refresh_token',
  'bad_verification_code',
  'consent_required',
  'inactive_org',
  'inactive_user',
  'interaction_required',
  'invalid_grant',
  'login_required',
  'unverified_user_email',
]);

const TEMPORARY: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'server_error',
  'slow_down',
  'temporarily_unavailable',
]);

const CREDENTIALS = 'Check client_id and client_secret.';

/** Error codes that the operator can do something about, and what. */
const FIXES: ReadonlyMap<string, string> = new Map([
  ['incorrect_client_credentials', CREDENTIALS],
  ['invalid_client', CREDENTIALS],
  ['invalid_client_id', CREDENTIALS],
  ['invalid_request', 'Check token_url and how the client is registered there.'],
  ['invalid_scope', 'Check scope.'],
  ['redirect_uri_mismatch', "Register the server's public address plus callback_path there."],
  ['unauthorized_client', 'Allow this client the authorization code and refresh token grants there.'],
  ['unsupported_grant_type', 'Allow this client the authorization code and refresh token grants there.'],
]);

/** What an answer of a token endpoint that holds no token means (RFC 6749, 5.2); nothing of its text is quoted. */
export function toTokenFailure(
  { status, headers }: ProviderResponse,
  error: string | null,
  step: ProviderStep,
): SvcError {
  const detail: JsonObject = { status, ...retryAfter(headers) };
  const known = error !== null && (FINAL.has(error) || TEMPORARY.has(error) || FIXES.has(error));
  const code = known ? ` (${error})` : ` (${status})`;
  if (status === 429 || status >= 500 || TEMPORARY.has(error ?? '')) {
    return unavailable(step, `is not available${code}`, { detail });
  }
  const fix = FIXES.get(error ?? '') ?? fixOf(status);
  if (FINAL.has(error ?? '') || fix === null) {
    return refused(step, `refused ${step.what}${code}. Log in again.`, { detail });
  }
  return misconfigured(step, `refused ${step.what}${code}. ${fix}`, { detail });
}

function fixOf(status: number): string | null {
  if (status === 401) return CREDENTIALS;
  return [404, 405, 410, 415].includes(status) ? 'Check token_url.' : null;
}

/** The seconds that a server asks to be left alone. */
export function retryAfter(headers: Headers): JsonObject {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? { retry_after: Number(seconds) } : {};
}
