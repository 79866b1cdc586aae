import type { PublicUrls } from './issuer.ts';

/** What a challenge says beside where the metadata is. */
export interface ChallengeOptions {
  readonly scopes: readonly string[];
  /** Left out where no credentials came (RFC 6750, 3.1). */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
  readonly description?: string;
}

/** A `WWW-Authenticate` that leads a client to a token (RFC 9728, 5.1; MCP Authorization, "Scope Challenge Handling"). */
export function toChallenge({ entry }: PublicUrls, { scopes, error, description }: ChallengeOptions): string {
  const { origin, pathname } = new URL(entry);
  const parameters = {
    ...(error === undefined ? {} : { error }),
    ...(description === undefined ? {} : { error_description: description }),
    scope: scopes.join(' '),
    resource_metadata: `${origin}/.well-known/oauth-protected-resource${pathname}`,
  };
  const list = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${list.join(', ')}`;
}
