import type * as v from 'valibot';
import type { User } from '../context.ts';
import { SvcError, toSvcError } from '../errors.ts';
import { type Claims, fromClaims, toUser } from './claims.ts';
import { heldScopes, labelOf, notAllowed } from './held-scopes.ts';
import { toDescription } from './oauth-error.ts';
import type { PublicUrls } from './public-urls.ts';
import type { Scopes } from './scopes.ts';
import { freshen, isDue, isOver } from './session-renewal.ts';
import { readSession, type StoredSession } from './sessions.ts';
import { ACCESS } from './tokens.ts';
import type { Authenticated, AuthRejection, AuthServer } from './types.ts';
import { originOf } from './upstream/provider.ts';

type AccessToken = v.InferOutput<typeof ACCESS>;

/**
 * Authenticates a request to the MCP endpoint by its bearer token. A rejection carries the error and the challenge for
 * the client.
 */
export async function authenticateBearer(
  server: AuthServer,
  urls: PublicUrls,
  request: Request,
): Promise<Authenticated | AuthRejection> {
  try {
    const token = findToken(request);
    if (token.length > MAX_TOKEN) throw tokenInvalid();
    const access = await openAccessToken(server, urls, token);
    enforceAudience(access, urls);
    enforceClient(access, server);
    enforceProvider(access, server);
    const { who: claims, sc, sid: sessionId } = access;
    const { user, held } =
      claims === undefined ? await userOfSession(server, sessionId) : userOfClaims(server, access, claims);
    const scopes = sc.filter((scope) => held.includes(scope));
    const lastsMs = access.exp * 1_000 - server.now();
    return checkRequiredScopes({ user, scopes, held, sessionId, lastsMs }, urls, server.scopes);
  } catch (thrown) {
    return rejectRequest(thrown, urls, server.scopes);
  }
}

/** The most characters of a token of this server. */
const MAX_TOKEN = 8_192;

/**
 * Returns the bearer token of the Authorization header. Throws token_missing without one, token_invalid for a malformed
 * one, and request_invalid for a token in the URL (MCP Authorization, "Access Token Usage").
 */
export function findToken({ headers, url }: Request): string {
  const header = headers.get('authorization') ?? '';
  if (/[?&]access_token=/.test(url)) {
    throw new SvcError('request_invalid', 'The token must be in the Authorization header, not in the URL.');
  }
  if (!/^ *bearer(?: |$)/i.test(header)) throw new SvcError('token_missing', 'A bearer token is required.');
  const token = /^ *bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1];
  if (token === undefined) throw tokenInvalid();
  return token;
}

async function openAccessToken({ sealer }: AuthServer, { issuer }: PublicUrls, token: string) {
  const access = await sealer.open('access', issuer, token, ACCESS);
  if (access === null) throw tokenInvalid();
  return access;
}

function enforceAudience({ aud }: AccessToken, { resource }: PublicUrls): void {
  if (aud !== resource) throw tokenInvalid();
}

/** Throws token_invalid for a client that the operator has blocked since. */
function enforceClient({ h: clientHash }: AccessToken, { blocked }: AuthServer): void {
  if (blocked.has(clientHash)) throw tokenInvalid();
}

/**
 * Throws token_invalid for a user of an earlier identity provider, or of another realm or sandbox of it. A client's own
 * token has no provider.
 */
function enforceProvider({ idp }: AccessToken, { provider }: AuthServer): void {
  if (idp !== null && idp !== originOf(provider)) throw tokenInvalid();
}

/** A user, and the scopes that the user holds now. */
interface Entitled {
  readonly user: User;
  readonly held: readonly string[];
}

function userOfClaims(server: AuthServer, { idp, up: upstream }: AccessToken, claims: Claims): Entitled {
  const isLive = upstream !== undefined && (upstream.e === null || upstream.e > server.now() / 1000);
  const user = toUser(claims, idp === null ? null : server.provider.id, isLive ? upstream.t : null);
  return { user, held: idp === null ? scopesOfClient(server, claims) : scopesOfUser(server, claims, user) };
}

/** The scopes of a client's own token are those of its current registration. Throws token_invalid for a removed client. */
function scopesOfClient({ clients }: AuthServer, { un: id }: Claims): readonly string[] {
  const client = clients.find(({ client_id }) => client_id === id);
  if (client?.grant_types.includes('client_credentials')) return client.scopes;
  throw tokenInvalid();
}

/** The rules apply to every request, so that a change of them does not wait for new tokens. */
function scopesOfUser({ rules }: AuthServer, claims: Claims, user: User): readonly string[] {
  const held = heldScopes(rules, fromClaims(claims));
  if (held === null) throw notAllowed(rules, user);
  return held;
}

/** Opens the session, freshens the provider's token, and reads the user. */
async function userOfSession(server: AuthServer, id: string): Promise<Entitled> {
  const stored = await openSession(server, id);
  const { session } = await freshenSession(server, id, stored);
  const user = toUser(session.who, server.provider.id, isOver(server, session) ? null : session.up.a);
  return { user, held: scopesOfUser(server, session.who, user) };
}

/** Reads the session from the store on every request, so that a sign-out takes effect at once. */
async function openSession(server: AuthServer, id: string): Promise<StoredSession> {
  const stored = await readSession(server, id);
  if (stored === null || stored.session.end <= server.now() / 1000) throw tokenInvalid();
  return stored;
}

/** Seconds for which the calls of a session do not retry a provider that failed. */
const RETRY_SECONDS = 30;

/** Renews the provider's token if it is due. Throws token_invalid if the provider ended the login. */
async function freshenSession(server: AuthServer, id: string, stored: StoredSession): Promise<StoredSession> {
  if (!isDue(server, stored.session)) return stored;
  const fresh = await tryToFreshen(server, id, stored);
  if (fresh === null) throw tokenInvalid();
  return fresh;
}

/** Keeps the session as it is while the provider renews no tokens, because most calls never need its token. */
async function tryToFreshen(
  server: AuthServer,
  id: string,
  stored: StoredSession,
): Promise<StoredSession | null> {
  const rest = `rest:${id}`;
  if ((await server.store?.get(rest)) ?? null) return stored;
  try {
    return await freshen(server, id, stored);
  } catch (thrown) {
    const error = toSvcError(thrown);
    server.log({ level: 'warn', message: `a token was not renewed: ${error.message}` });
    if (!isOfProvider(error)) throw error;
    // The store itself may be out of order.
    await server.store?.claimOnce(rest, RETRY_SECONDS).catch(() => false);
    return readSession(server, id);
  }
}

/** Whether the provider did not answer, or only the operator can mend its settings. The store can be out of order too. */
function isOfProvider({ code, detail }: SvcError): boolean {
  return code === 'login_unavailable' || (code === 'config_invalid' && detail?.provider !== undefined);
}

/** Returns the login if it holds every scope that the server requires of all callers. */
export function checkRequiredScopes(
  login: Authenticated,
  urls: ChallengeAddress,
  { required }: Pick<Scopes, 'required'>,
): Authenticated | AuthRejection {
  if (required.every((scope) => login.scopes.includes(scope))) return login;
  return rejectScopes(urls, login, required);
}

/**
 * Rejects a token that lacks scopes. The challenge names the scopes that the client holds too, because the next token
 * replaces this one.
 */
export function rejectScopes(
  urls: ChallengeAddress,
  { user, scopes, held }: Authenticated,
  needed: readonly string[],
): AuthRejection {
  const missing = needed.filter((scope) => !held.includes(scope));
  const why =
    missing.length === 0
      ? `The token must hold all of: ${needed.join(' ')}.`
      : `${labelOf(user)} does not hold: ${missing.join(' ')}.`;
  const error = new SvcError('scope_insufficient', why);
  return { error, challenge: toChallenge(urls, [...new Set([...needed, ...scopes])], error) };
}

/** Rejects a request for an error. The challenge asks for the basic scopes. */
export function rejectRequest(
  thrown: unknown,
  urls: ChallengeAddress,
  { basic }: Pick<Scopes, 'basic'>,
): AuthRejection {
  const error = toSvcError(thrown);
  return { error, challenge: toChallenge(urls, basic, error) };
}

/** The error for a bad token. It does not tell the reason. */
export function tokenInvalid(): SvcError {
  return new SvcError('token_invalid', 'The token is invalid or has expired.');
}

/** Errors of a challenge (RFC 6750, 3.1); a request without credentials gets none. */
const CHALLENGE_ERRORS: { readonly [code: string]: string } = {
  request_invalid: 'invalid_request',
  token_invalid: 'invalid_token',
  api_key_invalid: 'invalid_token',
  scope_insufficient: 'insufficient_scope',
  denied: 'insufficient_scope',
};

/** The address whose metadata a challenge names; null if the server has none, because it accepts API keys only. */
export interface ChallengeAddress {
  readonly entry: PublicUrls['entry'] | null;
}

/**
 * The `WWW-Authenticate` header that leads a client to a token (RFC 9728, 5.1; MCP Authorization, "Scope Challenge
 * Handling").
 *
 * @example Bearer error="invalid_token", error_description="...", scope="svc:access", resource_metadata="https://..."
 */
function toChallenge(
  { entry }: ChallengeAddress,
  scopes: readonly string[],
  { code, message }: SvcError,
): string {
  const error = CHALLENGE_ERRORS[code];
  const parameters = {
    ...(error === undefined ? {} : { error, error_description: toDescription(message) }),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(entry === null ? {} : { resource_metadata: metadataOf(new URL(entry)) }),
  };
  const list = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${list.join(', ')}`;
}

function metadataOf({ origin, pathname }: URL): string {
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}
