import { expect, it } from 'vitest';
import { digestFromHex, isSameSecret, sha256Base64Url, sha256Hex } from '../../../src/crypto/digest.ts';
import {
  fromBase64Url,
  isCanonicalBase64Url,
  toBase64,
  toBase64Url,
  toHex,
} from '../../../src/crypto/encoding.ts';

const samples = [0, 1, 2, 3, 8_191, 8_192, 8_193, 200_000].map((length) =>
  Uint8Array.from({ length }, (_, index) => (index * 151 + 7) % 256),
);

it('writes bytes as Node does, and reads its own base64url back', () => {
  for (const bytes of samples) {
    const node = Buffer.from(bytes);
    expect(toHex(bytes)).toBe(node.toString('hex'));
    expect(toBase64(bytes)).toBe(node.toString('base64'));
    expect(toBase64Url(bytes)).toBe(node.toString('base64url'));
    expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
    expect(isCanonicalBase64Url(toBase64Url(bytes))).toBe(true);
  }
});

it.each(['A', 'AAAAA', 'AA==', 'A+/A', 'ü', ' AAA'])('%j is not base64url', (text) => {
  expect(fromBase64Url(text)).toBeNull();
  expect(isCanonicalBase64Url(text)).toBe(false);
});

it('knows a second spelling of the same bytes', () => {
  expect(fromBase64Url('AB')).toEqual(fromBase64Url('AA'));
  expect(isCanonicalBase64Url('AB')).toBe(false);
});

it('has one digest in two spellings', async () => {
  const hex = await sha256Hex('svc');
  expect(digestFromHex(hex.toUpperCase())).toBe(await sha256Base64Url('svc'));
  expect(digestFromHex(hex.slice(1))).toBeNull();
});

it('compares secrets of any length', async () => {
  expect(await isSameSecret('one', 'one')).toBe(true);
  expect(await isSameSecret('one', 'onf')).toBe(false);
  expect(await isSameSecret('one', 'one ')).toBe(false);
});
