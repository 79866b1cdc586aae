import { SvcError, toSvcError } from '../errors.ts';
import { fromUpstream, toClaims, toUpstream } from './claims.ts';
import { endSession, type LoginSession, readSession, type StoredSession, writeSession } from './sessions.ts';
import type { AuthServer } from './types.ts';
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

/** Whether the provider's token is about to expire and can be renewed. */
function isStale({ now }: AuthServer, { up }: LoginSession): boolean {
  return up.r !== null && up.e !== null && up.e - now() / 1000 < Math.min(MARGIN, (up.e - up.o) / 2);
}

/** Whether the session needs a request to the provider: new tokens, or the identity for its newest ones. */
export function isDue(server: AuthServer, session: LoginSession): boolean {
  return !session.known || isStale(server, session);
}

/** Whether the provider's token has expired. */
export function isOver({ now }: AuthServer, { up }: LoginSession): boolean {
  return up.e !== null && up.e <= now() / 1000;
}

/**
 * Renews the provider's token of a session if it is due; null if the login has ended. Concurrent requests renew it once.
 * They wait by reading the store, because in a Worker no request may wait for another's promise.
 */
export async function freshen(
  server: AuthServer,
  id: string,
  kept: StoredSession,
): Promise<StoredSession | null> {
  if (!isDue(server, kept.session)) return kept;
  const lock = `renew:${id}`;
  const mine = (await server.store?.claimOnce(lock, LOCK_SECONDS)) ?? true;
  if (!mine) return waitForOther(server, id, kept);
  try {
    // Another instance may have finished just before this one got the lock.
    const current = await readSession(server, id);
    return current === null || !isDue(server, current.session) ? current : await renew(server, id, current);
  } finally {
    await server.store?.delete(lock);
  }
}

/** Ignores the caller's signal: providers issue each token once, and an aborted request would lose it. */
async function renew(
  server: AuthServer,
  id: string,
  { session }: StoredSession,
): Promise<StoredSession | null> {
  const signal = AbortSignal.timeout(RENEW_MS);
  try {
    const up = isStale(server, session) ? await renewTokens(server, id, session, signal) : session.up;
    const who = toClaims(await server.provider.identify(fromUpstream(up), null, signal));
    if (who.i !== session.who.i) throw new SvcError('login_refused', 'The provider now names another user.');
    return await change(server, id, { who, known: true });
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code !== 'login_refused') throw error;
    server.log({ level: 'info', message: `a session ended: ${error.message}` });
    await endSession(server, id);
    return null;
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

async function waitForOther(server: AuthServer, id: string, kept: StoredSession) {
  for (let look = 0; look < LOOKS; look += 1) {
    const current = await readSession(server, id);
    if (current === null || !isDue(server, current.session)) return current;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  if (!isOver(server, kept.session)) return kept;
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
