import { SvcError, toSvcError } from '../errors.ts';
import { fromUpstream, toClaims, toUpstream } from './claims.ts';
import { endSession, type LoginSession, readSession, type StoredSession, writeSession } from './sessions.ts';
import type { AuthServer } from './types.ts';
import type { UpstreamTokens } from './upstream/provider.ts';

/** The provider's token is renewed when it has less than this left, in seconds; earlier than half-way never. */
const MARGIN = 60;
/** How long one instance may take to renew, in milliseconds, and how often another looks meanwhile. */
const RENEW_MS = 20_000;
const LOOK_MS = 100;
const LOOKS = 100;
/** Longer than a renewal, so that there are never two at once; in seconds. */
const LOCK_SECONDS = 30;

/** Whether the provider's token is about to end and can be renewed. */
function isStale({ now }: AuthServer, { up }: LoginSession): boolean {
  return up.r !== null && up.e !== null && up.e - now() / 1000 < Math.min(MARGIN, (up.e - up.o) / 2);
}

/** Whether the provider has to be asked for something. */
export function isDue(server: AuthServer, session: LoginSession): boolean {
  return !session.known || isStale(server, session);
}

/** Whether the provider's token has ended. */
export function isOver({ now }: AuthServer, { up }: LoginSession): boolean {
  return up.e !== null && up.e <= now() / 1000;
}

/**
 * A session whose provider's token is good for a while, renewed at most once whoever asks; null: it has ended. It is the
 * store that makes others wait: in a Worker no request may wait for another's promise.
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
    // Another instance may have been done just before the lock was ours.
    const current = await readSession(server, id);
    return current === null || !isDue(server, current.session) ? current : await renew(server, id, current);
  } finally {
    await server.store?.delete(lock);
  }
}

/** Not for the caller's signal: providers give each token once, and nobody else could fetch it again. */
async function renew(
  server: AuthServer,
  id: string,
  { session }: StoredSession,
): Promise<StoredSession | null> {
  const signal = AbortSignal.timeout(RENEW_MS);
  try {
    const up = isStale(server, session) ? await renewTokens(server, id, session, signal) : session.up;
    const who = toClaims(await server.provider.identify(fromUpstream(up), null, signal));
    if (who.i !== session.who.i) throw new SvcError('login_refused', 'The provider now names somebody else.');
    return await change(server, id, { who, known: true });
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code !== 'login_refused') throw error;
    server.log({ level: 'info', message: `a session ended: ${error.message}` });
    await endSession(server, id);
    return null;
  }
}

/** Kept before anything else is asked: the tokens that were there may be dead by now. */
async function renewTokens(server: AuthServer, id: string, session: LoginSession, signal: AbortSignal) {
  const tokens = await server.provider.refresh(session.up.r ?? '', signal);
  const up = toUpstream(tokens, server.now());
  // Somebody signed out meanwhile.
  if ((await change(server, id, { up, known: false })) === null) await revokeUpstream(server, tokens, signal);
  return up;
}

/** A rotation of our own token may come between; what the provider gave must not be lost to it. */
async function change(
  server: AuthServer,
  id: string,
  what: Partial<LoginSession>,
): Promise<StoredSession | null> {
  for (;;) {
    const current = await readSession(server, id);
    if (current === null) return null;
    if (await writeSession(server, id, { ...current.session, ...what }, current.version)) {
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

/** Ends the provider's tokens where it can; its failure is a line in the log. */
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
