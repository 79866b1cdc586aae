import { SvcError, toSvcError } from '../errors.ts';
import type { AuthServer } from './server.ts';
import { endSession, type KeptSession, readSession, type Session, writeSession } from './sessions.ts';
import { type fromUpstream, toUpstream, toWho } from './who.ts';

/** The provider's token is renewed when it has less than this left, in seconds; earlier than half-way never. */
const MARGIN = 60;
/** How long one instance may take to renew, in seconds, and how often another looks meanwhile. */
const LOCK_SECONDS = 15;
const LOOK_MS = 100;
const LOOKS = 100;

const running = new WeakMap<AuthServer, Map<string, Promise<KeptSession | null>>>();

/** Whether the provider's token is about to end. */
function isStale({ now }: AuthServer, { up }: Session): boolean {
  return up.e !== null && up.e - now() / 1000 < Math.min(MARGIN, (up.e - up.o) / 2);
}

/** Whether the provider's token has ended. */
export function isOver({ now }: AuthServer, { up }: Session): boolean {
  return up.e !== null && up.e <= now() / 1000;
}

/** A session whose provider's token is good for a while, renewed at most once whoever asks; null: it has ended. */
export function freshen(
  server: AuthServer,
  id: string,
  kept: KeptSession,
  signal: AbortSignal,
): Promise<KeptSession | null> {
  if (!isStale(server, kept.session) || kept.session.up.r === null) return Promise.resolve(kept);
  const flights = running.get(server) ?? new Map<string, Promise<KeptSession | null>>();
  running.set(server, flights);
  const known = flights.get(id);
  if (known !== undefined) return known;
  const flight = renew(server, id, kept, signal).finally(() => flights.delete(id));
  flights.set(id, flight);
  return flight;
}

async function renew(server: AuthServer, id: string, kept: KeptSession, signal: AbortSignal) {
  const lock = `renew:${id}`;
  const mine = (await server.store?.claimOnce(lock, LOCK_SECONDS)) ?? true;
  if (!mine) return waitForOther(server, id, kept);
  try {
    // Another instance may have been done just before the lock was ours.
    const current = await readSession(server, id);
    if (current === null || !isStale(server, current.session)) return current;
    return await ask(server, id, current, signal);
  } finally {
    await server.store?.delete(lock);
  }
}

async function ask(server: AuthServer, id: string, { session }: KeptSession, signal: AbortSignal) {
  const { provider, log } = server;
  try {
    const tokens = await provider.refresh(session.up.r ?? '', signal);
    const who = toWho(await provider.identify(tokens, null, signal));
    if (who.i !== session.who.i) throw new SvcError('login_refused', 'The provider now names somebody else.');
    return await store(server, id, { up: toUpstream(tokens, server.now()), who });
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code !== 'login_refused') throw error;
    log({ level: 'info', message: `a session ended: ${error.message}` });
    await endSession(server, id);
    return null;
  }
}

/** A rotation of our own token may come between; what the provider gave must not be lost to it. */
async function store(server: AuthServer, id: string, change: Pick<Session, 'up' | 'who'>) {
  for (;;) {
    const current = await readSession(server, id);
    if (current === null) return null;
    if (await writeSession(server, id, { ...current.session, ...change }, current.version)) {
      return readSession(server, id);
    }
  }
}

async function waitForOther(server: AuthServer, id: string, kept: KeptSession) {
  for (let look = 0; look < LOOKS; look += 1) {
    const current = await readSession(server, id);
    if (current === null || !isStale(server, current.session)) return current;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  if (!isOver(server, kept.session)) return kept;
  throw new SvcError('login_unavailable', 'Another instance did not finish renewing the token.');
}

/** Ends the provider's tokens where it can; its failure is a line in the log. */
export async function revokeUpstream(
  { provider, log }: AuthServer,
  tokens: ReturnType<typeof fromUpstream>,
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
