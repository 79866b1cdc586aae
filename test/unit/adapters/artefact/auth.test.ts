import { describe, expect, it } from 'vitest';
import { type OpenStore, startAuth } from '../../../../adapters/artefact/auth.ts';
import { storeWith } from '../../../../adapters/aws-lambda/open-store.ts';
import { storeAmong } from '../../../../adapters/cloudflare-workers/open-store.ts';
import { createSecretSource } from '../../../../adapters/references/source.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import type { LogLine } from '../../../../src/ports.ts';
import { loadEdgeSettings } from '../../../../src/settings/without-files.ts';
import { catalogOf, tool } from '../../mcp/fixture.ts';
import { AWS_ENV } from '../aws-lambda/dynamodb-double.ts';

const { kid, secret } = generateKey();

// nobody is served over sse here, whatever a file says that others use too
const CONFIG = (auth: string) => `svc: 1
transport: { provider: sse }
projects:
  demo:
    profiles:
      default:
        auth: ${auth}
`;
const GITHUB = 'provider: github, github: { client_id: x, client_secret: planted }';

async function start(auth: string | null, env: Record<string, string> = {}, openStore?: OpenStore) {
  const lines: LogLine[] = [];
  const settings =
    auth === null
      ? null
      : await loadEdgeSettings({
          project: 'demo',
          profile: 'default',
          secrets: [],
          bundled: CONFIG(auth),
          env,
          openSource: (connections) => createSecretSource(connections, env),
        });
  const catalog = catalogOf([{ ...tool('sales', { sql: 'numbers' }), scopes: ['sales:read'] }]);
  const parts = { fetchDocument: null, listens: null, log: (line: LogLine) => void lines.push(line) };
  const opened = openStore === undefined ? parts : { ...parts, openStore };
  return { auth: await startAuth(settings, catalog, opened), lines };
}

const ask = (path: string) => ({
  request: new Request(`https://fn.lambda-url.example${path}`),
  body: async () => '',
  signal: new AbortController().signal,
  count: () => {},
});

describe('authentication of an artefact', () => {
  it('is there where the settings ask for it, at the address of the platform', async () => {
    const { auth, lines } = await start(`{ ${GITHUB} }`, { SVC_AUTH_KEYS: `${kid}:${secret}` });
    const response = await auth?.respond(ask('/.well-known/oauth-protected-resource'));
    expect(await response?.json()).toMatchObject({
      resource: 'https://fn.lambda-url.example/mcp',
      authorization_servers: ['https://fn.lambda-url.example'],
    });
    expect(auth?.respond(ask('/.well-known/oauth-protected-resource/sse'))).toBeNull();
    expect(lines).toEqual([]);
  });

  it('does not start without keys that all instances share, and says how to make one', async () => {
    await expect(start(`{ ${GITHUB} }`)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/svc auth keygen[\s\S]*SVC_AUTH_KEYS/),
    });
  });

  it('says that nothing is stored', async () => {
    const { lines } = await start(`{ ${GITHUB}, persistence: {} }`, { SVC_AUTH_KEYS: `${kid}:${secret}` });
    expect(lines).toEqual([expect.objectContaining({ level: 'warn' })]);
  });

  const keys = { SVC_AUTH_KEYS: `${kid}:${secret}` };
  const d1 = { prepare: () => null, batch: () => null };

  it.each<[string, string, OpenStore]>([
    ['Lambda', '{ type: dynamodb, table: t }', storeWith(AWS_ENV)],
    ['Workers', '{ type: d1, binding: SESSIONS }', storeAmong({ SESSIONS: d1 })],
  ])('stores sessions on %s, so tokens can be refreshed', async (_platform, persistence, openStore) => {
    const { auth, lines } = await start(`{ ${GITHUB}, persistence: ${persistence} }`, keys, openStore);
    const response = await auth?.respond(ask('/.well-known/oauth-authorization-server'));
    expect(await response?.json()).toMatchObject({
      grant_types_supported: expect.arrayContaining(['refresh_token']),
    });
    expect(lines).toEqual([]);
  });

  it.each<[string, string, OpenStore | undefined, RegExp]>([
    ['sqlite on Lambda', '{}', storeWith(AWS_ENV), /is sqlite, .* supports only dynamodb/],
    ['d1 on Lambda', '{ type: d1, binding: B }', storeWith(AWS_ENV), /is d1, .* supports only dynamodb/],
    [
      'dynamodb on Workers',
      '{ type: dynamodb, table: t }',
      storeAmong({}),
      /is dynamodb, .* supports only d1/,
    ],
    ['d1 without its binding', '{ type: d1, binding: B }', storeAmong({ B: 'text' }), /is B, but no D1/],
    ['d1 in a Node artefact', '{ type: d1, binding: B }', undefined, /is d1, but this platform/],
    ['dynamodb without credentials', '{ type: dynamodb, table: t }', storeWith({}), /AWS_REGION is not set/],
  ])('does not start with %s', async (_what, persistence, openStore, message) => {
    await expect(start(`{ ${GITHUB}, persistence: ${persistence} }`, keys, openStore)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(message),
    });
  });

  it.each([null, '{ provider: none }'])(
    'is not there where nobody asks for it (%j), and scopes are warned of',
    async (auth) => {
      const { auth: started, lines } = await start(auth);
      expect(started).toBeNull();
      expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('sales:read') }]);
    },
  );
});
