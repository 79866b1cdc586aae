import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, Svc, svc } from '../unit/cli/svc.ts';

const CALL = ['run', 'tool', 'hello_world', '--param', 'name=Ada', '--json'];

describe('svc on the wasm engine', () => {
  it('answers with the same bytes as on the native one', async () => {
    const root = await project();
    const [native, wasm] = [await svc(CALL, root), await svc(CALL, root, { SVC_READONLY: 'true' })];
    expect(wasm).toEqual(native);
    expect(wasm.stdout).toBe('{"greeting":"Hello, Ada!"}\n');
  });

  // Requirements: command.serve, user-file.transport.http.stateless
  it('serves every --stateless server with it, and ends with 0 on SIGTERM', async () => {
    const server = new Svc(['serve', '--stateless', '--port', '0', '--json'], { cwd: await project() });
    expect(JSON.parse((await server.until(/^.*\n/))[0])).toMatchObject({
      engine: 'duckdb-wasm',
      readonly: true,
    });
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^\{[^\n]*the admin API is disabled"\}\n$/),
    });
  });

  it('ends when it cannot listen, engines and all', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => taken.once('listening', listening));
    const { port } = taken.address() as AddressInfo;
    const ended = await svc(['serve', '--stateless', '--port', String(port)], await project());
    taken.close();
    expect(ended.stderr).toMatch(/already in use/);
  });

  it('plans the SQL of a read-only project with it', async () => {
    const checked = await svc(['validate'], await project(), { SVC_READONLY: 'true' });
    expect(checked).toMatchObject({ code: 0, stdout: 'ok: 1 endpoint\n' });
  });
});

describe('svc build', () => {
  it('writes the folder and says what is in it', async () => {
    const root = await project();
    const { code, stdout } = await svc(['build', '--target', 'node', '--json'], root);
    expect(code).toBe(0);
    const built = JSON.parse(stdout);
    expect(built).toMatchObject({
      status: 'ok',
      target: 'node',
      out: join(root, 'build/node'),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      next: expect.stringMatching(/\S/),
    });
    for (const { path } of built.files) expect(existsSync(join(built.out, path)), path).toBe(true);
  });

  it('takes --out from the current folder', async () => {
    const root = await project();
    const { code, stdout } = await svc(['build', '--target', 'node', '--out', 'there'], join(root, 'sql'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^built there /);
    expect(existsSync(join(root, 'sql/there/manifest.json'))).toBe(true);
  });
});
