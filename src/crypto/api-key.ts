import { checksumOf, randomText, sha256Hex } from './digest.ts';

/** The beginning of every API key, by which people and scanners of secrets recognize one. */
const PREFIX = 'svc_key_';
const RANDOM_BYTES = 32;
/** The prefix, 43 characters of 256 random bits, and 6 characters of checksum. */
const FORM = /^svc_key_[\w-]{49}$/;
const CHECKSUM_LENGTH = 6;

/** A new API key and the hash that the user file keeps. */
interface NewApiKey {
  readonly key: string;
  readonly hash: string;
}

/** Makes an API key of 256 random bits. */
export async function generateApiKey(): Promise<NewApiKey> {
  const random = `${PREFIX}${randomText(RANDOM_BYTES)}`;
  const key = `${random}${checksumOf(random)}`;
  return { key, hash: await sha256Hex(key) };
}

/** Whether a token claims to be an API key. */
export function isApiKey(token: string): boolean {
  return token.startsWith(PREFIX);
}

/**
 * Returns the hash of an API key, in hex; null for a text that cannot be a key, without hashing it. The hash is fast. Only
 * passwords need a slow one, because people choose guessable passwords, and 2^256 keys are too many to try.
 */
export async function hashApiKey(token: string): Promise<string | null> {
  if (!FORM.test(token)) return null;
  const sound = checksumOf(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
  return sound ? sha256Hex(token) : null;
}
