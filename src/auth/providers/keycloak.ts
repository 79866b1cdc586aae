import { errors, jwtVerify } from 'jose';
import { isObject, type JsonObject, textsOf } from '../../json.ts';
import type { ProviderBlock } from '../../settings/model.ts';
import type { ProviderProfile } from '../identity.ts';
import { misconfigured } from '../upstream/errors.ts';
import { ALGORITHMS } from '../upstream/id-token.ts';
import { createOpenId, type OpenIdServer, type VerifiedLogin } from '../upstream/openid.ts';
import { enforceOpenId, type Provider, type ProviderPorts, scopesOf } from '../upstream/provider.ts';

/** A realm of Keycloak. For old servers `server_url` ends in `/auth`. */
export function createKeycloak(block: ProviderBlock, ports: ProviderPorts): Provider {
  const provider = 'Keycloak';
  const offline = ports.offline ? ['offline_access'] : [];
  const scopes = scopesOf(block, ['openid', 'profile', 'email', ...offline]);
  enforceOpenId(provider, scopes);
  const issuer = toIssuer(block);
  const server = toServer(block, issuer);
  return createOpenId(block, ports, {
    id: 'keycloak',
    issuer,
    provider,
    scopes,
    parameters: {},
    server: async () => server,
    complete: false,
    refine: (profile, login) => addRoles(profile, login, block.client_id),
  });
}

function toIssuer({ server_url, realm }: ProviderBlock): string {
  if (server_url === undefined || realm === undefined) {
    throw misconfigured({ provider: 'Keycloak' }, 'needs `server_url` and `realm`. Add them.');
  }
  return `${server_url.replace(/\/+$/, '')}/realms/${encodeURIComponent(realm)}`;
}

function toServer(block: ProviderBlock, issuer: string): OpenIdServer {
  const at = (path: string) => `${issuer}/protocol/openid-connect/${path}`;
  return {
    endpoints: {
      authorize: block.auth_url ?? at('auth'),
      token: block.token_url ?? at('token'),
      revoke: block.revocation_url ?? at('revoke'),
      authentication: 'basic',
    },
    issuers: [issuer],
    // Old servers do not send it.
    sendsIssuer: false,
    jwks: at('certs'),
    userinfo: block.userinfo_url ?? at('userinfo'),
  };
}

/** Adds the roles, which Keycloak's default mappers write into the access token only. */
async function addRoles(
  profile: ProviderProfile,
  login: VerifiedLogin,
  clientId: string,
): Promise<ProviderProfile> {
  const claims = await readAccessToken(login);
  const clients = isObject(claims.resource_access) ? claims.resource_access : {};
  const own = Object.hasOwn(clients, clientId) ? clients[clientId] : undefined;
  const roles = {
    realm_roles: isObject(claims.realm_access) ? textsOf(claims.realm_access.roles) : [],
    client_roles: isObject(own) ? textsOf(own.roles) : [],
  };
  const mapped = { ...claims, ...profile.mapped, ...roles };
  return {
    ...profile,
    organizations: toOrganizations(mapped),
    claims: { ...profile.claims, ...roles },
    mapped,
  };
}

/** Reads the claim of Keycloak's organisations: a list of their aliases, or a map with an entry for each alias. */
function toOrganizations({ organization }: JsonObject): readonly string[] {
  return isObject(organization) ? Object.keys(organization) : textsOf(organization);
}

/** Reads the claims of the access token. An opaque or invalid token has none; an unreachable server is an error. */
async function readAccessToken({ tokens, server, keys, now }: VerifiedLogin): Promise<JsonObject> {
  try {
    const { payload } = await jwtVerify(tokens.accessToken, keys, {
      algorithms: ALGORITHMS,
      issuer: [...server.issuers],
      currentDate: new Date(now),
    });
    return payload.typ === 'Bearer' ? (payload as JsonObject) : {};
  } catch (thrown) {
    if (thrown instanceof errors.JOSEError) return {};
    throw thrown;
  }
}
