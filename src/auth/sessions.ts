import * as v from 'valibot';
import type { Lifetime } from '../crypto/seal.ts';
import { CLAIMS, UPSTREAM } from './claims.ts';
import type { AuthServer } from './types.ts';

/** One sign-in as the store keeps it: a family of refresh tokens and what the provider gave. */
export const SESSION = v.object({
  /** Hash of the client's id. */
  h: v.string(),
  /** The provider that signed the person in: its ids and tokens mean nothing to another. */
  idp: v.string(),
  sc: v.array(v.string()),
  /** Generation of the refresh token that counts. */
  g: v.number(),
  /** When it was made, in milliseconds, and itself: who asks again at once gets the same one. */
  at: v.number(),
  rt: v.nullable(v.string()),
  who: CLAIMS,
  up: UPSTREAM,
  /** Whether the provider has said who this is since it gave these tokens. */
  known: v.boolean(),
  /** When it ends, whatever happens; seconds. */
  end: v.number(),
});

export type LoginSession = v.InferOutput<typeof SESSION>;

/** A session with the version that a change must name. */
export interface StoredSession {
  readonly session: LoginSession;
  readonly version: number;
}

/** Refresh tokens that are not used for so long are over; in seconds. */
export const IDLE_SECONDS = 30 * 86_400;
/** No session is longer; in seconds. */
export const ABSOLUTE_SECONDS = 90 * 86_400;

/** What is sealed for the store belongs to this server, at whichever address it was reached. */
const ANYWHERE = 'store';

const keyOf = (id: string) => `session:${id}`;

/** Sessions unsealed lately, by server and by the very text that was stored. */
const unsealed = new WeakMap<AuthServer, Map<string, LoginSession & Lifetime>>();
const REMEMBERED = 1_000;

/** A session of this server's provider; null when there is none, or none any more. */
export async function readSession(server: AuthServer, id: string): Promise<StoredSession | null> {
  const stored = await server.store?.get(keyOf(id));
  if (!stored) return null;
  const session = await unseal(server, stored.value);
  return session?.idp === server.provider.id ? { session, version: stored.version } : null;
}

/** The store is asked each time; only what it answers again need not be decrypted again. */
async function unseal(server: AuthServer, value: string): Promise<LoginSession | null> {
  const known = unsealed.get(server) ?? new Map<string, LoginSession & Lifetime>();
  unsealed.set(server, known);
  const found = known.get(value);
  if (found !== undefined && server.now() / 1000 < found.exp) return found;
  const session = await server.sealer.open('store', ANYWHERE, value, SESSION);
  if (session === null) return null;
  if (known.size >= REMEMBERED) known.clear();
  known.set(value, session);
  return session;
}

/** Writes a session over the version that was read (0: a new one); tells whether nobody else was faster. */
export async function writeSession(
  { store, sealer, now }: AuthServer,
  id: string,
  session: LoginSession,
  ifVersion: number,
): Promise<boolean> {
  const seconds = Math.min(IDLE_SECONDS, session.end - Math.floor(now() / 1000));
  if (store === null || seconds <= 0) return false;
  const value = await sealer.seal('store', ANYWHERE, session, seconds);
  return store.put(keyOf(id), value, { seconds, ifVersion });
}

/** Ends a session: none of its tokens counts any more. */
export async function endSession({ store }: AuthServer, id: string): Promise<void> {
  await store?.delete(keyOf(id));
}
