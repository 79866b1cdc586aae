import { base64url } from 'jose';
import { SvcError } from '../errors.ts';

/** A root secret: everything that is sealed or signed uses a key derived from one. */
export interface RootKey {
  readonly kid: string;
  readonly secret: Uint8Array<ArrayBuffer>;
}

/** One purpose's key, in both forms that decrypting needs. */
export interface DerivedKey {
  readonly kid: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly crypto: CryptoKey;
}

/** What keys are derived for; one purpose's artefact never opens as another's. */
export type Purpose =
  | 'access'
  | 'ask'
  | 'client'
  | 'client-secret'
  | 'code'
  | 'consent'
  | 'refresh'
  | 'sessions'
  | 'store'
  | 'ticket'
  | 'tx';

/** The ordered root secrets: the first one seals, all are accepted. */
export interface KeyRing {
  readonly first: RootKey;
  readonly all: readonly RootKey[];
  /** By HKDF-SHA256, cached: null for a kid that is not, or no longer, in the ring. */
  derive(kid: string, purpose: Purpose, issuer: string): Promise<DerivedKey> | null;
}

const SECRET_BYTES = 32;
/** Issuers come from the Host header where no address is configured, so their number is bounded. */
const MAX_DERIVED = 256;

/** A new root secret, as `auth.keys` has it. */
export function generateKey(): { readonly kid: string; readonly secret: string } {
  const random = (bytes: number) => base64url.encode(crypto.getRandomValues(new Uint8Array(bytes)));
  return { kid: random(6).replaceAll(/[-_]/g, 'x'), secret: random(SECRET_BYTES) };
}

/** Root keys from settings; throws config_invalid for a secret that is too short or a kid that is there twice. */
export function parseKeys(
  keys: readonly { readonly kid: string; readonly secret: string }[],
): readonly RootKey[] {
  const parsed = keys.map(({ kid, secret }) => ({ kid, secret: toBytes(kid, secret) }));
  const twice = parsed.find(({ kid }, index) => parsed.findIndex((other) => other.kid === kid) !== index);
  if (twice === undefined) return parsed;
  throw new SvcError(
    'config_invalid',
    `Two of \`auth.keys\` have the kid ${twice.kid}.\nGive each its own: make one with \`svc auth keygen\`.`,
  );
}

/** The ring of some root keys, of which there must be one at least. */
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
      const known = derived.get(name);
      if (known !== undefined) return known;
      const made = deriveKey(root, `svc/v1/${purpose}/${issuer}`);
      if (derived.size >= MAX_DERIVED) derived.clear();
      derived.set(name, made);
      return made;
    },
  };
}

function toBytes(kid: string, secret: string): Uint8Array<ArrayBuffer> {
  const bytes = /^[\w-]+$/.test(secret) ? base64url.decode(secret) : new Uint8Array();
  if (bytes.byteLength >= SECRET_BYTES) return new Uint8Array(bytes);
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
