import * as v from 'valibot';
import type { Lifetime } from '../crypto/seal.ts';
import { SvcError } from '../errors.ts';
import { CLAIMS, UPSTREAM } from './claims.ts';
import type { AuthServer } from './types.ts';
import { originOf } from './upstream/provider.ts';

/** A login session in the store: a family of refresh tokens, and the provider's tokens. */
const SESSION = v.object({
  /** The hash of the client's id. */
  h: v.string(),
  /** The provider that signed the user in, as `originOf` names it. */
  idp: v.string(),
  sc: v.array(v.string()),
  /** The generation of the valid refresh token. */
  g: v.number(),
  /** The generation whose refresh token was issued after the provider was last asked about the user. */
  ag: v.optional(v.number(), 0),
  /** The time when the refresh token was made, in milliseconds. */
  at: v.number(),
  /** The refresh token. A client that repeats its request soon gets the same one. */
  rt: v.nullable(v.string()),
  who: CLAIMS,
  up: UPSTREAM,
  /** Whether the provider has identified the user with these tokens. */
  known: v.boolean(),
  /** The time when the session ends at the latest; seconds since 1970. */
  end: v.number(),
});

export type LoginSession = v.InferOutput<typeof SESSION>;

/** A session with its version, which a change must name. */
export interface StoredSession {
  readonly session: LoginSession;
  readonly version: number;
}

/** Seconds after which an unused refresh token expires. */
export const IDLE_SECONDS = 30 * 86_400;
/** The most seconds of a session. */
export const ABSOLUTE_SECONDS = 90 * 86_400;

/** The issuer under which records of the store are sealed. They are valid at every address of the server. */
export const STORE_ISSUER = 'store';
/** The most characters of a record in the store: an item of DynamoDB has at most 400 KB, a row of D1 2 MB. */
export const MAX_RECORD = 400_000;

const keyOf = (id: string) => `session:${id}`;

/** Recently unsealed sessions, by server and stored text. */
const unsealed = new WeakMap<AuthServer, Map<string, LoginSession & Lifetime>>();
const MAX_CACHED = 1_000;
/** The most characters of a cached text. A few large ones would fill the memory of a small function. */
const MAX_CACHED_TEXT = 16_384;

/** Reads a session; null if it does not exist, has expired, or belongs to another provider. */
export async function readSession(server: AuthServer, id: string): Promise<StoredSession | null> {
  const stored = await server.store?.get(keyOf(id));
  if (!stored) return null;
  const session = await unseal(server, stored.value);
  return session?.idp === originOf(server.provider) ? { session, version: stored.version } : null;
}

/** Caches the decryption, not the store's answer: the store is read each time. */
async function unseal(server: AuthServer, value: string): Promise<LoginSession | null> {
  const cached = unsealed.get(server) ?? new Map<string, LoginSession & Lifetime>();
  unsealed.set(server, cached);
  // The instance that wrote it may have a clock that is ahead.
  const found = cached.get(value) ?? (await server.sealer.openUntimed('store', STORE_ISSUER, value, SESSION));
  if (found === null || found.exp <= server.now() / 1000) return null;
  if (value.length > MAX_CACHED_TEXT) return found;
  if (cached.size >= MAX_CACHED) cached.clear();
  cached.set(value, found);
  return found;
}

/** Writes a session over the version that was read (0: a new one). Returns false if another request changed it. */
export async function writeSession(
  server: AuthServer,
  id: string,
  session: LoginSession,
  ifVersion: number,
): Promise<boolean> {
  const { store, now } = server;
  const seconds = Math.min(IDLE_SECONDS, session.end - Math.floor(now() / 1000));
  if (store === null || seconds <= 0) return false;
  return store.put(keyOf(id), await sealRecord(server, session, seconds), { seconds, ifVersion });
}

/** Seals a record for the store. Throws config_invalid for one that is too large for some store. */
export async function sealRecord({ sealer }: AuthServer, record: object, seconds: number): Promise<string> {
  const text = await sealer.seal('store', STORE_ISSUER, record, seconds);
  if (text.length <= MAX_RECORD) return text;
  throw new SvcError(
    'config_invalid',
    `The provider's tokens and claims make a session of ${text.length} characters, more than a store keeps (${MAX_RECORD}).
Let the provider send fewer groups and claims.`,
  );
}

/** Ends a session, which invalidates all its tokens. */
export async function endSession({ store }: AuthServer, id: string): Promise<void> {
  await store?.delete(keyOf(id));
}
