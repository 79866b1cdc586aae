import { isSameSecret, sha256Base64Url } from '../../crypto/digest.ts';
import type { StaticClient } from '../../settings/model.ts';
import type { OAuthClient } from './model.ts';

/** A client of `auth.clients` (spec, "Static client fields"). */
export async function toStaticClient(client: StaticClient): Promise<OAuthClient> {
  const { client_id: id, name, client_secret, redirect_uris, grant_types, scopes } = client;
  return {
    id,
    hash: await sha256Base64Url(id),
    name,
    kind: 'static',
    redirectUris: redirect_uris,
    grantTypes: grant_types,
    method: client_secret === null ? 'none' : 'secret',
    scopes,
    defaultScopes: scopes,
    ...(client_secret === null ? {} : { isSecret: (secret: string) => isSameSecret(secret, client_secret) }),
  };
}
