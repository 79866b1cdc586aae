import type { JsonValue } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import type { Identity } from '../identity.ts';
import { misconfigured, refused } from './errors.ts';

/** The provider's tokens for a code or a refresh token. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
  /** Seconds since 1970; null if the provider does not state it. */
  readonly expiresAt: number | null;
  readonly scopes: readonly string[] | null;
  /** Further fields of the token response that are needed later, such as Salesforce's `id` and `instance_url`. */
  readonly extra: { readonly [key: string]: JsonValue };
}

/** One login at the provider, from the redirect to the callback. */
export interface LoginAttempt {
  readonly state: string;
  /** The PKCE verifier. The authorization URL carries its S256 challenge. */
  readonly verifier: string;
  /** The nonce of OpenID Connect. Providers without id tokens ignore it. */
  readonly nonce: string;
  /** The callback of this server, as registered at the provider. */
  readonly redirectUri: string;
}

/**
 * An identity provider. It throws `login_refused` if the login is over, `login_unavailable` if another try may work,
 * and `config_invalid` if the operator has to change the configuration.
 */
export interface Provider {
  readonly id: string;
  /** The issuer of its ids and tokens. Without one, its authorization and token addresses. */
  readonly issuer: string;
  /** The requested scopes. The consent page lists them. */
  readonly scopes: readonly string[];
  authorizationUrl(attempt: LoginAttempt): Promise<URL>;
  /** Throws login_refused if the `iss` of a callback (RFC 9207) is another server's. Pass null if the callback has none. */
  enforceIssuer?(issuer: string | null): Promise<void>;
  exchange(code: string, attempt: Omit<LoginAttempt, 'state'>, signal: AbortSignal): Promise<UpstreamTokens>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<UpstreamTokens>;
  /** Whether the tokens of a refresh tell who the user is now. Absent if they always do. */
  canIdentify?(tokens: UpstreamTokens, signal: AbortSignal): Promise<boolean>;
  /** Identifies the user and verifies the id token, if there is one. `nonce` is null after a refresh. */
  identify(tokens: UpstreamTokens, nonce: string | null, signal: AbortSignal): Promise<Identity>;
  /** Revokes the tokens. Absent if the provider does not support it. */
  revoke?(tokens: UpstreamTokens, signal: AbortSignal): Promise<void>;
}

/**
 * Names the realm, sandbox or server whose ids and tokens a session holds. They mean nothing at another one.
 *
 * @example 'keycloak https://id.example/realms/main'
 */
export function originOf({ id, issuer }: Pick<Provider, 'id' | 'issuer'>): string {
  return `${id} ${issuer}`;
}

/** The ports of a provider. */
export interface ProviderPorts {
  readonly fetch: typeof fetch;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Whether refresh tokens can be stored. Otherwise the default scopes request none. */
  readonly offline?: boolean;
  /** The facts that rules name: `groups`, `organizations`, and paths of claims. Some cost a scope or a request. */
  readonly wanted?: readonly string[];
  /** The most milliseconds of one request to a provider. Default: 10 seconds. */
  readonly timeoutMs?: number;
}

/** The configured scopes, or the default ones. */
export function scopesOf({ scope }: ProviderBlock, defaults: readonly string[]): readonly string[] {
  const written = (scope ?? '').split(/[\s,]+/).filter((word) => word !== '');
  return written.length > 0 ? [...new Set(written)] : defaults;
}

/** Throws config_invalid without the scope `openid`, because an OpenID provider would not identify the user. */
export function enforceOpenId(provider: string, scopes: readonly string[]): void {
  if (scopes.includes('openid')) return;
  throw misconfigured({ provider }, 'needs the scope openid, and `scope` lacks it. Add it.');
}

/** Throws login_refused if a requested scope is missing. People can deselect scopes at some providers. */
export function enforceGranted(
  provider: string,
  requested: readonly string[],
  holds: (scope: string) => boolean,
): void {
  const missing = requested.filter((scope) => !holds(scope));
  if (missing.length === 0) return;
  throw refused({ provider }, `did not grant ${missing.join(', ')}. Log in again and allow it.`);
}
