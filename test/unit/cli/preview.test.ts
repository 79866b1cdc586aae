import { once } from 'node:events';
import { readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { TARGET_NAMES } from '../../../deploy/targets/targets.ts';
import { sendLegacy } from '../../legacy-request.ts';
import { ensureDeno } from '../../matrix/deno.ts';
import { project, Svc, svc } from './svc.ts';

// whole platforms start here, on machines with little to spare
vi.setConfig({ testTimeout: 240_000 });

async function toolsAt(url: string): Promise<readonly string[]> {
  const answer = await sendLegacy(url, 'tools/list');
  const { result }: { result: { tools: { name: string }[] } } = JSON.parse(await answer.text());
  return result.tools.map(({ name }) => name);
}

describe.each(TARGET_NAMES)('svc preview --target %s', (target) => {
  it('builds and runs the artefact, tells clients about it, and ends with 0 on SIGINT', async () => {
    const cwd = await project();
    if (target === 'deno') await symlink(join(await ensureDeno(), 'node_modules'), join(cwd, 'node_modules'));
    const running = new Svc(['preview', '--target', target, '--port', '0'], { cwd });
    await running.until(/Ctrl-C stops it/);
    const [, url = ''] = /previewing demo for \S+ on (http:\S+\/mcp)\n/.exec(running.stdout) ?? [];
    expect(running.stdout).toContain(`claude mcp add --transport http demo ${url}\n`);
    expect(running.stdout).toContain(`build/${target}, built now`);
    expect(await toolsAt(url)).toEqual(['hello_world']);
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 0, signal: null });
    await expect(fetch(url, { method: 'POST' })).rejects.toThrow();
  });
});

it('runs what is there as it is, as long as nothing of it has changed', async () => {
  const cwd = await project();
  const preview = async (signal: 'SIGINT' | 'SIGHUP') => {
    const running = new Svc(['preview', '--target', 'node', '--port', '0', '--json'], { cwd });
    const [line] = await running.until(/^\{.*\}\n/m);
    running.child.kill(signal);
    const { code, stdout } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: line });
    // The artefact would outlive a terminal that closes.
    await expect(fetch(JSON.parse(line).url, { method: 'POST' })).rejects.toThrow();
    return JSON.parse(line);
  };
  expect(await preview('SIGHUP')).toMatchObject({
    status: 'ok',
    target: 'node',
    project: 'demo',
    built: true,
  });
  expect(await preview('SIGINT')).toMatchObject({
    status: 'ok',
    url: expect.stringMatching(/\/mcp$/),
    built: false,
  });
});

it('reads the files of --load each time, and loses neither them nor an order', async () => {
  const cwd = await project();
  const manifest = async () => JSON.parse(await readFile(join(cwd, 'build/node/manifest.json'), 'utf8'));
  const preview = async (...args: string[]) => {
    const running = new Svc(['preview', '--target', 'node', '--port', '0', '--json', ...args], { cwd });
    const [line] = await running.until(/^\{.*\}\n/m);
    running.child.kill('SIGINT');
    await running.ended;
    return { built: JSON.parse(line).built, bytes: (await manifest()).database.sha256 };
  };
  const load = ['--load', 'extra.csv', '--replace'];
  await writeFile(join(cwd, 'extra.csv'), 'n\n1\n');
  const first = await preview();
  const second = await preview(...load);
  expect(second.built).toBe(true);
  expect(second.bytes).not.toBe(first.bytes);
  expect((await preview(...load)).built).toBe(true);
  await writeFile(
    join(cwd, 'tools/more.yml'),
    'tool: { name: more, description: Lists all., source: { code: SELECT n FROM extra } }\n',
  );
  const { code, stdout } = await svc(['preview', '--target', 'node', '--port', '0', '--json'], cwd);
  expect({ code, error: JSON.parse(stdout).error }).toMatchObject({
    code: 2,
    error: { message: expect.stringContaining('was built with --load') },
  });
  const sort = ['--sort', 'extra=n', '--public'];
  expect((await svc(['build', '--target', 'node', ...load, ...sort], cwd)).code).toBe(0);
  expect((await manifest()).database.changedBy).toEqual(['--load', '--sort']);
});

/** Builds a public artefact, previews it with more options, and returns its callers before and after. */
async function callersAfterPreview(args: readonly string[], userFile: string) {
  const cwd = await project();
  await writeFile(join(cwd, '.user.yml'), userFile);
  const site = await readFile(join(cwd, 'svc-site.yml'), 'utf8');
  const internal = 'profiles:\n  internal: { database: { path: data/db-default.db, readonly: true } }\n';
  await writeFile(join(cwd, 'svc-site.yml'), site.replace('profiles:\n', internal));
  expect(await svc(['build', '--target', 'node', '--public'], cwd)).toMatchObject({ code: 0 });
  const access = async () => {
    const text = await readFile(join(cwd, 'build/node/manifest.json'), 'utf8');
    return JSON.parse(text).access;
  };
  const before = await access();
  await utimes(join(cwd, 'svc-site.yml'), new Date(), new Date(Date.now() + 60_000));
  const env = { SVC_CONFIG: join(cwd, '.user.yml') };
  const running = new Svc(['preview', '--target', 'node', '--port', '0', '--json', ...args], { cwd, env });
  const [line] = await running.until(/^\{.*\}\n/m);
  running.child.kill('SIGINT');
  await running.ended;
  expect(JSON.parse(line)).toMatchObject({ built: true });
  return { before, after: await access() };
}

// Requirements: own.public
it('keeps an artefact public that was built so', async () => {
  const open = { signIn: null, public: true };
  expect(await callersAfterPreview([], 'svc: 1\n')).toEqual({ before: open, after: open });
});

// Requirements: own.closed
it.each([
  ['for another profile', ['--profile', 'internal'], 'svc: 1\n'],
  [
    'if the user file has sign-in since',
    [],
    'svc: 1\nprojects: { demo: { profiles: { default: { auth: { api_keys: [] } } } } }\n',
  ],
])('keeps no artefact public %s', async (_, args, userFile) => {
  const { after } = await callersAfterPreview(args, userFile);
  expect(after).toEqual({ signIn: null, public: false });
});

it('keeps the sign-in of an artefact that was built with a user file', async () => {
  const cwd = await project();
  const text = 'svc: 1\nprojects: { demo: { profiles: { default: { auth: { api_keys: [] } } } } }\n';
  await writeFile(join(cwd, 'user.yml'), text);
  const built = await svc(['build', '--target', 'node', '--config', 'user.yml', '--public'], cwd);
  expect(built).toMatchObject({ code: 0 });
  const there = await readFile(join(cwd, 'build/node/config.yml'), 'utf8');
  await utimes(join(cwd, 'svc-site.yml'), new Date(), new Date(Date.now() + 60_000));
  const { code, stderr } = await svc(['preview', '--target', 'node', '--port', '0'], cwd);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--config') });
  expect(await readFile(join(cwd, 'build/node/config.yml'), 'utf8')).toBe(there);
});

it('names a port that is taken before anything is built or started', async () => {
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const address = taken.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const { code, stderr } = await svc(['preview', '--target', 'node', '--port', port], await project());
  taken.close();
  expect(code).toBe(1);
  expect(stderr).not.toContain('building for');
  expect(stderr).toMatch(new RegExp(`Port ${port} is not free\\..*--port`));
});

it('ends with 0 if it is stopped while the artefact starts', async () => {
  const cwd = await project();
  expect(await svc(['build', '--target', 'node', '--public'], cwd)).toMatchObject({ code: 0 });
  await writeFile(
    join(cwd, 'build/node/index.js'),
    'console.log(`begins as ${process.pid}.`); setInterval(() => {}, 60_000);',
  );
  const running = new Svc(['preview', '--target', 'node', '--port', '0'], { cwd });
  const [, pid] = await running.until(/begins as (\d+)\./, 'stderr');
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.not.stringContaining('start'),
  });
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});

it('tells why an artefact does not start, and ends with 1', async () => {
  const github = `{ client_id: x, client_secret: "\${NOT_SET_ANYWHERE}" }`;
  const auth = `{ provider: github, github: ${github} }`;
  const env = {
    SVC_CONFIG_YAML: `svc: 1\nprojects: { demo: { profiles: { default: { auth: ${auth} } } } }\n`,
  };
  const { code, stderr } = await svc(['preview', '--target', 'node', '--port', '0'], await project(), env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/The artefact does not start\. It ended with 1\./);
});
