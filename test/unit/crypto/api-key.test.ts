import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { generateApiKey, hashApiKey, isApiKey } from '../../../src/crypto/api-key.ts';

test('a key has a prefix, 256 random bits and a CRC-32, and its hash is the SHA-256 of its text', async () => {
  const { key, hash } = await generateApiKey();
  expect(isApiKey(key)).toBe(true);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(key.slice(0, -6)));
  expect(key.slice(-6)).toBe(checksum.toString('base64url'));
  expect(Buffer.from(key.slice('svc_key_'.length, -6), 'base64url')).toHaveLength(32);
  expect(hash).toBe(createHash('sha256').update(key).digest('hex'));
  expect(await hashApiKey(key)).toBe(hash);
  expect((await generateApiKey()).key).not.toBe(key);
});

test('a text with any character changed, added or left out is not hashed', async () => {
  const { key } = await generateApiKey();
  const changed = Array.from(key, (character, at) => {
    const other = character === 'A' ? 'B' : 'A';
    return `${key.slice(0, at)}${other}${key.slice(at + 1)}`;
  });
  const wrong = [...changed, key.slice(0, -1), `${key}A`, ` ${key}`, `${key}\n`, key.toUpperCase(), ''];
  for (const text of wrong) expect([text, await hashApiKey(text)]).toEqual([text, null]);
});
