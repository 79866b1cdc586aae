import type { SvcError } from '../../errors.ts';
import { type JsonObject, type JsonValue, textOf } from '../../json.ts';
import { misconfigured, type ProviderStep, refused, retryAfter, unavailable } from './errors.ts';
import type { UpstreamTokens } from './provider.ts';
import { isTemporary, type ProviderResponse } from './request.ts';

/** Reads a token response. `keep` names further fields that are needed later. */
export function toTokens(fields: JsonObject, now: number, keep: readonly string[] = []): UpstreamTokens {
  const seconds = toSeconds(fields.expires_in);
  return {
    accessToken: textOf(fields, 'access_token') ?? '',
    refreshToken: textOf(fields, 'refresh_token'),
    idToken: textOf(fields, 'id_token'),
    expiresAt: seconds === null ? null : Math.floor(now / 1000) + seconds,
    scopes: toScopes(fields.scope),
    extra: Object.fromEntries(keep.flatMap((key) => (key in fields ? [[key, fields[key] ?? null]] : []))),
  };
}

/** Reads `expires_in`, which some servers write as text and some omit. */
function toSeconds(value: JsonValue | undefined): number | null {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? Math.floor(seconds) : null;
}

/** Reads `scope`, whose words GitHub separates by commas. */
function toScopes(value: JsonValue | undefined): readonly string[] | null {
  if (typeof value !== 'string') return null;
  return value.split(/[\s,]+/).filter((scope) => scope !== '');
}

/** Error codes that end a login. */
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

/** Fixes for the error codes that the operator can do something about. */
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

/**
 * Converts a token endpoint's error response (RFC 6749, 5.2). Its texts are not quoted. Only a listed code ends the login:
 * any other response may come from a proxy or a firewall, and says nothing about the user.
 */
export function toTokenFailure(
  { status, headers }: ProviderResponse,
  error: string | null,
  step: ProviderStep,
): SvcError {
  const detail: JsonObject = { status, ...retryAfter(headers) };
  const code = error ?? '';
  if (isTemporary(status) || TEMPORARY.has(code)) {
    return unavailable(step, `is not available (${TEMPORARY.has(code) ? code : status})`, { detail });
  }
  if (FINAL.has(code)) return refused(step, `refused ${step.what} (${code}). Log in again.`, { detail });
  const fix = FIXES.get(code) ?? fixOf(status);
  if (fix === null) return unavailable(step, `answered ${status} without a known error`, { detail });
  return misconfigured(step, `refused ${step.what} (${FIXES.has(code) ? code : status}). ${fix}`, { detail });
}

function fixOf(status: number): string | null {
  if (status === 401) return CREDENTIALS;
  return [404, 405, 410, 415].includes(status) ? 'Check token_url.' : null;
}
