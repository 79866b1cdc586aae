import { CompactEncrypt, compactDecrypt } from 'jose';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { openJwe } from '../../../adapters/node/auth/open-jwe.ts';
import {
  createKeyRing,
  generateKey,
  type KeyRing,
  type Purpose,
  parseKeys,
} from '../../../src/crypto/keys.ts';
import { createSealer, type SealerDeps } from '../../../src/crypto/seal.ts';
import { SvcError } from '../../../src/errors.ts';

const ISSUER = 'https://svc.example';
const CLAIMS = v.object({ sub: v.string() });
const START = Date.UTC(2026, 0, 1);
const PURPOSES: readonly Purpose[] = [
  'access',
  'ask',
  'client',
  'client-secret',
  'code',
  'consent',
  'refresh',
  'sessions',
  'store',
  'ticket',
  'tx',
];

const [one, two] = [generateKey(), generateKey()];
const ringOf = (...keys: (typeof one)[]): KeyRing => createKeyRing(parseKeys(keys));
const sealerOf = (ring: KeyRing, more: Partial<SealerDeps> = {}) =>
  createSealer({ ring, now: () => START, notBefore: null, ...more });

const sealer = sealerOf(ringOf(one));
const sealed = await sealer.seal('access', ISSUER, { sub: 'ada' }, 60);
const open = (text: string, other = sealer, purpose: Purpose = 'access', issuer = ISSUER) =>
  other.open(purpose, issuer, text, CLAIMS);

describe('what is sealed', () => {
  const made = { sub: 'ada', iat: START / 1000, exp: START / 1000 + 60 };

  it('opens with the same ring, on any instance', async () => {
    expect(await open(sealed)).toEqual(made);
    expect(await open(sealed, sealerOf(ringOf(one)))).toEqual(made);
  });

  it('is a JWE that others read with the derived key', async () => {
    const key = await ringOf(one).derive(one.kid, 'access', ISSUER);
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key?.bytes ?? new Uint8Array());
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual(made);
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: one.kid, typ: 'svc-access+jwe' });
  });

  it('shows nothing of what it holds, and is another text each time', async () => {
    const again = await sealer.seal('access', ISSUER, { sub: 'ada' }, 60);
    expect(again).not.toBe(sealed);
    expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('ada');
  });

  it.each(['ask', 'store'] as const)(
    'may be long for the purpose %s, which no header carries',
    async (purpose) => {
      const long = { sub: 'ü€😀'.repeat(4_000) };
      expect(await open(await sealer.seal(purpose, ISSUER, long, 60), sealer, purpose)).toMatchObject(long);
      expect(await open(await sealer.seal('access', ISSUER, long, 60))).toBeNull();
    },
  );

  it('opens for its purpose alone', async () => {
    for (const purpose of PURPOSES.filter((name) => name !== 'access')) {
      expect(await open(sealed, sealer, purpose), purpose).toBeNull();
    }
  });

  it('opens for its issuer alone', async () => {
    expect(await open(sealed, sealer, 'access', 'https://other.example')).toBeNull();
  });

  // Requirements: modern.mrtr.state
  it.each([
    ['WebCrypto', undefined],
    ['node:crypto', openJwe],
  ])('does not open with any character changed (%s)', async (_name, opener) => {
    const strict = sealerOf(ringOf(one), opener === undefined ? {} : { openJwe: opener });
    expect(await open(sealed, strict)).toEqual(made);
    const changed = [...sealed].map((char, index) => {
      const other = char === 'A' ? 'B' : String.fromCharCode(char.charCodeAt(0) ^ 1);
      return sealed.slice(0, index) + other + sealed.slice(index + 1);
    });
    const opened = await Promise.all(changed.map((text) => open(text, strict)));
    expect(opened.filter((claims) => claims !== null)).toEqual([]);
  });

  it('has one spelling: unused bits of the last character count too', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [...alphabet].filter((char) => char !== sealed.at(-1));
    const opened = await Promise.all(others.map((char) => open(sealed.slice(0, -1) + char)));
    expect(opened.every((claims) => claims === null)).toBe(true);
  });

  it.each([
    '',
    'x',
    '....',
    'a.b.c',
    `${sealed}.x`,
    `${sealed} `,
    sealed.replace('..', '.x.'),
    'é'.repeat(100),
    'a'.repeat(20_000),
  ])('is not %j', async (text) => {
    expect(await open(text)).toBeNull();
  });
});

describe('a foreign header', () => {
  const root = parseKeys([one]);
  const forge = async (header: { readonly [name: string]: unknown }) => {
    const key = await createKeyRing(root).derive(one.kid, 'access', ISSUER);
    const text = JSON.stringify({ sub: 'eve', iat: START / 1000, exp: START / 1000 + 60 });
    return new CompactEncrypt(new TextEncoder().encode(text))
      .setProtectedHeader(header as { alg: string; enc: string })
      .encrypt(header.enc === 'A256GCM' ? (key?.crypto ?? new Uint8Array()) : new Uint8Array(16));
  };
  const good = { alg: 'dir', enc: 'A256GCM', kid: one.kid, typ: 'svc-access+jwe' };

  it('is told by the right one, which opens', async () => {
    expect(await open(await forge(good))).toMatchObject({ sub: 'eve' });
  });

  it.each([
    ['alg', { ...good, alg: 'A256GCMKW' }],
    ['enc', { ...good, enc: 'A128GCM' }],
    ['typ', { ...good, typ: 'svc-refresh+jwe' }],
    ['no typ', { alg: 'dir', enc: 'A256GCM', kid: one.kid }],
    ['kid', { ...good, kid: 'other' }],
    ['one more member', { ...good, cty: 'JWT' }],
    ['another order', { kid: one.kid, typ: good.typ, alg: 'dir', enc: 'A256GCM' }],
  ])('is refused: %s', async (_name, header) => {
    const text = await forge(header).catch(() => sealed.replace(/^[^.]*/, btoa(JSON.stringify(header))));
    expect(await open(text)).toBeNull();
  });
});

describe('time', () => {
  const at = (seconds: number, notBefore: number | null = null) =>
    sealerOf(ringOf(one), { now: () => START + seconds * 1000, notBefore });

  // Requirements: modern.mrtr.state
  it('ends what is sealed on the second', async () => {
    expect(await open(sealed, at(59))).not.toBeNull();
    expect(await open(sealed, at(60))).toBeNull();
    expect(await open(sealed, at(61))).toBeNull();
  });

  it('allows clocks that are half a minute apart', async () => {
    expect(await open(sealed, at(-30))).not.toBeNull();
    expect(await open(sealed, at(-31))).toBeNull();
  });

  it('refuses what was made before not_before', async () => {
    expect(await open(sealed, at(0, START))).not.toBeNull();
    expect(await open(sealed, at(0, START + 1000))).toBeNull();
  });
});

describe('a ring', () => {
  it('is rotated in two phases: append the new key everywhere, then put it first', async () => {
    const appended = sealerOf(ringOf(one, two));
    const moved = sealerOf(ringOf(two, one));
    const byMoved = await moved.seal('access', ISSUER, { sub: 'ada' }, 60);
    expect(await open(sealed, appended)).not.toBeNull();
    expect(await open(sealed, moved)).not.toBeNull();
    expect(await open(byMoved, appended)).not.toBeNull();
    expect(await open(byMoved)).toBeNull();
    expect(await open(sealed, sealerOf(ringOf(two)))).toBeNull();
  });

  it.each([
    ['a short secret', [{ kid: 'k', secret: 'c2hvcnQ' }], 'is not 32 random bytes as base64url'],
    ['a secret that is no base64url', [{ kid: 'k', secret: '!'.repeat(64) }], 'is not 32 random bytes'],
    ['a kid that is there twice', [one, { ...two, kid: one.kid }], 'have the kid'],
  ])('refuses %s, and does not repeat it', (_name, keys, message) => {
    const attempt = () => parseKeys(keys);
    expect(attempt).toThrow(SvcError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(keys[0]?.secret);
  });
});
