import { describe, expect, it } from 'vitest';
import { startAuth } from '../../../../adapters/edge/auth.ts';
import { createSecretSource } from '../../../../adapters/references/source.ts';
import { generateKey } from '../../../../src/auth/keys.ts';
import type { LogLine } from '../../../../src/ports.ts';
import { loadEdgeSettings } from '../../../../src/settings/edge.ts';
import { catalogOf, tool } from '../../mcp/fixture.ts';

const { kid, secret } = generateKey();

const CONFIG = (auth: string) => `svc: 1
projects:
  demo:
    profiles:
      default:
        auth: ${auth}
`;
const GITHUB = 'provider: github, github: { client_id: x, client_secret: planted }';

async function start(auth: string | null, env: Record<string, string> = {}) {
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
  return { auth: await startAuth(settings, catalog, parts), lines };
}

const ask = (path: string) => ({
  request: new Request(`https://fn.lambda-url.example${path}`),
  body: async () => '',
  signal: new AbortController().signal,
});

describe('authentication of an artefact', () => {
  it('is there where the settings ask for it, at the address of the platform', async () => {
    const { auth, lines } = await start(`{ ${GITHUB} }`, { SVC_AUTH_KEYS: `${kid}:${secret}` });
    const response = await auth?.respond(ask('/.well-known/oauth-protected-resource'));
    expect(await response?.json()).toMatchObject({
      resource: 'https://fn.lambda-url.example/mcp',
      authorization_servers: ['https://fn.lambda-url.example'],
    });
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

  it.each([null, '{ provider: none }'])(
    'is not there where nobody asks for it (%j), and scopes are warned of',
    async (auth) => {
      const { auth: started, lines } = await start(auth);
      expect(started).toBeNull();
      expect(lines).toEqual([{ level: 'warn', message: expect.stringContaining('sales:read') }]);
    },
  );
});
