import type { JsonValue } from '../../json.ts';

/** Who an identity provider says somebody is. */
export interface Identity {
  /** The provider's own stable id, never a name that can be taken over. */
  readonly id: string;
  readonly username: string | null;
  /** Only an address that the provider calls verified. */
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
  readonly role: string | null;
  readonly permissions: readonly string[];
  /** What `claim_mappings` grants. */
  readonly capabilities: readonly string[];
  /** What policies may read beside the fields above: cloud ids, instance URL, workspace domain. */
  readonly claims: { readonly [key: string]: JsonValue };
}

/** What the provider gave for a code or a refresh token. */
export interface UpstreamTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
  /** Seconds since 1970; null where the provider does not say. */
  readonly expiresAt: number | null;
  readonly scopes: readonly string[] | null;
  /** Other fields of the token response that a provider needs later, such as Salesforce's `id` and `instance_url`. */
  readonly extra: { readonly [key: string]: JsonValue };
}

/** One trip of a browser to the provider and back. */
export interface LoginAttempt {
  readonly state: string;
  /** PKCE: the verifier whose S256 challenge goes along. */
  readonly verifier: string;
  /** OpenID Connect's nonce; providers without id tokens ignore it. */
  readonly nonce: string;
  /** The callback at this server, registered at the provider. */
  readonly redirectUri: string;
}

/**
 * An identity provider. Its failures are SvcErrors: `login_refused` is final for this login, `login_unavailable` is
 * worth another try, `config_invalid` is the operator's to fix.
 */
export interface Provider {
  readonly id: string;
  /** The scopes that the consent page names. */
  readonly scopes: readonly string[];
  authorizationUrl(trip: LoginAttempt): Promise<URL>;
  /** Refuses a callback whose `iss` (RFC 9207) names another server, null where it has none. */
  enforceIssuer?(issuer: string | null): Promise<void>;
  exchange(code: string, trip: Omit<LoginAttempt, 'state'>, signal: AbortSignal): Promise<UpstreamTokens>;
  refresh(refreshToken: string, signal: AbortSignal): Promise<UpstreamTokens>;
  /** Checks the id token where there is one; `nonce` is null after a refresh. */
  identify(tokens: UpstreamTokens, nonce: string | null, signal: AbortSignal): Promise<Identity>;
  /** Ends the provider's tokens where it can; best effort. */
  revoke?(tokens: UpstreamTokens, signal: AbortSignal): Promise<void>;
}

/** What providers get from outside. */
export interface ProviderPorts {
  readonly fetch: typeof fetch;
  /** Milliseconds. */
  readonly now: () => number;
  /** Whether refresh tokens can be kept; without, the default scopes ask for none. */
  readonly offline?: boolean;
  /** Milliseconds that one question to a provider may take; 10 seconds. */
  readonly timeoutMs?: number;
}
