import { digestFromHex } from '../crypto/digest.ts';
import { createKeyRing, parseKeys, type RootKey } from '../crypto/keys.ts';
import { createSealer, type OpenJwe } from '../crypto/seal.ts';
import { SvcError } from '../errors.ts';
import type { Log, TokenStore } from '../ports.ts';
import { withoutSlash } from '../served-paths.ts';
import type { AuthSettings, Settings, VerifierBlock } from '../settings/model.ts';
import { type ApiKeys, authenticateKey, createApiKeys } from './api-keys.ts';
import { authenticateBearer, rejectRequest, rejectScopes, tokenInvalid } from './bearer.ts';
import { wantedFacts } from './held-scopes.ts';
import { createProvider } from './providers/registry.ts';
import {
  createPublicUrls,
  enforceKnownAudience,
  enforcePublicUrls,
  type Listens,
  type PublicUrls,
} from './public-urls.ts';
import { answerRoute, createRoutes, resourcePaths } from './routes.ts';
import { createForeignScopes, createScopes } from './scopes.ts';
import type { Auth, Authenticated, AuthServer, FetchDocument } from './types.ts';
import { createVerifierAuth } from './verifier/auth.ts';
import { createVerifier } from './verifier/verify.ts';

/** The parts of authentication that a platform provides. */
export interface AuthDeps {
  readonly settings: Pick<Settings, 'auth'> & {
    readonly transport: Pick<Settings['transport'], 'http'> & Partial<Settings['transport']>;
  };
  readonly project: string;
  /** The scopes that endpoints require. */
  readonly endpointScopes: readonly string[];
  /** Keys in addition to those of the settings; allowed if one server process runs alone. */
  readonly ownKeys?: readonly RootKey[];
  readonly store: TokenStore | null;
  /** The accepted API keys, on a server whose reload replaces them. Default: those of the settings. */
  readonly apiKeys?: ApiKeys;
  readonly fetchDocument: FetchDocument | null;
  readonly openJwe?: OpenJwe;
  readonly listens: Listens;
  readonly log: Log;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}

/**
 * Creates the authorization server and the protection of the MCP endpoint from the settings. Throws config_invalid
 * (spec, "Authentication").
 */
export function createAuth(deps: AuthDeps): Auth {
  const { settings, listens, log } = deps;
  const { auth, transport } = settings;
  const platform = listens === null ? { ...transport.http, scheme: 'https' as const } : transport.http;
  enforcePublicUrls(platform, listens);
  const callbackPath = auth.provider?.callback_path ?? '/callback';
  const sse = transport.provider === 'sse';
  const publicUrlsOf = createPublicUrls(platform, { callbackPath, sse });
  const base = transport.http.base_url;
  const prefix = base === null ? '' : withoutSlash(new URL(base).pathname).replace(/^\/$/, '');
  const tokens = createTokens(deps, { publicUrlsOf, callbackPath, prefix, sse });
  const keys = {
    keys: deps.apiKeys ?? createApiKeys(auth.api_keys ?? []),
    scopes:
      auth.verifier === null
        ? createScopes(auth.required_scopes, [])
        : createForeignScopes(auth.required_scopes),
    now: deps.now ?? Date.now,
  };
  const addressOf = (request: Request) => {
    const urls = publicUrlsOf(request);
    return tokens === null ? NO_METADATA : urls;
  };
  return {
    authenticate: async (request, signal, admit) => {
      const address = addressOf(request);
      const checked =
        (await authenticateKey(keys, address, request)) ??
        (await tokens?.authenticate(request, signal, admit)) ??
        rejectRequest(tokenInvalid(), address, keys.scopes);
      if ('user' in checked) logLogin(log, checked);
      return checked;
    },
    hidesCredentials: auth.hide_credential_headers,
    keysOnly: tokens === null,
    rejectScopes: (request, login, needed) => rejectScopes(addressOf(request), login, needed),
    respond: (authRequest) => tokens?.respond(authRequest) ?? null,
    ...(tokens?.claimOnce && { claimOnce: tokens.claimOnce }),
  };
}

/** A server that accepts API keys only has no metadata, because nobody can get a token there. */
const NO_METADATA = { entry: null };

/** The tokens that a server accepts besides API keys, and the paths where clients learn about them. */
type Tokens = Pick<Auth, 'authenticate' | 'respond' | 'claimOnce'>;

/** The addresses of a server, and the options that its paths depend on. */
interface Place {
  readonly publicUrlsOf: (request: Request) => PublicUrls;
  readonly callbackPath: string;
  readonly prefix: string;
  readonly sse: boolean;
}

/** Returns null for a server that accepts API keys only. */
function createTokens(deps: AuthDeps, place: Place): Tokens | null {
  const { provider, verifier, api_keys } = deps.settings.auth;
  if (verifier !== null) return createVerifierTokens(deps, verifier, place);
  return provider === null && api_keys !== null ? null : createOwnTokens(deps, place);
}

/** `auth.mode: issuer`: this server issues the tokens. */
function createOwnTokens(deps: AuthDeps, { publicUrlsOf, ...paths }: Place): Tokens {
  const server = createServer(deps);
  const { store } = server;
  const routes = createRoutes(paths);
  return {
    authenticate: (request) => authenticateBearer(server, publicUrlsOf(request), request),
    respond: (authRequest) => {
      const route = routes.get(withoutSlash(new URL(authRequest.request.url).pathname));
      return route === undefined ? null : answerRoute(server, route, publicUrlsOf, authRequest);
    },
    ...(store === null ? {} : { claimOnce: (key, seconds) => store.claimOnce(key, seconds) }),
  };
}

/** `auth.mode: verifier`: another server issues the tokens. */
function createVerifierTokens(
  deps: AuthDeps,
  block: VerifierBlock,
  { publicUrlsOf, ...paths }: Place,
): Tokens {
  const { settings, project, listens, log } = deps;
  const { required_scopes, allow, grants } = settings.auth;
  const now = deps.now ?? Date.now;
  enforceKnownAudience(block, settings.transport.http, listens);
  return createVerifierAuth({
    verifier: createVerifier(block, { fetch: deps.fetch ?? fetch, now }),
    issuer: block.issuer,
    project,
    scopes: createForeignScopes(required_scopes),
    rules: { allow, grants },
    publicUrlsOf,
    paths: resourcePaths(paths),
    log,
    now,
  });
}

function createServer(deps: AuthDeps): AuthServer {
  const { settings, project, endpointScopes, store, fetchDocument, openJwe, log } = deps;
  const { auth } = settings;
  const { allow, grants } = auth;
  const now = deps.now ?? Date.now;
  const ring = createKeyRing(enforceKeys([...parseKeys(auth.keys), ...(deps.ownKeys ?? [])]));
  const opener = openJwe === undefined ? {} : { openJwe };
  return {
    project,
    provider: createProvider(enforceProvider(auth), {
      fetch: deps.fetch ?? fetch,
      now,
      offline: store !== null,
      wanted: wantedFacts(auth),
    }),
    ring,
    sealer: createSealer({ ring, now, notBefore: auth.not_before, ...opener }),
    scopes: createScopes(auth.required_scopes, [
      ...endpointScopes,
      ...auth.clients.flatMap(({ scopes }) => scopes),
      ...grants.map(({ scope }) => scope),
    ]),
    rules: { allow, grants },
    clients: auth.clients,
    blocked: new Set(auth.blocked_clients.map(toHash)),
    store,
    fetchDocument,
    log,
    now,
  };
}

function enforceProvider({ provider }: AuthSettings) {
  if (provider !== null) return provider;
  throw new SvcError('config_invalid', 'No identity provider is configured: `auth.provider` is none.');
}

/** Throws config_invalid for anything but a hash, because such an entry would block no client. */
function toHash(written: string): string {
  const hash = digestFromHex(written);
  if (hash !== null) return hash;
  throw new SvcError(
    'config_invalid',
    'One of `auth.blocked_clients` is not the SHA-256 of a client id in hex.\nMake it with `printf %s <client id> | sha256sum`.',
  );
}

/** Throws config_invalid without a key: instances with generated keys would refuse each other's tokens. */
function enforceKeys(keys: readonly RootKey[]): readonly RootKey[] {
  if (keys.length > 0) return keys;
  throw new SvcError(
    'config_invalid',
    `\`auth.provider\` is set, but there is no key to seal tokens with.
Make one with \`svc auth keygen\`, and set SVC_AUTH_KEYS to it, or \`auth.keys\` in the user file.`,
  );
}

/** Spec, "OAuth 2.0 on the served endpoints", rule 4. */
function logLogin(log: Log, { user }: Authenticated): void {
  const { username, id, provider, name, email, apiKey } = user;
  const key = apiKey === undefined ? {} : { api_key: apiKey };
  const fields = { username, user_id: id, provider, name, email, ...key };
  log({ level: 'info', message: 'authenticated', fields });
}
