import { setImmediate as nextTurn } from 'node:timers/promises';
import * as v from 'valibot';
import { beforeEach, describe, expect, it } from 'vitest';
import { stateSealer } from '../../../../adapters/artefact/auth.ts';
import { fetchInBackground } from '../../../../adapters/artefact/background.ts';
import { fetchDocument } from '../../../../adapters/artefact/fetch-document.ts';
import { type ArtefactPlatform, createArtefactServer } from '../../../../adapters/artefact/server.ts';
import { loadStartSettings } from '../../../../adapters/artefact/start-settings.ts';
import type { Manifest } from '../../../../src/catalog/manifest.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import { SvcError } from '../../../../src/errors.ts';
import type { Settings } from '../../../../src/settings/model.ts';
import { createFakeRuntime, modern, post } from '../../mcp/fixture.ts';

const STATE = v.object({ n: v.number() });

const withKeys = (...keys: readonly { kid: string; secret: string }[]) =>
  ({ auth: { keys } }) as unknown as Settings;

it('what one instance seals, another with the same keys opens, and one without does not', async () => {
  const [key, next] = [generateKey(), generateKey()];
  const text = (await stateSealer(withKeys(key), {})?.seal('ask', '', { n: 1 }, 60)) ?? '';
  expect(await stateSealer(withKeys(key), {})?.open('ask', '', text, STATE)).toMatchObject({ n: 1 });
  expect(await stateSealer(withKeys(next, key), {})?.open('ask', '', text, STATE)).toMatchObject({ n: 1 });
  expect(await stateSealer(withKeys(key), {})?.open('tx', '', text, STATE)).toBeNull();
  expect(await stateSealer(withKeys(next), {})?.open('ask', '', text, STATE)).toBeNull();
});

it('without keys there is none', () => {
  expect(stateSealer(withKeys(), {})).toBeNull();
  expect(stateSealer(null, {})).toBeNull();
  expect(stateSealer(null, { SVC_AUTH_KEYS: ' ' })).toBeNull();
});

it('an artefact without settings takes the keys from its variables', async () => {
  const { kid, secret } = generateKey();
  const env = { SVC_AUTH_KEYS: `${kid}:${secret}` };
  const text = (await stateSealer(null, env)?.seal('ask', '', { n: 1 }, 60)) ?? '';
  expect(await stateSealer(null, env)?.open('ask', '', text, STATE)).toMatchObject({ n: 1 });
  expect(await stateSealer(withKeys({ kid, secret }), {})?.open('ask', '', text, STATE)).toMatchObject({
    n: 1,
  });
  expect(() => stateSealer(null, { SVC_AUTH_KEYS: secret })).toThrow(/^SVC_AUTH_KEYS must be kid:secret/);
});

describe('a platform of ports alone', () => {
  const lines: string[] = [];
  const runtime = createFakeRuntime();
  const manifest: Manifest = {
    svc: 1,
    version: '1.2.3',
    hash: 'f00d',
    database: { name: 'data', bytes: 0, sha256: '' },
    profile: 'default',
    secrets: [],
    access: { signIn: null, public: true },
    audit: {
      enabled: true,
      path: 'audit.jsonl',
      maxFileSize: 1_024,
      retentionDays: null,
      onError: 'block',
      inputs: true,
      outputs: false,
    },
    catalog: runtime.catalog,
  };
  const platform: ArtefactPlatform = {
    manifest,
    bundled: null,
    env: {},
    loadSettings: loadStartSettings,
    log: ({ message }) => void lines.push(message),
    write: (line) => void lines.push(line),
    openDatabase: runtime.database,
    auth: { fetchDocument },
  };
  beforeEach(() => {
    lines.length = 0;
  });

  it('serves calls and records them', async () => {
    const server = createArtefactServer(platform);
    const { body, headers } = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    const answer = await server.fetch(post(body, headers), {});
    expect(await answer.text()).toContain('Hello, Ada!');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ type: 'audit', operation_name: 'greet' }]);
  });

  it('keeps its platform awake until it has answered, also for a client that has left', async () => {
    const server = createArtefactServer(platform);
    await server.warm();
    const { body, headers } = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const init = { method: 'POST', headers: post(body, headers).headers, body: readable, duplex: 'half' };
    const work: Promise<unknown>[] = [];
    const answer = fetchInBackground(
      server,
      new Request('http://localhost:8000/mcp', init),
      {},
      (promise) => void work.push(promise),
    );
    await nextTurn();
    const rested = Promise.all(work).then(() => 'rested');
    expect(await Promise.race([rested, nextTurn('awake')])).toBe('awake');
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(body)));
    await writer.close();
    expect(await (await answer).text()).toContain('Hello, Ada!');
    expect(await rested).toBe('rested');
  });

  it.each([
    [{}, false],
    [{ SVC_DEBUG: 'true' }, true],
  ])('with %j its log takes lines of the level debug: %s', async (env, expected) => {
    const server = createArtefactServer({ ...platform, env });
    await server.warm();
    expect(server.levels.has('debug')).toBe(expected);
  });

  it('answers 503 while its configuration is not sound, and logs why', async () => {
    const server = createArtefactServer({ ...platform, env: { SVC_CONFIG_YAML: 'svc: 2' } });
    await server.warm();
    expect((await server.fetch(new Request('https://host/health'), {})).status).toBe(503);
    expect(lines).toEqual([expect.stringMatching(/^refusing to serve: SVC_CONFIG_YAML/)]);
  });

  describe('which listens for itself', () => {
    const provider = 'provider: github, github: { client_id: x, client_secret: planted }';
    const verifier = 'mode: verifier, verifier: { issuer: "https://id.example.com" }';
    const { kid, secret } = generateKey();
    const envOf = (auth: string, http: string) => ({
      SVC_AUTH_KEYS: `${kid}:${secret}`,
      SVC_CONFIG_YAML: `svc: 1
transport: { http: {${http}} }
projects: { ${manifest.catalog.project}: { profiles: { default: { auth: { ${auth} } } } } }`,
    });
    const ask = async (host: string, env: ReturnType<typeof envOf>, headers: Record<string, string> = {}) => {
      const server = createArtefactServer({ ...platform, env, listens: { host } });
      const named = { host: 'localhost:8000', ...headers };
      return server.fetch(new Request('http://localhost:8000/mcp', { method: 'POST', headers: named }), {});
    };

    it.each([
      ['0.0.0.0', provider, '', 503, /over http at 0\.0\.0\.0/],
      ['0.0.0.0', provider, 'base_url: https://mcp.example.com', 401, null],
      ['0.0.0.0', provider, 'trust_proxy: true', 401, null],
      ['0.0.0.0', verifier, 'trust_proxy: true', 503, /accept tokens for any server/],
      ['0.0.0.0', verifier, 'base_url: https://mcp.example.com', 401, null],
      ['127.0.0.1', provider, '', 401, null],
      ['127.0.0.1', verifier, '', 401, null],
    ])('on %s with { %s }, { %s } answers %i', async (host, auth, http, status, reason) => {
      expect((await ask(host, envOf(auth, http))).status).toBe(status);
      if (reason !== null) expect(lines.join('\n')).toMatch(reason);
    });

    it('answers on this machine to no name that a page could rebind', async () => {
      const response = await ask('127.0.0.1', envOf(provider, ''), { host: 'evil.example:8000' });
      expect(response.status).toBe(403);
    });

    it('names the address that a client on this machine used', async () => {
      const challenge = (await ask('127.0.0.1', envOf(provider, ''))).headers.get('www-authenticate');
      expect(challenge).toContain('resource_metadata="http://localhost:8000/');
    });

    it('limits each client of a trusted proxy on its own', async () => {
      const http = 'trust_proxy: true, rate_limit: { requests_per_minute: 1, burst: 1 }';
      const server = createArtefactServer({
        ...platform,
        env: envOf(provider, http),
        listens: { host: '0.0.0.0' },
      });
      const from = async (client: string) => {
        const headers = { 'x-forwarded-for': client, 'x-forwarded-proto': 'https' };
        const request = new Request('http://mcp.example.com/mcp', { method: 'POST', headers });
        return (await server.fetch(request, { address: '10.0.0.1' })).status;
      };
      expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')]).toEqual([
        401, 429, 401,
      ]);
    });
  });

  it('logs a database that cannot be opened beforehand', async () => {
    const openDatabase = async () => Promise.reject(new SvcError('database_unavailable', 'no file'));
    await createArtefactServer({ ...platform, openDatabase }).warm();
    expect(lines).toEqual(['no file']);
  });
});
