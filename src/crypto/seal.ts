import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import { fromBase64Url, isCanonicalBase64Url, toBase64Url } from './encoding.ts';
import type { DerivedKey, KeyRing, Purpose } from './keys.ts';

/** Decrypts a JWE whose header is already checked; null when it does not authenticate. */
export type OpenJwe = (jwe: string, key: DerivedKey) => Uint8Array | null | Promise<Uint8Array | null>;

/** The times in every sealed text: when it was made and when it expires, in seconds since 1970. */
const LIFETIME = v.object({ iat: v.number(), exp: v.number() });

/** The times in every sealed text: when it was made and when it expires, in seconds since 1970. */
export type Lifetime = v.InferOutput<typeof LIFETIME>;

/**
 * Seals values that this server must remember and that a client carries. Any instance with the same keys opens
 * them.
 */
export interface Sealer {
  /** Seals an object; the text expires after this number of seconds. */
  seal(purpose: Purpose, issuer: string, value: object, seconds: number): Promise<string>;
  /**
   * The sealed object. Null when the text is expired, or was not sealed for this purpose and issuer with a key of
   * the ring.
   */
  open<Schema extends v.GenericSchema>(
    purpose: Purpose,
    issuer: string,
    text: string,
    schema: Schema,
  ): Promise<(v.InferOutput<Schema> & Lifetime) | null>;
  /**
   * Like `open`, but accepts expired texts and texts from an instance whose clock is ahead. For texts that only name a
   * session to end.
   */
  openUntimed: Sealer['open'];
}

/** Keys and clock of a sealer. */
export interface SealerDeps {
  readonly ring: KeyRing;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Texts made before this time are refused; milliseconds, or null for no such time. */
  readonly notBefore: number | null;
  readonly openJwe?: OpenJwe;
}

/** The most seconds that the clocks of two instances may differ. */
const SKEW = 30;
/** The most characters of a text that travels in a header or a form. */
const MAX_LENGTH = 16_384;
const IV_BYTES = 12;
const TAG_BYTES = 16;

const encoder = new TextEncoder();

/** Seals as JWE `dir` with A256GCM (RFC 7516), under one derived key for each purpose and issuer. */
export function createSealer({ ring, now, notBefore, openJwe = decrypt }: SealerDeps): Sealer {
  const headers = new Map<string, string>();
  const keyFor = (header: string, purpose: Purpose, issuer: string) => {
    // Only our own header is accepted, letter by letter: no other alg, enc, typ, zip or crit.
    const root = ring.all.find(({ kid }) => headerOf(headers, purpose, kid) === header);
    return root === undefined ? null : ring.derive(root.kid, purpose, issuer);
  };
  const isAccepted = ({ iat }: Lifetime) => notBefore === null || iat * 1000 >= notBefore;
  const isAlive = ({ iat, exp }: Lifetime) => {
    const seconds = now() / 1000;
    return seconds < exp && iat <= seconds + SKEW;
  };
  const openUntimed: Sealer['open'] = async (purpose, issuer, text, schema) => {
    const segments = text.length > maxLength(purpose) ? [] : text.split('.');
    if (!isCompact(segments)) return null;
    const key = await keyFor(segments[0] ?? '', purpose, issuer);
    if (key === null) return null;
    const opened = openJwe(text, key);
    const bytes = opened instanceof Promise ? await opened : opened;
    if (bytes === null) return null;
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const [lifetime, own] = [v.safeParse(LIFETIME, value), v.safeParse(schema, value)];
    if (!lifetime.success || !own.success || !isAccepted(lifetime.output)) return null;
    return Object.assign({}, own.output, lifetime.output);
  };
  return {
    seal: async (purpose, issuer, value, seconds) => {
      const { kid } = ring.first;
      const key = await ring.derive(kid, purpose, issuer);
      if (key === null) throw new SvcError('internal', `The key ${kid} is not in its ring.`);
      const iat = Math.floor(now() / 1000);
      const text = JSON.stringify({ ...value, iat, exp: iat + seconds });
      return encrypt(headerOf(headers, purpose, kid), text, key);
    },
    open: async (purpose, issuer, text, schema) => {
      const opened = await openUntimed(purpose, issuer, text, schema);
      return opened !== null && isAlive(opened) ? opened : null;
    },
    openUntimed,
  };
}

/**
 * The state of a call holds everything that a person answered; the limit of its request bounds it. No stranger sends the
 * records of our own store.
 */
function maxLength(purpose: Purpose): number {
  return purpose === 'ask' || purpose === 'store' ? Number.POSITIVE_INFINITY : MAX_LENGTH;
}

function headerOf(headers: Map<string, string>, purpose: Purpose, kid: string): string {
  const name = `${purpose} ${kid}`;
  const cached = headers.get(name);
  if (cached !== undefined) return cached;
  const header = { alg: 'dir', enc: 'A256GCM', kid, typ: `svc-${purpose}+jwe` };
  const text = toBase64Url(encoder.encode(JSON.stringify(header)));
  headers.set(name, text);
  return text;
}

/** Whether there are five segments: header, no key, 96 bits of IV, ciphertext, 128 bits of tag. */
function isCompact(segments: readonly string[]): boolean {
  const [, key, iv, text, tag] = segments;
  if (segments.length !== 5 || key !== '' || iv?.length !== 16 || tag?.length !== 22) return false;
  return [iv, text ?? '', tag].every(isCanonicalBase64Url);
}

async function encrypt(header: string, text: string, key: DerivedKey): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt(toAlgorithm(header, iv), key.crypto, encoder.encode(text)),
  );
  const [body, tag] = [sealed.subarray(0, -TAG_BYTES), sealed.subarray(-TAG_BYTES)];
  return [header, '', ...[iv, body, tag].map(toBase64Url)].join('.');
}

async function decrypt(jwe: string, key: DerivedKey): Promise<Uint8Array | null> {
  const [header = '', , ...segments] = jwe.split('.');
  const [iv, body, tag] = segments.map(fromBase64Url);
  if (!iv || !body || !tag) return null;
  try {
    const algorithm = toAlgorithm(header, iv);
    const sealed = new Uint8Array([...body, ...tag]);
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key.crypto, sealed));
  } catch {
    return null;
  }
}

function toAlgorithm(header: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: encoder.encode(header), tagLength: TAG_BYTES * 8 };
}
