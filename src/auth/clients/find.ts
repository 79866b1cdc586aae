import { isSameSecret, sha256Base64Url } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import type { StaticClient } from '../../settings/model.ts';
import type { AuthServer, OAuthClient, OAuthRequest } from '../types.ts';
import { type FindOptions, isDocumentId, toDocumentClient } from './document.ts';
import { isDynamicId, toDynamicClient } from './dynamic.ts';

/** Finds the client of an id. Throws client_invalid for an unknown or blocked one. */
export async function findClient(
  server: AuthServer,
  { urls, signal }: Pick<OAuthRequest, 'urls' | 'signal'>,
  id: string,
  { outdated = false }: Partial<Pick<FindOptions, 'outdated'>> = {},
): Promise<OAuthClient> {
  if (server.blocked.size > 0 && server.blocked.has(await sha256Base64Url(id))) throw unknown();
  const configured = server.clients.find(({ client_id }) => client_id === id);
  if (configured !== undefined) return toStaticClient(configured);
  if (isDocumentId(id)) return toDocumentClient(server, id, { signal, outdated });
  const dynamic = isDynamicId(id) ? await toDynamicClient(server, urls.issuer, id) : null;
  if (dynamic !== null) return dynamic;
  throw unknown();
}

function unknown(): SvcError {
  return new SvcError(
    'client_invalid',
    'This server does not know the client; it may have to register again.',
  );
}

/** A client of `auth.clients` (spec, "Static client fields"). */
async function toStaticClient(client: StaticClient): Promise<OAuthClient> {
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
