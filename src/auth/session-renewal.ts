import { SvcError, toSvcError } from '../errors.ts';
import { type Claims, fromClaims, fromUpstream, toClaims, toUpstream } from './claims.ts';
import { enforceEntitled } from './held-scopes.ts';
import type { Identity } from './identity.ts';
import { endSession, type LoginSession, readSession, type StoredSession, writeSession } from './sessions.ts';
import type { AuthServer } from './types.ts';
import { expiryOf } from './upstream/id-token.ts';
import type { UpstreamTokens } from './upstream/provider.ts';

/** Renewal starts this many seconds before the provider's token expires, but not in the first half of its life. */
const MARGIN = 60;
/** The most milliseconds of one renewal. */
const RENEW_MS = 20_000;
/** The interval in milliseconds at which other instances look for the result, and the number of looks. */
const LOOK_MS = 100;
const LOOKS = 100;
/** Longer than a renewal, so that two never overlap; in seconds. */
const LOCK_SECONDS = 30;

/** Whether the provider's token is about to expire, or its id token expired unread, and they can be renewed. */
function isStale(server: AuthServer, session: LoginSession): boolean {
  const { r, e, o } = session.up;
  if (r === null) return false;
  const ends = e !== null && e - server.now() / 1000 < Math.min(MARGIN, (e - o) / 2);
  return ends || hasUnreadable(server, session);
}

/** Whether the id token expired before the provider could identify the user with it. */
function hasUnreadable({ now }: AuthServer, { known, up }: LoginSession): boolean {
  const end = known || up.i === null ? null : expiryOf(up.i);
  return end !== null && end <= now() / 1000;
}

/** Whether the session needs a request to the provider: new tokens, or the identity for its newest ones. */
export function isDue(server: AuthServer, session: LoginSession): boolean {
  return !session.known || isStale(server, session);
}

/** Whether the provider's token has expired. */
export function isOver({ now }: AuthServer, { up }: LoginSession): boolean {
  return up.e !== null && up.e <= now() / 1000;
}

/** Whether the provider has not been asked about the user since the refresh token of this generation was issued. */
function isUnasked({ g, ag }: LoginSession, generation: number | null): boolean {
  return g === generation && ag <= g;
}

/**
 * Renews the provider's token of a session if it is due; null if the login has ended. The use of a refresh token names
 * its generation, and asks the provider in any case, because the user may have left a group. Concurrent requests renew it once.
 * They wait by reading the store, because in a Worker no request may wait for another's promise.
 */
export async function freshen(
  server: AuthServer,
  id: string,
  kept: StoredSession,
  generation: number | null = null,
): Promise<StoredSession | null> {
  const due = (session: LoginSession) => isDue(server, session) || isUnasked(session, generation);
  if (!due(kept.session)) return kept;
  const lock = `renew:${id}`;
  const mine = (await server.store?.claimOnce(lock, LOCK_SECONDS)) ?? true;
  if (!mine) return waitForOther(server, id, { kept, due, asks: isUnasked(kept.session, generation) });
  try {
    // Another instance may have finished just before this one got the lock.
    const current = await readSession(server, id);
    if (current === null || !due(current.session)) return current;
    return await renew(server, id, current, generation);
  } finally {
    await server.store?.delete(lock);
  }
}

/** Ignores the caller's signal: providers issue each token once, and an aborted request would lose it. */
async function renew(
  server: AuthServer,
  id: string,
  { session }: StoredSession,
  generation: number | null,
): Promise<StoredSession | null> {
  const signal = AbortSignal.timeout(RENEW_MS);
  const asks = isUnasked(session, generation);
  const renews = isStale(server, session) || (asks && session.up.r !== null);
  try {
    const up = renews ? await renewTokens(server, id, session, signal) : session.up;
    // An id token of an earlier answer would repeat its facts.
    const tokens = renews || !session.known ? fromUpstream(up) : { ...fromUpstream(up), idToken: null };
    const who = await identifyAgain(server, { known: session.who, tokens }, signal);
    return await change(server, id, { who, known: true, ...(asks && { ag: session.g + 1 }) });
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code !== 'login_refused' && error.code !== 'denied') throw error;
    server.log({ level: 'info', message: `a session ended: ${error.message}` });
    await endSession(server, id);
    return null;
  }
}

/** Returns the claims of the user now; the known ones if the provider has no way to ask for others. */
async function identifyAgain(
  server: AuthServer,
  { known, tokens }: { readonly known: Claims; readonly tokens: UpstreamTokens },
  signal: AbortSignal,
): Promise<Claims> {
  const { provider } = server;
  if ((await provider.canIdentify?.(tokens, signal)) === false) return known;
  const identity = await provider.identify(tokens, null, signal);
  if (identity.id !== known.i) throw new SvcError('login_refused', 'The provider now names another user.');
  return (await admitUser(server, { identity, tokens }, signal)).who;
}

/** A user as the provider names them now. */
interface NamedLogin {
  readonly identity: Identity;
  readonly tokens: UpstreamTokens;
}

/**
 * Returns the claims of a user and the scopes that the user holds. Throws denied for a user who may not use the server,
 * and revokes the provider's tokens.
 */
export async function admitUser(
  server: AuthServer,
  { identity, tokens }: NamedLogin,
  signal: AbortSignal,
): Promise<{ readonly who: Claims; readonly held: readonly string[] }> {
  const who = toClaims(identity, server.rules);
  try {
    return { who, held: enforceEntitled(server, identity, fromClaims(who)) };
  } catch (thrown) {
    server.log({ level: 'info', message: `sign-in refused: ${toSvcError(thrown).message}` });
    await revokeUpstream(server, tokens, signal);
    throw thrown;
  }
}

/** Stores the new tokens before the next request, because the old ones may be invalid now. */
async function renewTokens(server: AuthServer, id: string, session: LoginSession, signal: AbortSignal) {
  const tokens = await server.provider.refresh(session.up.r ?? '', signal);
  const up = toUpstream(tokens, server.now());
  // The user has signed out meanwhile.
  if ((await change(server, id, { up, known: false })) === null) await revokeUpstream(server, tokens, signal);
  return up;
}

/** Retries until the change is written: a concurrent rotation of our refresh token must not lose it. */
async function change(
  server: AuthServer,
  id: string,
  fields: Partial<LoginSession>,
): Promise<StoredSession | null> {
  for (;;) {
    const current = await readSession(server, id);
    if (current === null) return null;
    if (await writeSession(server, id, { ...current.session, ...fields }, current.version)) {
      return readSession(server, id);
    }
  }
}

interface Waiting {
  readonly kept: StoredSession;
  readonly due: (session: LoginSession) => boolean;
  /** Whether the request may not go on before the provider has answered. */
  readonly asks: boolean;
}

async function waitForOther(server: AuthServer, id: string, { kept, due, asks }: Waiting) {
  for (let look = 0; look < LOOKS; look += 1) {
    const current = await readSession(server, id);
    if (current === null || !due(current.session)) return current;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  if (!asks && !isOver(server, kept.session)) return kept;
  throw new SvcError('login_unavailable', 'Another instance did not finish renewing the token.');
}

/** Revokes the provider's tokens if it supports that. A failure is only logged. */
export async function revokeUpstream(
  { provider, log }: AuthServer,
  tokens: UpstreamTokens,
  signal: AbortSignal,
): Promise<void> {
  try {
    await provider.revoke?.(tokens, signal);
  } catch (thrown) {
    log({
      level: 'warn',
      message: `the provider's token could not be revoked: ${toSvcError(thrown).message}`,
    });
  }
}

/** Ends a session here and at the provider. */
export async function closeSession(server: AuthServer, sid: string, signal: AbortSignal): Promise<void> {
  const stored = await readSession(server, sid);
  await endSession(server, sid);
  if (stored !== null) await revokeUpstream(server, fromUpstream(stored.session.up), signal);
}
