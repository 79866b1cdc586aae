import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateKey } from '../../../src/crypto/keys.ts';
import { project, Svc, svc } from './svc.ts';

const { kid, secret } = generateKey();
const KEYS = { SVC_AUTH_KEYS: `${kid}:${secret}` };

const AUTH = `auth:
          provider: github
          github: { client_id: planted-id, client_secret: planted-secret }
`;

const userFile = (auth: string, shared = '') => `svc: 1
${shared}projects:
  demo:
    profiles:
      default:
        ${auth}`;

const env = (auth = AUTH, shared = '') => ({ SVC_CONFIG_YAML: userFile(auth, shared) });

async function serve(variables: Record<string, string>, args: readonly string[] = []) {
  const server = new Svc(['serve', '--port', '0', '--json', ...args], {
    cwd: await project(),
    env: variables,
  });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  return { server, url: String(url) };
}

async function end(server: Svc) {
  server.child.kill('SIGTERM');
  const ended = await server.ended;
  expect(ended.code).toBe(0);
  return ended;
}

describe('svc serve with a provider', () => {
  // Requirements: user-file.auth
  it('D27: asks for a token, and says where to get one, at the port that it has', async () => {
    const { server, url } = await serve({ ...env(), ...KEYS });
    const { origin } = new URL(url);
    const refused = await fetch(url, { method: 'POST', body: '{}' });
    expect(refused.status).toBe(401);
    const [, metadata = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(metadata).toBe(`${origin}/.well-known/oauth-protected-resource/mcp`);
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: url,
      authorization_servers: [origin],
    });
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    const huge = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${'x'.repeat(20_000)}` },
    });
    expect(huge.status).toBe(431);
    const { stderr, stdout } = await end(server);
    expect(stderr + stdout).not.toContain('planted');
  });

  it('makes a key of its own that ends with it, and says so', async () => {
    const { server } = await serve(env());
    await server.until(/svc auth keygen/, 'stderr');
    await end(server);
  });

  it('keeps sessions and their key in files that only their owner reads', async () => {
    const root = await project();
    const path = join(root, 'private', 'oauth.db');
    const auth = `${AUTH}          persistence: { path: ${path} }\n`;
    for (const _start of [1, 2]) {
      const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env: env(auth) });
      await server.until(/^.*\n/);
      for (const file of [path, `${path}.key`]) expect(statSync(file).mode & 0o777).toBe(0o600);
      const { stderr } = await end(server);
      expect(stderr).toMatch(/^\{[^\n]*the admin API is disabled"\}\n$/);
    }
  });

  it.each(['{ type: d1, binding: B }', '{ type: dynamodb, table: t }'])(
    'does not start with a store of another platform (%s)',
    async (persistence) => {
      const auth = `${AUTH}          persistence: ${persistence}\n`;
      const { code, stderr } = await svc(['serve', '--port', '0'], await withDatabase(), env(auth));
      expect(code).toBe(1);
      expect(stderr).toMatch(/`auth\.persistence\.type` is \w+, but this platform supports only sqlite/);
      expect(stderr).not.toContain('planted');
    },
  );

  it('does not start without state and without keys, and says what to do', async () => {
    const { code, stderr } = await svc(['serve', '--port', '0', '--stateless'], await withDatabase(), env());
    expect(code).toBe(1);
    expect(stderr).toContain('svc auth keygen');
    expect(stderr).toContain('SVC_AUTH_KEYS');
  });

  it('starts without state where there are keys', async () => {
    const root = await withDatabase();
    const server = new Svc(['serve', '--port', '0', '--json', '--stateless'], {
      cwd: root,
      env: { ...env(), ...KEYS },
    });
    await server.until(/^.*\n/);
    await end(server);
  });

  // Requirements: user-file.transport.http.host
  it('does not start over http where others reach it', async () => {
    const args = ['serve', '--port', '0', '--host', '0.0.0.0'];
    const { code, stderr } = await svc(args, await project(), { ...env(), ...KEYS });
    expect(code).toBe(1);
    expect(stderr).toContain('transport.http.base_url');
    const shared = 'transport: { http: { base_url: https://svc.example } }\n';
    const server = new Svc([...args, '--json'], {
      cwd: await project(),
      env: { ...env(AUTH, shared), ...KEYS },
    });
    await server.until(/^.*\n/);
    await end(server);
  });

  // Requirements: auth.3
  it('asks nobody on stdio, and warns of that', async () => {
    const server = new Svc(['serve', '--transport', 'stdio'], { cwd: await project(), env: env() });
    await server.until(/`auth` is ignored on stdio/, 'stderr');
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const send = (message: object) =>
      server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'initialize', params: initialize });
    await server.until(/"id":1/);
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'hello_world', arguments: { name: 'Ada' } } });
    await server.until(/Hello, Ada!/);
    server.child.stdin?.end();
    expect((await server.ended).code).toBe(0);
  });

  it('warns of scopes that nobody can hold where nobody is asked', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'tools/secret.yml'),
      'svc: 1\ntool: { name: secret, scopes: [vault:read], source: { code: SELECT 1 } }\n',
    );
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root });
    await server.until(/vault:read/, 'stderr');
    await end(server);
  });
});

/** Without state the database is only read, so it must be there. */
async function withDatabase(): Promise<string> {
  const root = await project();
  const { code } = await svc(['query', 'SELECT 1 AS x'], root);
  expect(code).toBe(0);
  return root;
}
