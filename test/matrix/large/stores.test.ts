import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import type { BuildResult } from '../../../deploy/build-options.ts';
import { startPreview } from '../../../deploy/preview/preview.ts';
import type { TargetName } from '../../../deploy/targets/targets.ts';
import { createProject } from '../fixture.ts';
import { rawCall } from '../raw.ts';
import { type ObjectServer, startObjectServer } from './object-server.ts';

let root: string;
let out: string;
let objects: ObjectServer;

beforeAll(async () => {
  root = await createProject();
  out = await mkdtemp(join(tmpdir(), 'svc-stores-'));
  objects = await startObjectServer();
});
afterAll(async () => {
  await objects.close();
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

const build = (target: TargetName, store?: string): Promise<BuildResult> =>
  buildTarget({
    root,
    public: true,
    target,
    out: join(out, `${target}-${store === undefined ? 'file' : 'store'}`),
    ...(store === undefined ? {} : { store }),
  });

async function start(target: TargetName, { out: folder }: BuildResult) {
  const preview = await startPreview(target, { folder, port: 0, root, env: process.env, onLine: () => {} });
  const call = (tool: string) => rawCall({ kind: 'http', url: new URL(preview.url) }, tool);
  return { call, close: preview.close };
}

const SERVERS: readonly TargetName[] = ['node', 'aws-lambda'];

// Requirements: large.deploy
test.each(['r2', 'assets'])('wrangler accepts a Worker with its database in %s', async (store) => {
  const { out: folder } = await build('cloudflare-workers', store);
  const wrangler = createRequire(import.meta.url).resolve('wrangler/package.json');
  const script = join(dirname(wrangler), 'bin/wrangler.js');
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_UPDATE_NOTIFIER: '1' };
  const args = [script, 'deploy', '--dry-run', '--outdir', join(out, `dry-${store}`)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  expect(stdout).toContain(store === 'r2' ? 'env.DATABASE (matrix-data)' : 'env.ASSETS');
  expect(stdout).toContain('duckdb.wasm');
  expect(stdout).toContain('--dry-run: exiting now');
});

// Requirements: large.store
describe.each(SERVERS)('%s with its database behind HTTP', (target) => {
  test('answers as it does with the file, from ranges, once the file is uploaded', async () => {
    const beside = await start(target, await build(target));
    const expected = await beside.call('types');
    await beside.close();
    const store = new URL('data', objects.url).href;
    const built = await build(target, store);
    const [, address = ''] =
      /^curl --fail --upload-file upload\/data\.duckdb (\S+) && /.exec(built.next) ?? [];
    expect(address).toMatch(/\/data\/matrix\/[0-9a-f]{16}\.duckdb$/);
    const body = await readFile(join(built.out, 'upload/data.duckdb'));
    await fetch(address, { method: 'PUT', body });
    objects.ranges.length = 0;
    const remote = await start(target, built);
    expect(await remote.call('types')).toBe(expected);
    expect(objects.ranges.length).toBeGreaterThan(2);
    await remote.close();
  });

  test('contains no database', async () => {
    const { files } = await build(target, 'https://example.com/data');
    expect(files.map(({ path }) => path).filter((path) => path.endsWith('.duckdb'))).toEqual([
      'upload/data.duckdb',
    ]);
  });
});
