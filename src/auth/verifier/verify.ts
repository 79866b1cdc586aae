import { decodeProtectedHeader, errors, jwtVerify, type RemoteJWKSet } from 'jose';
import type { User } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import { type JsonObject, textOf, textsOf } from '../../json.ts';
import { openIdUrl } from '../../settings/config-url.ts';
import type { VerifierBlock } from '../../settings/model.ts';
import { toClaims, toUser } from '../claims.ts';
import { type Identity, toIdentity } from '../identity.ts';
import type { Admit } from '../types.ts';
import { createDiscovery } from '../upstream/discovery.ts';
import { misconfigured } from '../upstream/errors.ts';
import { ALGORITHMS, createKeysAt } from '../upstream/id-token.ts';
import { toOpenIdProfile } from '../upstream/openid.ts';
import type { ProviderPorts } from '../upstream/provider.ts';
import { createSend, type SendToProvider } from '../upstream/request.ts';
import { createIntrospect, type Introspect } from './introspection.ts';

/** The user of a valid token that another authorization server issued for this server. */
interface Verified {
  /** The user, without an external token, because the token is for this server only (MCP Authorization, "Token passthrough"). */
  readonly user: User;
  readonly identity: Identity;
  /** The scopes that the issuer granted to the client. */
  readonly scopes: readonly string[];
  /** Milliseconds until the token ends. */
  readonly lastsMs: number;
}

/** The choices of a request that may ask the authorization server. */
export interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly admit: Admit;
}

/**
 * Verifies a token for this server; `resource` lists its accepted audiences. Returns null for an invalid token, and
 * throws login_unavailable if the authorization server does not answer, and what `admit` throws.
 */
export type Verify = (
  token: string,
  resource: readonly string[],
  options: VerifyOptions,
) => Promise<Verified | null>;

/** The verification of another server's tokens. */
export interface Verifier {
  readonly verify: Verify;
  /** Returns the issuer exactly as in `iss`. Throws as `verify` does. */
  readonly issuer: (options: VerifyOptions) => Promise<string>;
}

const TOLERANCE_SECONDS = 5;
/** The user of a token carries no facts for rules; `identity` has them. */
const NO_RULES = { allow: null, grants: [] };
/** The types of access tokens: RFC 9068, and older servers. Logout tokens and others have another type. */
const TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt']);

/** Verifies tokens of `mode: verifier`: JWTs by the issuer's keys (RFC 9068), others by introspection (RFC 7662). */
export function createVerifier(block: VerifierBlock, ports: ProviderPorts): Verifier {
  const send = createSend(ports);
  const name = block.provider_name ?? 'The authorization server';
  const find = createFindServer(block, name, ports.now);
  const keysOf = createKeysAt(name, send);
  const introspect = createIntrospect(block, name, ports.now);
  const askWith =
    ({ admit }: VerifyOptions): SendToProvider =>
    async (request) => {
      await admit();
      return send(request);
    };
  const verify: Verify = async (token, resource, options) => {
    const ask = askWith(options);
    const server = await find(options.signal, ask);
    const now = ports.now();
    const claims = await readClaims(token, { ...options, server, keysOf, introspect, now, ask });
    const audience = block.audience.length > 0 ? block.audience : resource;
    if (claims === null) return null;
    return toVerified(claims, block, { issuer: server.issuer, audience, now: ports.now() });
  };
  const issuer = async (options: VerifyOptions) => (await find(options.signal, askWith(options))).issuer;
  return { verify, issuer };
}

interface Reading extends VerifyOptions {
  readonly server: VerifierServer;
  readonly keysOf: (url: string) => RemoteJWKSet;
  readonly introspect: Introspect;
  readonly ask: SendToProvider;
  readonly now: number;
}

/** Reads a token's claims. A token in the form of a JWT is one if the issuer has keys. */
function readClaims(token: string, reading: Reading): Promise<JsonObject | null> {
  const { server, keysOf, introspect, ask, signal } = reading;
  if (server.jwks !== null && isJwt(token)) return readJwt(token, keysOf(server.jwks), reading);
  if (server.introspection !== null) return introspect(token, { url: server.introspection, ask, signal });
  return Promise.resolve(null);
}

function isJwt(token: string): boolean {
  try {
    const { typ = 'JWT' } = decodeProtectedHeader(token);
    return token.split('.').length === 3 && TYPES.has(typ.toLowerCase());
  } catch {
    return false;
  }
}

async function readJwt(token: string, keys: RemoteJWKSet, { server, now, admit }: Reading) {
  if (!keys.fresh) await admit();
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      issuer: server.issuer,
      requiredClaims: ['aud', 'exp', 'sub'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
    return payload as JsonObject;
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    if (thrown instanceof errors.JOSEError) return null;
    throw new SvcError('internal', 'A token could not be checked.', { cause: thrown });
  }
}

/** The facts about this server and the authorization server that a token is compared with. */
interface Expected {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly now: number;
}

/** Applies the same rules to both kinds of tokens: issuer, audience, subject and expiry. */
function toVerified(
  claims: JsonObject,
  block: VerifierBlock,
  { issuer, audience, now }: Expected,
): Verified | null {
  const { exp } = claims;
  const own = textsOf(claims.aud).some((one) => audience.includes(one));
  const subject = textOf(claims, 'sub');
  if (typeof exp !== 'number' || exp + TOLERANCE_SECONDS <= now / 1000 || !own || subject === null)
    return null;
  if ((textOf(claims, 'iss') ?? issuer) !== issuer || isOtherKind(claims)) return null;
  const identity = toIdentity(toOpenIdProfile(claims), block.claim_mappings);
  const provider = block.provider_name ?? 'verifier';
  return {
    user: toUser(toClaims(identity, NO_RULES), provider, null),
    identity,
    scopes: scopesOf(claims),
    lastsMs: exp * 1_000 - now,
  };
}

/**
 * Whether a token is an id or refresh token without a type in its header. Keycloak marks them by `typ`, Cognito and
 * Hydra by `token_use`, others by a hash (Core, 3.1.3.6).
 */
function isOtherKind({ typ, token_use, at_hash, c_hash }: JsonObject): boolean {
  if (at_hash !== undefined || c_hash !== undefined) return true;
  if (token_use !== undefined && token_use !== 'access' && token_use !== 'access_token') return true;
  return typeof typ === 'string' && /^(id|refresh|offline|logout)$/i.test(typ);
}

/** Reads `scope` (RFC 8693), which some servers name `scp`. */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  const words = textsOf(scope ?? scp).flatMap((text) => text.split(/\s+/));
  return [...new Set(words.filter((word) => word !== ''))];
}

/** The issuer exactly as in `iss`, and the addresses for checking its tokens. */
interface VerifierServer {
  readonly issuer: string;
  readonly jwks: string | null;
  readonly introspection: string | null;
}

/**
 * Finds the addresses in the settings, or in the issuer's discovery document (RFC 8414, OpenID Connect Discovery). The issuer
 * in the document may differ from the configured one in a slash at its end.
 */
function createFindServer(
  block: VerifierBlock,
  provider: string,
  now: () => number,
): (signal: AbortSignal, ask: SendToProvider) => Promise<VerifierServer> {
  const { issuer, config_url, jwks_url, introspection_url } = block;
  if (jwks_url !== undefined || introspection_url !== undefined) {
    const fixed = { issuer, jwks: jwks_url ?? null, introspection: introspection_url ?? null };
    return async () => fixed;
  }
  const urls = config_url === undefined ? [metadataUrl(issuer), openIdUrl(issuer)] : [config_url];
  const discover = createDiscovery({ provider, issuer, urls, now });
  return async (signal, ask) => {
    const document = await discover(signal, ask);
    const jwks = textOf(document, 'jwks_uri');
    // Introspection requires a client.
    const introspection = block.client_id ? textOf(document, 'introspection_endpoint') : null;
    const named = textOf(document, 'issuer') ?? issuer;
    if (jwks !== null || introspection !== null) return { issuer: named, jwks, introspection };
    throw misconfigured(
      { provider },
      'names neither keys nor an introspection endpoint. Set jwks_url or introspection_url.',
    );
  };
}

/** The well-known path goes between the host and the issuer's own path (RFC 8414, 3.1). */
function metadataUrl(issuer: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/+$/, '')}`;
}
