import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ownKeys } from '../../../../../adapters/node/auth/keys.ts';
import type { AuthSettings } from '../../../../../src/settings/model.ts';
import { call, createDesk, KEY, tokens } from '../../../auth/fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const TEXT = 'planted-encryption-key-of-32-characters';

/** A server with a store in a file: the keys that it is given, and those that it has of its own. */
function create(path: string, keys: AuthSettings['keys'], auth_encryption_key: string | null = null) {
  const persistence = { type: 'sqlite', path, auth_encryption_key } as const;
  const own = ownKeys({ keys, persistence }, () => {});
  return createDesk({ auth: { keys }, parts: { ownKeys: own } });
}

it.each([
  ['SVC_AUTH_KEYS', null, [KEY], null],
  ['auth_encryption_key', null, [], TEXT],
  ['SVC_AUTH_KEYS beside auth_encryption_key', TEXT, [KEY], TEXT],
])('a new %s refuses no token of before', async (_name, before, keys, after) => {
  const path = join(mkdtempSync(join(root, 'store-')), 'oauth.db');
  const { access_token } = await tokens(create(path, [], before));
  expect((await call(create(path, keys, after), access_token)).status).toBe(200);
});

it('only the first key seals, so the key beside the store may go later', async () => {
  const path = join(mkdtempSync(join(root, 'store-')), 'oauth.db');
  await tokens(create(path, []));
  const { access_token } = await tokens(create(path, [KEY]));
  rmSync(`${path}.key`);
  expect((await call(create(path, [KEY]), access_token)).status).toBe(200);
  expect(existsSync(`${path}.key`)).toBe(false);
});
