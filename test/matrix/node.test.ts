import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import { ensureDeno } from './deno.ts';
import { startNode } from './platforms.ts';
import { rawCall, startCall } from './raw.ts';

let artefacts: Artefacts;
let folder: string;

beforeAll(async () => {
  artefacts = await createArtefacts();
  folder = (await artefacts.get('node')).out;
});
afterAll(() => artefacts.remove());

/** Runs the artefact to its end. */
async function runToEnd(cwd: string, env: Record<string, string>, ...options: string[]) {
  const child = spawn(process.execPath, [...options, 'index.js'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [log, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, log };
}

// Requirements: signal.SIGTERM
test('on SIGTERM a running call is answered, new ones are not taken, and the program ends with 0', async () => {
  const running = await startNode(folder);
  if (running.reach.kind !== 'http') throw new Error('it does not serve over HTTP');
  const answer = await startCall(running.reach.url, 'slow', { size: 5_000 });
  const [messages] = await Promise.all([answer.text(), running.close()]);
  const { result } = JSON.parse(messages.replace(/^[\s\S]*\ndata: /, ''));
  expect(result.structuredContent).toEqual({ n: 3_060_204 });
  await expect(rawCall(running.reach, 'hello')).rejects.toThrow();
});

/** The command that starts an artefact. */
async function commandOf(name: 'node' | 'deno', out: string): Promise<readonly string[]> {
  if (name === 'node') return [process.execPath, 'index.js'];
  const require = createRequire(join(await ensureDeno(), 'package.json'));
  const { tasks } = JSON.parse(await readFile(join(out, 'deno.json'), 'utf8'));
  return [require('deno/install_api.cjs').runInstall(), ...tasks.start.split(' ').slice(1)];
}

test.each(['node', 'deno'] as const)(
  'on SIGHUP a %s artefact runs on, and says that it reloads nothing',
  async (name) => {
    const { out } = await artefacts.get(name);
    const [program = '', ...args] = await commandOf(name, out);
    const child = spawn(program, args, {
      cwd: out,
      env: { PORT: '0', HOME: out },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        if (line.includes('"serving"')) child.kill('SIGHUP');
        if (line.includes('SIGHUP reloads nothing')) child.kill('SIGTERM');
      });
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);

test('health and readiness are told, under the hash of the build', async () => {
  const running = await startNode(folder);
  const at = (path: string) => fetch(new URL(path, running.reach.kind === 'http' ? running.reach.url : ''));
  const health = await at('/health');
  expect(await health.json()).toMatchObject({ status: 'ok', hash: (await artefacts.get('node')).hash });
  expect((await at('/ready')).status).toBe(200);
  expect((await at('/data.duckdb')).status).toBe(404);
  await running.close();
});

test('a Node that is too old is an error at the start, not in the middle of the first call', async () => {
  const versions = { ...process.versions, node: '22.14.0' };
  const older = `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} })`;
  const { code, log } = await runToEnd(folder, { PORT: '0' }, '--import', `data:text/javascript,${older}`);
  expect(code).toBe(2);
  expect(JSON.parse(log)).toMatchObject({
    level: 'error',
    message: expect.stringMatching(/This is Node 22\.14\.0, .* needs Node 22\.15 or newer/),
  });
});

test('a port that is none is an error that names it', async () => {
  const { code, log } = await runToEnd(folder, { PORT: 'http' });
  expect(code).toBe(2);
  expect(JSON.parse(log)).toMatchObject({ level: 'error', message: expect.stringContaining('PORT is http') });
});

test('records that the artefact cannot write are an error at the start, not on the first call', async () => {
  const { code, log } = await runToEnd(folder, { PORT: '0', SVC_AUDIT_ENABLED: 'true' });
  expect(code).toBe(1);
  expect(JSON.parse(log)).toMatchObject({
    level: 'error',
    message: expect.stringContaining('without audit'),
  });
});

test('a database that is gone is an error at the start, not on the first call', async () => {
  const broken = join(artefacts.root, 'broken');
  await cp(folder, broken, { recursive: true });
  await rm(join(broken, 'data.duckdb'));
  const { code, log } = await runToEnd(broken, { PORT: '0' });
  expect(code).toBe(1);
  expect(JSON.parse(log)).toMatchObject({ level: 'error', message: expect.stringContaining('data.duckdb') });
});
