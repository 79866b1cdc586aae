import type { GRANT_TYPES } from '../../settings/schema/auth.ts';

/** What a client may ask the token endpoint for. */
export type GrantType = (typeof GRANT_TYPES)[number];

/** How a client proves itself; `secret`: by Basic or in the body, as it likes. */
export type ClientMethod = 'none' | 'secret' | 'client_secret_basic' | 'client_secret_post';

/** Somebody who asks for tokens on behalf of people. */
export interface OAuthClient {
  /** As the client knows it; for dynamic ones, everything that is known of it. */
  readonly id: string;
  /** SHA-256 of the id: short enough for tokens, and binds all the same. */
  readonly hash: string;
  readonly name: string;
  /** `static`: the operator vouches for it; `dynamic`: it registered itself; `document`: its id is an address. */
  readonly kind: 'static' | 'dynamic' | 'document';
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly method: ClientMethod;
  readonly scopes: readonly string[];
  /** What it gets when it asks for nothing. */
  readonly defaultScopes: readonly string[];
  /** Whether a secret is the client's; absent for public clients. */
  readonly isSecret?: (secret: string) => Promise<boolean>;
}
