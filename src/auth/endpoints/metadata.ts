import type { Scopes } from '../scopes.ts';
import type { AuthServer, OAuthRequest, RouteHandler } from '../types.ts';

const HEADERS = { 'cache-control': 'public, max-age=300' };

/** Authorization server metadata (RFC 8414). */
export const authorizationServer: RouteHandler = async (server, { urls: { issuer } }) => {
  const { scopes, store, provider, fetchDocument } = server;
  const methods = ['none', 'client_secret_basic', 'client_secret_post'];
  const revokes = store !== null || provider.revoke !== undefined;
  const body = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    ...(revokes
      ? { revocation_endpoint: `${issuer}/revoke`, revocation_endpoint_auth_methods_supported: methods }
      : {}),
    scopes_supported: [...scopes.all, ...(store === null ? [] : ['offline_access'])],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: grantsOf(server),
    token_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: fetchDocument !== null,
  };
  return Response.json(body, { headers: HEADERS });
};

/** Protected resource metadata (RFC 9728). */
export const protectedResource: RouteHandler = async (server, oauth) => {
  const { issuer } = oauth.urls;
  return Response.json(toResourceMetadata(server, oauth, [issuer]), { headers: HEADERS });
};

/** The metadata of the MCP endpoint. `servers` issue its tokens. */
export function toResourceMetadata(
  { scopes, project }: Pick<AuthServer, 'project'> & { readonly scopes: Pick<Scopes, 'basic'> },
  { urls }: Pick<OAuthRequest, 'urls'>,
  servers: readonly string[],
) {
  return {
    resource: urls.entry,
    authorization_servers: servers,
    ...(scopes.basic.length === 0 ? {} : { scopes_supported: scopes.basic }),
    bearer_methods_supported: ['header'],
    resource_name: project,
  };
}

function grantsOf({ store, clients }: AuthServer): readonly string[] {
  const own = clients.some(({ grant_types }) => grant_types.includes('client_credentials'));
  return [
    'authorization_code',
    ...(store === null ? [] : ['refresh_token']),
    ...(own ? ['client_credentials'] : []),
  ];
}
