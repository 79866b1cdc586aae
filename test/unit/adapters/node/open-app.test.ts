import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openApp } from '../../../../adapters/node/open-app.ts';
import type { App } from '../../../../src/app.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { ENVELOPE, exchange, modern } from '../../mcp/fixture.ts';

const PROJECT = {
  'svc-site.yml':
    'svc: 1\nproject: demo\nprofile: default\nprofiles:\n  default:\n    database: { path: data.duckdb, readonly: false }\n',
  'seed.sql': 'CREATE TABLE items AS SELECT 1 AS id;',
  'tools/chance.yml':
    'svc: 1\ntool:\n  name: chance\n  description: d\n  cache: { ttl: 1h }\n  source: { code: "SELECT random() AS chance" }\n',
  'tools/wipe.yml':
    'svc: 1\ntool:\n  name: wipe\n  description: d\n  confirm: Really wipe?\n  source: { code: "SELECT 1 AS done" }\n',
};

function createProject(): string {
  const root = temporaryFolder();
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

it('keeps results for the time that an endpoint names, as a server does', async () => {
  const app = await openApp(createProject(), { public: true, log: () => {} });
  onTestFinished(() => app.close());
  const ask = async () =>
    (await exchange(app, modern('tools/call', { name: 'chance', arguments: {} }))).json.result;
  const first = await ask();
  expect(first).toMatchObject({ structuredContent: expect.anything() });
  expect(await ask()).toEqual(first);
});

it('goes on with a call that a person confirmed at another instance with the same keys', async () => {
  const open = async ({ kid, secret }: ReturnType<typeof generateKey>) => {
    vi.stubEnv('SVC_AUTH_KEYS', `${kid}:${secret}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const app = await openApp(createProject(), { public: true, log: () => {} });
    onTestFinished(() => app.close());
    return app;
  };
  const key = generateKey();
  const [one, other, stranger] = [await open(key), await open(key), await open(generateKey())];
  const call = async (app: App, more: object) => {
    const { body, headers } = modern('tools/call', { name: 'wipe', arguments: {} });
    const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    return (await exchange(app, { headers, body: { ...body, params: { ...body.params, ...more, _meta } } }))
      .json;
  };
  const { result } = (await call(one, {})) as { result: { requestState: string } };
  const inputResponses = { confirm: { action: 'accept', content: { ok: true } } };
  const answer = { inputResponses, requestState: result.requestState };
  expect(await call(stranger, answer)).toMatchObject({ error: { code: -32602 } });
  expect(await call(other, answer)).toMatchObject({ result: { structuredContent: [{ done: 1 }] } });
});

/** Sets a user file in verifier mode, behind a proxy that passes on the host of requests. */
function useVerifier(more: string, http: string): void {
  const verifier = `{ issuer: "https://id.example"${more} }`;
  const profile = `{ auth: { mode: verifier, verifier: ${verifier} } }`;
  const file = `svc: 1\ntransport: { http: { trust_proxy: true${http} } }\nprojects: { demo: { profiles: { default: ${profile} } } }\n`;
  vi.stubEnv('SVC_CONFIG_YAML', file);
  onTestFinished(() => void vi.unstubAllEnvs());
}

// Requirements: rs.audience
it.each(['', ', allowed_hosts: ["*"]'])(
  'does not open where the host of a request would be the audience of tokens (%j)',
  async (http) => {
    useVerifier('', http);
    await expect(openApp(createProject(), { log: () => {} })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('audience'),
    });
  },
);

it.each([
  [', audience: ["https://mcp.example/mcp"]', ''],
  ['', ', base_url: "https://mcp.example"'],
  ['', ', allowed_hosts: [mcp.example]'],
])('opens where the audience is known (%j, %j)', async (more, http) => {
  useVerifier(more, http);
  const app = await openApp(createProject(), { log: () => {} });
  onTestFinished(() => app.close());
  const { body, headers } = modern('ping');
  expect(
    await exchange(app, { body, headers: { ...headers, host: 'mcp.example', 'x-forwarded-proto': 'https' } }),
  ).toMatchObject({ status: 401 });
});
