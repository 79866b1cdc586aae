import { SvcError } from '../errors.ts';
import { randomText } from './digest.ts';
import { fromBase64Url } from './encoding.ts';

/** A root secret. Keys that seal or sign are derived from it. */
export interface RootKey {
  readonly kid: string;
  readonly secret: Uint8Array<ArrayBuffer>;
}

/** The key of one purpose and issuer, in the two forms that decrypting needs. */
export interface DerivedKey {
  readonly kid: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly crypto: CryptoKey;
}

/** The use of a derived key. A text sealed for one purpose does not open for another. */
export type Purpose =
  | 'access'
  | 'ask'
  | 'client'
  | 'client-secret'
  | 'code'
  | 'consent'
  | 'refresh'
  | 'result'
  | 'sessions'
  | 'store'
  | 'ticket'
  | 'tx';

/** The ordered root secrets: the first one seals, all of them open. */
export interface KeyRing {
  readonly first: RootKey;
  readonly all: readonly RootKey[];
  /** Derives a key by HKDF-SHA256, and caches it; null for a kid that is not in the ring. */
  derive(kid: string, purpose: Purpose, issuer: string): Promise<DerivedKey> | null;
}

/** The least bytes of a root secret. */
export const SECRET_BYTES = 32;
/** Without a configured address issuers come from the Host header, so their number is bounded. */
const MAX_DERIVED = 256;

/** Makes a new root secret in the form of `auth.keys`. */
export function generateKey(): { readonly kid: string; readonly secret: string } {
  return { kid: randomText(6).replaceAll(/[-_]/g, 'x'), secret: randomText(SECRET_BYTES) };
}

/** Parses root keys from settings. Throws config_invalid for a short secret or a repeated kid. */
export function parseKeys(
  keys: readonly { readonly kid: string; readonly secret: string }[],
): readonly RootKey[] {
  const parsed = keys.map(({ kid, secret }) => ({ kid, secret: toBytes(kid, secret) }));
  const repeated = parsed.find(({ kid }, index) => parsed.findIndex((other) => other.kid === kid) !== index);
  if (repeated === undefined) return parsed;
  throw new SvcError(
    'config_invalid',
    `Two of \`auth.keys\` have the kid ${repeated.kid}.\nGive each its own: make one with \`svc auth keygen\`.`,
  );
}

/** Creates a key ring. Throws config_invalid without keys. */
export function createKeyRing(all: readonly RootKey[]): KeyRing {
  const [first] = all;
  if (first === undefined) throw new SvcError('config_invalid', 'There is no key to seal tokens with.');
  const derived = new Map<string, Promise<DerivedKey>>();
  return {
    first,
    all,
    derive: (kid, purpose, issuer) => {
      const root = all.find((key) => key.kid === kid);
      if (root === undefined) return null;
      const name = `${kid} ${purpose} ${issuer}`;
      const cached = derived.get(name);
      if (cached !== undefined) return cached;
      const made = deriveKey(root, `svc/v1/${purpose}/${issuer}`);
      if (derived.size >= MAX_DERIVED) derived.clear();
      derived.set(name, made);
      return made;
    },
  };
}

function toBytes(kid: string, secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64Url(secret);
  if (bytes !== null && bytes.byteLength >= SECRET_BYTES) return bytes;
  throw new SvcError(
    'config_invalid',
    `The secret of the key ${kid} in \`auth.keys\` is not ${SECRET_BYTES} random bytes as base64url.
Make one with \`svc auth keygen\`.`,
  );
}

async function deriveKey({ kid, secret }: RootKey, info: string): Promise<DerivedKey> {
  const root = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const params = {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(info),
  };
  const bytes = new Uint8Array(await crypto.subtle.deriveBits(params, root, SECRET_BYTES * 8));
  const usages: KeyUsage[] = ['encrypt', 'decrypt'];
  return { kid, bytes, crypto: await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, usages) };
}
