import { describe, expect, it } from 'vitest';
import { createSecretSource } from '../../../../adapters/references/source.ts';
import { loadEdgeSettings } from '../../../../src/settings/without-files.ts';

async function load(persistence: string) {
  const bundled = `svc: 1
projects:
  demo:
    profiles:
      default:
        auth:
          persistence: ${persistence}
`;
  const env = {};
  const openSource = (connections: Parameters<typeof createSecretSource>[0]) =>
    createSecretSource(connections, env);
  const settings = await loadEdgeSettings({
    project: 'demo',
    profile: 'default',
    secrets: [],
    bundled,
    env,
    openSource,
  });
  return settings.auth.persistence;
}

describe('auth.persistence', () => {
  // Requirements: auth.persistence.type
  it.each([
    ['{}', { type: 'sqlite', path: '~/.svc/oauth.db', auth_encryption_key: null }],
    ['{ type: d1, binding: B }', { type: 'd1', binding: 'B' }],
    ['{ type: dynamodb, table: t }', { type: 'dynamodb', table: 't', region: null, endpoint: null }],
    [
      '{ type: dynamodb, table: t, region: eu-west-1, endpoint: "http://127.0.0.1:8000" }',
      { type: 'dynamodb', table: 't', region: 'eu-west-1', endpoint: 'http://127.0.0.1:8000' },
    ],
  ])('%s is a store', async (written, expected) => {
    expect(await load(written)).toEqual(expected);
  });

  it.each([
    ['{ type: dynamodb }', 'needs `table`'],
    ['{ type: d1 }', 'needs `binding`'],
    ['{ table: t }', 'has no meaning for a store of type sqlite'],
    ['{ type: d1, binding: B, path: x }', 'has no meaning for a store of type d1'],
    ['{ type: redis }', 'sqlite'],
  ])('%s is refused', async (written, message) => {
    await expect(load(written)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(message),
    });
  });
});
