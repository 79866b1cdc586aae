import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { hashApiKey } from '../../../src/crypto/api-key.ts';
import { folder, project, Svc, svc } from './svc.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000 });

interface Made {
  readonly key: string;
  readonly entry: { readonly name: string; readonly hash: string; readonly expires?: string };
}

async function make(...args: readonly string[]): Promise<Made> {
  const { code, stdout } = await svc(['auth', 'api-key', ...args, '--json'], folder());
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

const userFile = (entries: readonly Made['entry'][], more = '') =>
  `svc: 1\nprojects: { demo: { profiles: { default: { auth: { ${more}api_keys: ${JSON.stringify(entries)} } } } } }\n`;

describe('svc auth api-key', () => {
  // Requirements: api-key.hash
  it('prints the key alone, and an entry that svc accepts and that is no secret', async () => {
    const args = [
      'auth',
      'api-key',
      'nightly',
      '--scope',
      'sales:read',
      '--scope',
      'b',
      '--expires',
      '2999-01-31',
    ];
    const { code, stdout, stderr } = await svc(args, folder());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^svc_key_[\w-]{49}\n$/);
    const key = stdout.trim();
    expect(stderr).not.toContain(key.slice(8));
    const line = /^ {2}- (\{.*\})$/m.exec(stderr)?.[1] ?? '';
    expect(JSON.parse(line)).toEqual({
      name: 'nightly',
      hash: await hashApiKey(key),
      scopes: ['sales:read', 'b'],
      expires: '2999-01-31',
    });
    const env = { SVC_CONFIG_YAML: userFile([JSON.parse(line)]) };
    expect((await svc(['config', '--json'], await project(), env)).code).toBe(0);
  });

  it('prints both as JSON', async () => {
    const { key, entry } = await make('nightly');
    expect(entry).toEqual({ name: 'nightly', hash: await hashApiKey(key) });
  });

  it.each([
    [[], 'svc auth api-key nightly-report'],
    [['a b'], 'name must be a name of'],
    [['a', '--expires', 'soon'], 'expires must be a time.'],
    [['a', '--expires', '2020-01-31'], '--expires 2020-01-31 has passed. Give a time in the future.'],
    [['a', '--scope', 'a b'], 'scopes must be one scope'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await svc(['auth', 'api-key', ...args], folder());
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

async function serve(config: string, args: readonly string[] = []) {
  const root = await project();
  const path = join(root, 'config.yml');
  writeFileSync(path, config);
  const site = readFileSync(join(root, 'svc-site.yml'), 'utf8');
  const audit = '    audit: { enabled: true, path: audit.jsonl }';
  writeFileSync(join(root, 'svc-site.yml'), site.replace(/( {2}default:\n)/, `$1${audit}\n`));
  const env = { SVC_CONFIG: path, SVC_DEBUG: '1' };
  const server = new Svc(['serve', '--port', '0', '--json', ...args], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  let reloads = 0;
  const reload = async (next: string) => {
    writeFileSync(path, next);
    reloads += 1;
    server.child.kill('SIGHUP');
    await server.until(new RegExp(`((reloaded|the reload failed)[\\s\\S]*){${reloads}}`), 'stderr');
  };
  const end = async () => {
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  };
  return { root, server, url: new URL(url), reload, end };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CALL = { name: 'hello_world', arguments: { name: 'Ada' } };

function send(url: URL, key: string, message: object = { method: 'tools/call', params: CALL }, more = {}) {
  const headers = { ...HEADERS, authorization: `Bearer ${key}`, ...more };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) });
}

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

/** Opens a session and its stream. */
async function listen(url: URL, key: string) {
  const begun = await send(url, key, INITIALIZE);
  const id = begun.headers.get('mcp-session-id') ?? '';
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${key}`, 'mcp-session-id': id };
  const stream = await fetch(url, { headers });
  expect([begun.status, stream.status]).toEqual([200, 200]);
  return { id, ended: stream.text() };
}

describe('svc serve with API keys only', () => {
  // Requirements: api-key.revoke
  it('calls for a key, is reloaded to revoke one, and ends its open session', async () => {
    const [a, b, c] = [await make('a'), await make('b'), await make('c')];
    const { root, server, url, reload, end } = await serve(userFile([a.entry, b.entry]));
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body: '{}' })).status).toBe(401);
    for (const { key } of [a, b]) expect((await send(url, key)).status).toBe(200);
    expect((await send(url, c.key)).status).toBe(401);
    const session = await listen(url, a.key);
    const kept = await listen(url, b.key);
    expect((await send(url, b.key, { method: 'tools/list' }, { 'mcp-session-id': session.id })).status).toBe(
      404,
    );

    await reload(userFile([b.entry, c.entry]));
    expect(await session.ended).not.toContain('data:');
    const late = await send(url, a.key, { method: 'tools/list' }, { 'mcp-session-id': session.id });
    expect(late.status).toBe(401);
    for (const { key } of [b, c]) expect((await send(url, key)).status).toBe(200);
    expect((await send(url, b.key, { method: 'tools/list' }, { 'mcp-session-id': kept.id })).status).toBe(
      200,
    );

    await reload('svc: [broken');
    expect(server.stderr).toContain('the old values stay');
    expect((await send(url, b.key)).status).toBe(200);

    await reload('svc: 1\n');
    await kept.ended;
    for (const { key } of [a, b, c]) expect((await send(url, key)).status).toBe(401);
    await end();

    const records = readFileSync(join(root, 'audit.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const calls = records.filter(({ operation_name }) => operation_name === 'hello_world');
    expect(calls.map(({ api_key, user_id }) => `${api_key} ${user_id}`)).toEqual([
      'a a',
      'b b',
      'b b',
      'c c',
      'b b',
    ]);
    const written = server.stdout + server.stderr + JSON.stringify(records);
    for (const { key, entry } of [a, b, c]) {
      expect(written).not.toContain(key.slice(8, 40));
      expect(written).not.toContain(entry.hash);
    }
  });

  // Requirements: api-key.closed
  it('does not start on another address over plain http, and needs no --public behind https', async () => {
    const { entry } = await make('a');
    const root = await project();
    const env = { SVC_CONFIG_YAML: userFile([entry]) };
    const refused = await svc(['serve', '--port', '0', '--host', '0.0.0.0'], root, env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('transport.http.base_url');
    const behind = {
      ...env,
      SVC_CONFIG_YAML: `${userFile([entry])}transport: { http: { base_url: https://svc.example } }\n`,
    };
    const server = new Svc(['serve', '--port', '0', '--host', '0.0.0.0', '--json'], {
      cwd: root,
      env: behind,
    });
    await server.until(/^\{.*\}$/m);
    server.child.kill('SIGTERM');
    expect((await server.ended).stderr).not.toContain('public on purpose');
  });

  it('refuses two Authorization headers, in either order', async () => {
    const [a, wrong] = [await make('a'), await make('wrong')];
    const { url, end } = await serve(userFile([a.entry]));
    const statusOf = (...keys: readonly string[]) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(url.port), url.hostname);
        const lines = keys.map((key) => `authorization: Bearer ${key}\r\n`).join('');
        let answer = '';
        socket.on('data', (data) => {
          answer += data;
        });
        socket.on('end', () => resolve(answer.split(' ')[1] ?? '')).on('error', reject);
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
        socket.write(
          `POST /mcp HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n${lines}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
        );
      });
    expect(await statusOf(a.key)).toBe('200');
    for (const keys of [
      [a.key, wrong.key],
      [wrong.key, a.key],
      [a.key, a.key],
    ]) {
      expect(await statusOf(...keys)).not.toBe('200');
    }
    await end();
  });

  it('ends an open stream of the transport sse with its key', async () => {
    const [a, b] = [await make('a'), await make('b')];
    const { url, reload, end } = await serve(userFile([a.entry, b.entry]), ['--transport', 'sse']);
    const open = (key: string) =>
      fetch(new URL('/sse', url), {
        headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` },
      });
    const stream = await open(a.key);
    expect(stream.status).toBe(200);
    await reload(userFile([b.entry]));
    expect(await stream.text()).toContain('event: endpoint');
    expect((await open(a.key)).status).toBe(401);
    await end();
  });
});

describe('what people read about API keys', () => {
  it('validate, doctor auth and the policy matrix say who may, and show no hash', async () => {
    const [a, old] = [await make('a', '--scope', 'un:used'), await make('old')];
    const root = await project();
    const env = { SVC_CONFIG_YAML: userFile([a.entry, { ...old.entry, expires: '2020-01-01' }]) };
    const validated = await svc(['validate'], root, env);
    expect(validated.code).toBe(0);
    expect(validated.stdout).toMatch(/api_keys\[0\]\.scopes` has un:used, which no endpoint needs/);
    expect(validated.stdout).toMatch(/the key old lets nobody in/);
    const matrix = await svc(['policy', 'matrix'], root, env);
    expect(matrix.stdout).toContain('may sign in: nobody: the server accepts API keys only');
    expect(matrix.stdout).toContain('API key: a calls as a with svc:access un:used, without an end');
    expect(matrix.stdout).toContain('expired at 2020-01-01');
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
    const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
    const doctor = await svc(['doctor', 'auth', '--url', url], root, env);
    expect(doctor.stdout).toContain('401 without a token; the server accepts API keys only');
    expect(doctor.stdout).toContain('a calls as a with svc:access un:used');
    expect(doctor.code).toBe(0);
    const config = await svc(['config'], root, env);
    const shown = [validated, matrix, doctor, config].map(({ stdout, stderr }) => stdout + stderr).join('\n');
    for (const { entry } of [a, old]) expect(shown).not.toContain(entry.hash);
    server.child.kill('SIGTERM');
    await server.ended;
  });
});
