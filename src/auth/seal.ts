import { CompactEncrypt, compactDecrypt } from 'jose';
import * as v from 'valibot';
import type { DerivedKey, KeyRing, Purpose } from './keys.ts';

/** Decrypts a JWE whose header is already checked; null when it does not authenticate. */
export type OpenJwe = (jwe: string, key: DerivedKey) => Uint8Array | null | Promise<Uint8Array | null>;

/** What every sealed artefact says: when it was made and until when it counts, in seconds. */
const LIFE = v.object({ iat: v.number(), exp: v.number() });

type Claims = { readonly [name: string]: unknown };

/** Seals what this server must remember and a client carries, and opens it again, on any instance with the keys. */
export interface Sealer {
  /** Seals claims for a number of seconds. */
  seal(purpose: Purpose, issuer: string, claims: Claims, seconds: number): Promise<string>;
  /** The claims; null for whatever this ring did not seal for this purpose and issuer, and for what is over. */
  open<Schema extends v.GenericSchema>(
    purpose: Purpose,
    issuer: string,
    text: string,
    schema: Schema,
  ): Promise<(v.InferOutput<Schema> & Life) | null>;
}

/** When an artefact was made and until when it counts, in seconds. */
export type Life = v.InferOutput<typeof LIFE>;

/** What sealing needs. */
export interface SealerParts {
  readonly ring: KeyRing;
  /** Milliseconds. */
  readonly now: () => number;
  /** Artefacts made before it are refused; milliseconds. */
  readonly notBefore: number | null;
  readonly openJwe?: OpenJwe;
}

/** How far the clocks of two instances may be apart, in seconds. */
const SKEW = 30;
const MAX_LENGTH = 16_384;

/** JWE `dir` with A256GCM, one derived key for each purpose and issuer (RFC 7516). */
export function createSealer({ ring, now, notBefore, openJwe = openWithJose }: SealerParts): Sealer {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const headers = new Map<string, string>();
  const keyFor = (header: string, purpose: Purpose, issuer: string) => {
    // Nothing else than our own header is accepted, letter by letter: no other alg, enc, typ, zip or crit.
    const root = ring.all.find(({ kid }) => headerOf(headers, purpose, kid) === header);
    return root === undefined ? null : ring.derive(root.kid, purpose, issuer);
  };
  const isAlive = ({ iat, exp }: Life) => {
    const seconds = now() / 1000;
    return seconds < exp && iat <= seconds + SKEW && (notBefore === null || iat * 1000 >= notBefore);
  };
  return {
    seal: async (purpose, issuer, claims, seconds) => {
      const key = await ring.derive(ring.first.kid, purpose, issuer);
      const iat = Math.floor(now() / 1000);
      const text = JSON.stringify({ ...claims, iat, exp: iat + seconds });
      return new CompactEncrypt(encoder.encode(text))
        .setProtectedHeader(toHeader(purpose, ring.first.kid))
        .encrypt(key?.crypto ?? new Uint8Array());
    },
    open: async (purpose, issuer, text, schema) => {
      const segments = text.length > MAX_LENGTH ? [] : text.split('.');
      if (!isCompact(segments)) return null;
      const key = await keyFor(segments[0] ?? '', purpose, issuer);
      if (key === null) return null;
      const opened = openJwe(text, key);
      const bytes = opened instanceof Promise ? await opened : opened;
      if (bytes === null) return null;
      const claims: unknown = JSON.parse(decoder.decode(bytes));
      const [life, own] = [v.safeParse(LIFE, claims), v.safeParse(schema, claims)];
      if (!life.success || !own.success || !isAlive(life.output)) return null;
      return Object.assign({}, own.output, life.output);
    },
  };
}

function toHeader(purpose: Purpose, kid: string) {
  return { alg: 'dir', enc: 'A256GCM', kid, typ: `svc-${purpose}+jwe` };
}

function headerOf(headers: Map<string, string>, purpose: Purpose, kid: string): string {
  const name = `${purpose} ${kid}`;
  const known = headers.get(name);
  if (known !== undefined) return known;
  const header = btoa(JSON.stringify(toHeader(purpose, kid)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  headers.set(name, header);
  return header;
}

/** Five segments: header, no key, 96 bits of IV, ciphertext, 128 bits of tag. */
function isCompact(segments: readonly string[]): boolean {
  const [, key, iv, text, tag] = segments;
  if (segments.length !== 5 || key !== '' || iv?.length !== 16 || tag?.length !== 22) return false;
  return [iv, text ?? '', tag].every(isCanonical);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** base64url whose unused last bits are zero: otherwise one token could be written in several ways. */
function isCanonical(segment: string): boolean {
  const rest = segment.length % 4;
  if (rest === 1 || !/^[\w-]*$/.test(segment)) return false;
  const unused = rest === 2 ? 15 : rest === 3 ? 3 : 0;
  return (ALPHABET.indexOf(segment.at(-1) ?? 'A') & unused) === 0;
}

async function openWithJose(jwe: string, key: DerivedKey): Promise<Uint8Array | null> {
  const algorithms = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  try {
    const { plaintext } = await compactDecrypt(jwe, key.crypto, algorithms);
    return plaintext;
  } catch {
    return null;
  }
}
