import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { describe, expect, it } from 'vitest';
import { GRACE_MS } from '../../../adapters/node/http/server.ts';
import { callLegacy, sendLegacy } from '../../legacy-request.ts';
import { project, Svc, svc } from './svc.ts';

const URL_LINE = /(http:\/\/127\.0\.0\.1:\d+\/mcp)/;
const SLOW = `svc: 1
tool:
  name: slow
  return: { type: integer }
  source: { code: "SELECT CAST(count(*) AS INTEGER) AS n FROM range(10000) a, range(5000) b WHERE hash(a.range + b.range) % 7 = 0" }
`;

const ENDLESS = SLOW.replace('slow', 'endless').replace(
  'range(10000) a, range(5000) b',
  'range(1000000) a, range(1000000) b',
);

/** Starts a call and answers once it runs: its progress is told as it goes. */
const startCall = (url: string, name: string) =>
  sendLegacy(url, 'tools/call', { name, arguments: {}, _meta: { progressToken: 1 } });

async function call(url: string, name: string, args: object): Promise<unknown> {
  return resultOf(await callLegacy(url, name, args));
}

/** The result in an answer, which is the last message of a stream. */
async function resultOf(response: Response): Promise<unknown> {
  const { result } = JSON.parse((await response.text()).replace(/^[\s\S]*\ndata: /, ''));
  return result?.structuredContent ?? result;
}

describe('svc serve', () => {
  // Requirements: auth.1, command.serve, feature.oauth, transport.streamable-http
  it('prints its address and a snippet, answers, and ends with 0 on SIGTERM', async () => {
    const env = { SVC_LOG: 'human' };
    const server = new Svc(['serve', '--port', '0', '--quiet'], { cwd: await project(), env });
    const url = (await server.until(URL_LINE))[1] ?? '';
    expect(await call(url, 'hello_world', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' });
    await server.until(/Ctrl-C/);
    expect(server.stdout).toContain(`claude mcp add --transport http demo ${url}`);
    expect(server.stdout).toContain(`{"mcpServers":{"demo":{"type":"http","url":"${url}"}}}`);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({
      code: 0,
      signal: null,
      stderr: 'info: the admin API is disabled\n',
    });
  });

  it('tells clients the address by which they are to come', async () => {
    const root = await project();
    const config = join(root, 'user.yml');
    writeFileSync(config, 'svc: 1\ntransport: { http: { base_url: https://example.com/mcp/ } }\n');
    const server = new Svc(['serve', '--port', '0'], { cwd: root, env: { SVC_CONFIG: config } });
    await server.until(/Ctrl-C/);
    expect(server.stdout).toMatch(/^serving demo on http:\/\/127\.0\.0\.1:\d+\/mcp$/m);
    expect(server.stdout).toContain('claude mcp add --transport http demo https://example.com/mcp/mcp\n');
  });

  // Requirements: signal.SIGTERM
  it('lets a running call finish on SIGTERM', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/slow.yml'), SLOW);
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    const answer = await startCall(url, 'slow');
    server.child.kill('SIGTERM');
    expect(await resultOf(answer)).toEqual({ result: expect.any(Number) });
    expect((await server.ended).code).toBe(0);
  });

  // Requirements: signal.SIGINT, transport.streamable-http
  it('ends at once on SIGINT, also in the middle of a call', async () => {
    const root = await project();
    writeFileSync(join(root, 'tools/endless.yml'), ENDLESS);
    const server = new Svc(['serve', '--port', '0'], { cwd: root });
    const url = (await server.until(URL_LINE))[1] ?? '';
    const answer = await startCall(url, 'endless');
    const asked = performance.now();
    server.child.kill('SIGINT');
    expect((await server.ended).code).toBe(130);
    expect(performance.now() - asked).toBeLessThan(GRACE_MS / 2);
    await expect(answer.text()).rejects.toThrow();
  });

  // Requirements: transport.default
  it.each([
    ['true', 'duckdb-wasm'],
    ['false', 'duckdb-native'],
  ])('prints one document with --json, read-only: %s', async (readonly, engine) => {
    const env = { SVC_READONLY: readonly };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: await project(), env });
    const line = (await server.until(/^.*\n/))[0];
    expect(JSON.parse(line)).toMatchObject({
      status: 'ok',
      transport: 'streamable-http',
      url: expect.stringMatching(URL_LINE),
      project: 'demo',
      tools: 1,
      resources: 0,
      prompts: 0,
      skills: 0,
      engine,
      readonly: readonly === 'true',
    });
  });

  // Requirements: transport.stdio
  it('keeps stdout clean with stdio, and ends with the input', async () => {
    const server = new Svc(['serve', '--transport', 'stdio', '--debug', '--json'], { cwd: await project() });
    const request = {
      jsonrpc: '2.0',
      id: 7,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    server.child.stdin?.write(`${JSON.stringify(request)}\n`);
    await server.until(/\n/);
    server.child.stdin?.end();
    const { code, stdout } = await server.ended;
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { serverInfo: { name: 'demo' } },
    });
  });

  // Requirements: command.serve, transport.sse
  it('serves the older transport with a word about its age, beside the newer one', async () => {
    const server = new Svc(['serve', '--transport', 'sse', '--port', '0', '--json'], {
      cwd: await project(),
    });
    const { url, transport } = JSON.parse((await server.until(/^.*\n/))[0]);
    expect(transport).toBe('sse');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sse$/);
    await server.until(/The transport sse is deprecated/, 'stderr');
    const client = new Client({ name: 'old', version: '1' });
    await client.connect(new SSEClientTransport(new URL(url)) as never);
    expect(await client.callTool({ name: 'hello_world', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    const today = url.replace(/sse$/, 'mcp');
    expect(await call(today, 'hello_world', { name: 'Bob' })).toEqual({ greeting: 'Hello, Bob!' });
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
    await client.close();
  });

  // Requirements: user-file.transport.http.stateless
  it('keeps connections or nothing, not both', async () => {
    const { code, stderr } = await svc(['serve', '--transport', 'sse', '--stateless'], await project());
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be stateless/);
  });

  it('is found by programs that start it elsewhere', async () => {
    const cwd = await project();
    const server = new Svc(['-C', cwd, 'serve', '--port', '0', '--json'], { cwd: '/' });
    expect(JSON.parse((await server.until(/^.*\n/))[0])).toMatchObject({ project: 'demo' });
  });

  it('refuses a project of which nothing can be served, with the places', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'tools/hello_world.yml'),
      'svc: 1\ntool:\n  name: broken\n  sorce: { code: SELECT 1 }\n',
    );
    const [text, json] = [await svc(['serve'], root), await svc(['serve', '--json'], root)];
    expect(text.code).toBe(1);
    expect(text.stderr).toMatch(/tools\/hello_world\.yml:4:3 +error .*sorce/);
    expect(json.code).toBe(1);
    const { error } = JSON.parse(json.stdout);
    expect(error).toMatchObject({ code: 'project_invalid', detail: { findings: expect.any(Array) } });
    expect(error.detail.findings).toContainEqual(
      expect.objectContaining({ file: 'tools/hello_world.yml', line: 4 }),
    );
  });

  it('serves what can be loaded, and says what cannot', async () => {
    const root = await project();
    writeFileSync(
      join(root, 'tools/broken.yml'),
      'svc: 1\ntool:\n  name: broken\n  sorce: { code: SELECT 1 }\n',
    );
    const server = new Svc(['serve', '--port', '0'], { cwd: root });
    const url = (await server.until(URL_LINE))[1] ?? '';
    expect(await call(url, 'hello_world', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' });
    expect(server.stderr).toMatch(/tools\/broken\.yml:4:3: not served: .*sorce/);
    expect(JSON.stringify(await call(url, 'broken', {}))).toBeUndefined();
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  it.each([
    [
      'one of a missing parameter',
      '[{ name: t, arguments: [{ key: name, value: Ada }, { key: nme, value: x }] }]',
      'There is no parameter "nme"',
    ],
    ['one with an unknown key', '[{ name: t, argments: [] }]', 'argments'],
    ['a list that is none', 'yes', 'must be a list'],
  ])('serves an endpoint whose tests are broken: %s', async (_, tests, said) => {
    const root = await project();
    const path = join(root, 'tools/hello_world.yml');
    const [endpoint = ''] = readFileSync(path, 'utf8').split('\n  tests:');
    writeFileSync(path, `${endpoint}\n  tests: ${tests}\n`);
    const server = new Svc(['serve', '--port', '0'], { cwd: root, env: { SVC_LOG: 'human' } });
    const url = (await server.until(URL_LINE))[1] ?? '';
    expect(await call(url, 'hello_world', { name: 'Ada' })).toEqual({ greeting: 'Hello, Ada!' });
    expect(server.stderr).toMatch(/tools\/hello_world\.yml:\d+:\d+: broken test: /);
    expect(server.stderr).toContain(said);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    for (const command of ['validate', 'test', 'build']) {
      const args =
        command === 'build' ? ['build', '--target', 'node', '--out', join(root, 'out')] : [command];
      const { code, stdout, stderr } = await svc(args, root);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(said);
    }
  });

  // Requirements: command.serve
  it('says so when the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => taken.once('listening', listening));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await svc(['serve', '--port', String(port)], await project());
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/already in use.*--port/);
  });

  it.each([
    ['SVC_DATABASE_ENGINE', 'duckdb', /SVC_DATABASE_ENGINE must be one of auto, wasm, native/],
    ['SVC_READONLY', 'maybe', /SVC_READONLY must be true or false/],
    ['SVC_DATABASE_ENGINE', 'wasm', /The engine wasm can only read/],
  ])('refuses %s=%s', async (name, value, text) => {
    const env = { SVC_READONLY: 'false', [name]: value };
    const { code, stderr } = await svc(['serve', '--port', '0'], await project(), env);
    expect(code).toBe(1);
    expect(stderr).toMatch(text);
  });

  // Requirements: condition.default, condition.reference
  it.each(['${SVC_TEST_UNSET}', '${HOME:-planted}', 'file:///does/not/exist'])(
    'does not start with %s, which it cannot resolve',
    async (value) => {
      const secret = `{ name: s, type: custom, parameters: { a: "${value}" } }`;
      const profiles = `{ default: { secrets: [${secret}] } }`;
      const SVC_CONFIG_YAML = `svc: 1\nprojects: { demo: { profiles: ${profiles} } }\n`;
      const { code, stderr } = await svc(['serve', '--port', '0'], await project(), { SVC_CONFIG_YAML });
      expect(code).toBe(1);
      expect(stderr).toContain('secrets[0].parameters.a');
      expect(stderr).not.toContain('planted');
    },
  );

  // Requirements: env.SVC_READONLY
  it('serves read-only with the native engine when told to', async () => {
    const env = { SVC_READONLY: '1', SVC_DATABASE_ENGINE: 'native' };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: await project(), env });
    expect(JSON.parse((await server.until(/^.*\n/))[0])).toMatchObject({
      engine: 'duckdb-native',
      readonly: true,
    });
  });
});
