import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';
import type { Registered } from './front.ts';
import { createHost, type Host } from './host.ts';
import { createSigner, type Signer } from './signer.ts';

export interface KeycloakIdp extends Host {
  readonly serverUrl: string;
  readonly realm: string;
  readonly issuer: string;
  readonly client: Registered;
  /** What somebody's claims are, by login. */
  readonly users: Record<string, Record<string, unknown>>;
  /** Realm roles, by login. */
  readonly roles: Record<string, readonly string[]>;
  readonly signer: Signer;
  /** Builds the server; the client's redirect addresses must be known by now. */
  start(more?: Readonly<Record<string, unknown>>): void;
}

export interface KeycloakOptions {
  /** What old servers have before `/realms`. */
  readonly prefix?: string;
  readonly secret?: string;
}

const PATH = '/protocol/openid-connect';
/** The scopes of the realm. `mcp:use` is one that its administrator has added. */
const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'mcp:use'];
/** The scopes of a client that requests none. oidc-provider gives it nothing. */
const DEFAULT_SCOPES = 'openid profile email';

/**
 * The npm package oidc-provider, laid out as Keycloak: its addresses, access tokens as JWTs with roles in them, refresh
 * tokens without being asked, which stay the same. Its own login pages take any name and password.
 */
export async function createKeycloakIdp(options: KeycloakOptions = {}): Promise<KeycloakIdp> {
  const host = await createHost();
  const serverUrl = `${host.origin}${options.prefix ?? ''}`;
  const realm = 'main';
  const base = `${options.prefix ?? ''}/realms/${realm}`;
  const issuer = `${host.origin}${base}`;
  const signer = await createSigner();
  const client = {
    id: 'svc',
    secret: options.secret ?? 'keycloak+planted%secret',
    redirects: [] as string[],
  };
  const users: KeycloakIdp['users'] = {
    ada: {
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      preferred_username: 'ada',
      groups: ['/staff', '/staff/admins'],
      department: 'engines',
    },
  };
  const roles: KeycloakIdp['roles'] = { ada: ['analyst'] };
  const start = (more: Readonly<Record<string, unknown>> = {}) => {
    const provider = new Provider(issuer, {
      ...toConfiguration({ client, users, roles, signer, issuer }),
      ...more,
    });
    host.serve(mount(base, provider.callback(), { signer, issuer, users }));
  };
  return { ...host, serverUrl, realm, issuer, client, users, roles, signer, start };
}

interface Realm {
  readonly client: Registered;
  readonly users: KeycloakIdp['users'];
  readonly roles: KeycloakIdp['roles'];
  readonly signer: Signer;
  readonly issuer: string;
}

function toConfiguration({ client, users, roles, signer, issuer }: Realm) {
  const account = `${issuer}/account`;
  // whoever names a resource (RFC 8707) gets tokens for it alone
  const toServer = (resource: string) => ({
    scope: SCOPES.join(' '),
    audience: resource === account ? 'account' : resource,
    accessTokenTTL: 300,
    accessTokenFormat: 'jwt',
  });
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: client.redirects,
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    routes: {
      authorization: `${PATH}/auth`,
      token: `${PATH}/token`,
      userinfo: `${PATH}/userinfo`,
      jwks: `${PATH}/certs`,
      revocation: `${PATH}/revoke`,
      introspection: `${PATH}/token/introspect`,
      end_session: `${PATH}/logout`,
    },
    jwks: { keys: [signer.privateJwk] },
    cookies: { keys: ['stand-in'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    rotateRefreshToken: false,
    issueRefreshToken: async () => true,
    scopes: SCOPES,
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups', 'department'],
      email: ['email', 'email_verified'],
    },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 300,
      RefreshToken: 1800,
      Session: 3600,
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...users[id] }),
    }),
    extraTokenClaims: (_context: unknown, { accountId = '' }: { accountId?: string }) => ({
      ...users[accountId],
      typ: 'Bearer',
      azp: client.id,
      realm_access: { roles: roles[accountId] ?? [] },
      resource_access: { [client.id]: { roles: ['reader'] }, account: { roles: ['view-profile'] } },
    }),
    features: {
      devInteractions: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: { enabled: true, allowedPolicy: async () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => account,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => toServer(resource),
      },
    },
  };
}

type Claims = Pick<Realm, 'signer' | 'issuer' | 'users'>;

/** Below a path; user information is answered here, because oidc-provider gives none for JWTs. */
function mount(base: string, listener: RequestListener, claims: Claims): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '', claims.issuer);
    const { pathname, searchParams } = url;
    if (!pathname.startsWith(base)) return void response.writeHead(404).end();
    const path = pathname.slice(base.length);
    if (path === `${PATH}/userinfo`) return void answerUserInfo(request, response, claims);
    if (path === `${PATH}/auth`) {
      const scopes = searchParams.get('scope') ?? DEFAULT_SCOPES;
      if (scopes.split(' ').some((scope) => !SCOPES.includes(scope))) return refuse(searchParams, response);
      searchParams.set('scope', scopes);
    }
    Object.assign(request, { originalUrl: `${pathname}${url.search}`, url: `${path}${url.search}` });
    listener(request, response);
  };
}

/** Refuses a scope that the realm does not have, as Keycloak does. oidc-provider ignores it. */
function refuse(asked: URLSearchParams, response: ServerResponse): void {
  const back = new URL(asked.get('redirect_uri') ?? '');
  back.searchParams.set('error', 'invalid_scope');
  back.searchParams.set('error_description', `Invalid scopes: ${asked.get('scope')}`);
  back.searchParams.set('state', asked.get('state') ?? '');
  response.writeHead(302, { location: back.href }).end();
}

async function answerUserInfo(
  request: IncomingMessage,
  response: ServerResponse,
  { signer, issuer, users }: Claims,
) {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  try {
    const keys = createLocalJWKSet(signer.jwks as unknown as JSONWebKeySet);
    const { payload } = await jwtVerify(token, keys, { issuer });
    const sub = payload.sub ?? '';
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ sub, ...users[sub] }));
  } catch {
    response.writeHead(401).end();
  }
}
