import type { GRANT_TYPES } from '../../settings/schema/auth.ts';

/** A grant type that a client may use at the token endpoint. */
export type GrantType = (typeof GRANT_TYPES)[number];

/** The authentication method of a client. `secret`: HTTP Basic or the body, as the client prefers. */
export type ClientMethod = 'none' | 'secret' | 'client_secret_basic' | 'client_secret_post';

/** A program that requests tokens on behalf of users. */
export interface OAuthClient {
  /** The client id. For a dynamic client it contains the registration. */
  readonly id: string;
  /** The SHA-256 of the id, which is short enough for tokens. */
  readonly hash: string;
  readonly name: string;
  /** `static`: in the settings; `dynamic`: registered by itself; `document`: the id is a URL. */
  readonly kind: 'static' | 'dynamic' | 'document';
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly method: ClientMethod;
  readonly scopes: readonly string[];
  /** The scopes for a request without scopes. */
  readonly defaultScopes: readonly string[];
  /** Checks a secret. Absent for public clients. */
  readonly isSecret?: (secret: string) => Promise<boolean>;
}
