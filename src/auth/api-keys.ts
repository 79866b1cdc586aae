import { hashApiKey, isApiKey } from '../crypto/api-key.ts';
import { SvcError } from '../errors.ts';
import type { ApiKey } from '../settings/model.ts';
import { type ChallengeAddress, checkRequiredScopes, findToken, rejectRequest } from './bearer.ts';
import { DEFAULT_SCOPE, type Scopes } from './scopes.ts';
import type { Authenticated, AuthRejection } from './types.ts';

/** The API keys that a server accepts now. */
export interface ApiKeys {
  /** Finds the entry of a presented key; null for an unknown key. */
  find(token: string): Promise<AcceptedKey | null>;
  /** Accepts these keys from now on. The streams of keys that are gone or changed end. */
  replace(keys: readonly ApiKey[]): void;
}

/** The entry of a presented key. */
interface AcceptedKey {
  readonly key: ApiKey;
  /** Aborts when the key is removed or changed. Absent where keys cannot change. */
  readonly revoked?: AbortSignal;
}

interface Entry {
  readonly key: ApiKey;
  readonly revocation: AbortController | null;
}

/** Creates the set of accepted keys. `revocable` says whether `replace` will be called. */
export function createApiKeys(
  first: readonly ApiKey[],
  { revocable = false }: { readonly revocable?: boolean } = {},
): ApiKeys {
  const toEntry = (key: ApiKey): Entry => ({ key, revocation: revocable ? new AbortController() : null });
  const toEntries = (keys: readonly ApiKey[], entryOf = toEntry) =>
    new Map(keys.map((key) => [toIndex(key.hash), entryOf(key)]));
  let entries = toEntries(first);
  return {
    find: async (token) => {
      const hash = await hashApiKey(token);
      const found = hash === null ? undefined : entries.get(toIndex(hash));
      if (hash === null || found === undefined || !isSameHash(hash, found.key.hash)) return null;
      const { key, revocation } = found;
      return revocation === null ? { key } : { key, revoked: revocation.signal };
    },
    replace: (keys) => {
      const before = entries;
      entries = toEntries(keys, (key) => {
        const kept = before.get(toIndex(key.hash));
        return kept !== undefined && isSameKey(kept.key, key) ? kept : toEntry(key);
      });
      for (const [index, entry] of before) if (entries.get(index) !== entry) entry.revocation?.abort();
    },
  };
}

/** The part of a hash that finds an entry. The time of a lookup depends on the text, so the rest is compared in constant time. */
function toIndex(hash: string): string {
  return hash.slice(0, 16);
}

/** Compares two hashes in constant time. */
function isSameHash(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index += 1) {
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}

function isSameKey(one: ApiKey, other: ApiKey): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

interface KeyDeps {
  readonly keys: ApiKeys;
  readonly scopes: Omit<Scopes, 'all'>;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** Authenticates a request by its API key; null if its token is of another kind. */
export async function authenticateKey(
  { keys, scopes, now }: KeyDeps,
  address: ChallengeAddress,
  request: Request,
): Promise<Authenticated | AuthRejection | null> {
  try {
    const token = findToken(request);
    if (!isApiKey(token)) return null;
    const accepted = await keys.find(token);
    if (accepted === null) throw new SvcError('api_key_invalid', 'The API key is not valid, or was removed.');
    const { key, revoked } = accepted;
    if (key.expires !== null && key.expires <= now()) throw expired(key, key.expires);
    const held = [...new Set([DEFAULT_SCOPE, ...key.scopes])];
    const ends = key.expires === null ? {} : { lastsMs: key.expires - now() };
    const login = {
      user: key.user,
      scopes: held,
      held,
      sessionId: null,
      ...ends,
      ...(revoked && { revoked }),
    };
    return checkRequiredScopes(login, address, scopes);
  } catch (thrown) {
    return rejectRequest(thrown, address, scopes);
  }
}

/** Only the holder of the key learns its name and its end. */
function expired({ name }: ApiKey, at: number): SvcError {
  return new SvcError('api_key_invalid', `The API key ${name} expired at ${new Date(at).toISOString()}.`);
}
