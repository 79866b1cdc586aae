import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import type { BuildResult } from '../../deploy/build-options.ts';
import { TARGET_NAMES } from '../../deploy/targets/targets.ts';
import { parseManifest } from '../../src/catalog/manifest.ts';
import { LAYOUTS } from '../targets.ts';
import { createProject } from './fixture.ts';

const MIB = 1_048_576;
let root: string;
let out: string;
const built = new Map<string, BuildResult>();

beforeAll(async () => {
  root = await createProject();
  out = await mkdtemp(join(tmpdir(), 'svc-built-'));
  for (const target of TARGET_NAMES)
    built.set(target, await buildTarget({ root, public: true, target, out: join(out, target) }));
});
afterAll(async () => {
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});

const folderOf = (target: string) => built.get(target)?.out ?? '';
const sizeOf = (target: string, path: string) =>
  built.get(target)?.files.find((file) => file.path === path)?.bytes ?? Number.NaN;

/** path -> SHA-256 of every file below a folder. */
async function digests(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pairs = files.map(async (file) => [
    file.slice(folder.length + 1),
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ]);
  return Object.fromEntries(await Promise.all(pairs));
}

describe.each(TARGET_NAMES)('%s', (target) => {
  test('a second build from a copy of the project gives the same bytes', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'svc-copy-'));
    await cp(root, copy, { recursive: true });
    const again = await buildTarget({ root: copy, public: true, target });
    expect(again.out).toBe(join(copy, 'build', target));
    expect(again.hash).toBe(built.get(target)?.hash);
    expect(await digests(again.out)).toEqual(await digests(folderOf(target)));
    await rm(copy, { recursive: true });
  });

  test('nothing of the machine that built it is inside', async () => {
    for (const { path } of built.get(target)?.files ?? []) {
      if (/\.(wasm|duckdb|zip|mcpb)$/.test(path)) continue;
      const text = await readFile(join(folderOf(target), path), 'utf8');
      expect(text, path).not.toContain(process.cwd());
      expect(text, path).not.toContain(root);
    }
  });

  test('a line says how to deploy it', async () => {
    const readme = await readFile(join(folderOf(target), 'README.md'), 'utf8');
    expect(readme).toContain(built.get(target)?.next);
  });
});

test('the manifest is the same bytes on every platform, under the hash that the build reports', async () => {
  const texts = await Promise.all(
    TARGET_NAMES.map((target) => readFile(join(folderOf(target), 'manifest.json'), 'utf8')),
  );
  expect(new Set(texts).size).toBe(1);
  expect(parseManifest(texts[0] ?? '').hash).toBe(built.get('node')?.hash);
});

test('the database is the same bytes on every platform', async () => {
  const paths = LAYOUTS.map(({ name, database }) => join(out, name, database));
  const files = await Promise.all(paths.map((path) => readFile(path)));
  const digest = parseManifest(await readFile(join(out, 'node/manifest.json'), 'utf8')).database.sha256;
  for (const file of files) expect(createHash('sha256').update(file).digest('hex')).toBe(digest);
});

test('the Lambda package is at most 12 MB and holds what the function needs, readable by all', async () => {
  expect(sizeOf('aws-lambda', 'function.zip')).toBeLessThanOrEqual(12_000_000);
  const zip = unzipSync(await readFile(join(out, 'aws-lambda/function.zip')));
  expect(Object.keys(zip)).toEqual([
    'LICENSE.duckdb.txt',
    'THIRD-PARTY-LICENSES.txt',
    'data.duckdb',
    'duckdb.wasm',
    'index.mjs',
    'manifest.json',
    'sbom.cdx.json',
    'trampolines.wasm',
  ]);
});

test('the bundle for desktop clients is at most 15 MB, with the program below its description', async () => {
  expect(sizeOf('mcpb', 'matrix.mcpb')).toBeLessThanOrEqual(15_000_000);
  const zip = unzipSync(await readFile(join(out, 'mcpb/matrix.mcpb')));
  expect(Object.keys(zip)).toEqual([
    'manifest.json',
    'server/LICENSE.duckdb.txt',
    'server/THIRD-PARTY-LICENSES.txt',
    'server/data.duckdb',
    'server/duckdb.wasm',
    'server/engine-worker.js',
    'server/index.js',
    'server/manifest.json',
    'server/package.json',
    'server/sbom.cdx.json',
    'server/trampolines.wasm',
  ]);
});

test('the Worker uploads at most 30 MiB without its database', () => {
  const upload = ['index.js', 'duckdb.wasm', 'trampolines.wasm', 'manifest.json'].map((path) =>
    sizeOf('cloudflare-workers', path),
  );
  expect(upload.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(30 * MIB);
});

test.each(LAYOUTS)('the code for $name without the engine is small', async ({ name, runtime, code }) => {
  // The core with next to nothing around it. Workers have built in what other bundles bring.
  const limit = runtime === 'workerd' ? 200_000 : 215_000;
  const compressed = gzipSync(await readFile(join(out, name, code)), { level: 9 });
  expect(compressed.length).toBeLessThanOrEqual(limit);
});

test('the Worker asks for no module of Node', async () => {
  const text = await readFile(join(out, 'cloudflare-workers/index.js'), 'utf8');
  const imports = text.matchAll(/(?:^|[;}])import\b[^"'()]*?from\s*["']([^"']+)["']/gm);
  expect([...imports].map(([, from]) => from).toSorted()).toEqual([
    './duckdb.wasm',
    './manifest.json',
    './trampolines.wasm',
    'cloudflare:workers',
  ]);
  expect(text).not.toMatch(/["']node:/);
});

test('wrangler takes the Worker as it is, and uploads nothing but its code', () => {
  const wrangler = join(process.cwd(), 'node_modules/wrangler/bin/wrangler.js');
  const told = execFileSync(process.execPath, [wrangler, 'deploy', '--dry-run'], {
    cwd: folderOf('cloudflare-workers'),
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1' },
    encoding: 'utf8',
  });
  const modules = [...told.matchAll(/^│ (\S+) +│ (?:text|compiled-wasm|esm) /gm)].map(([, name]) => name);
  expect(modules).toEqual(['duckdb.wasm', 'manifest.json', 'trampolines.wasm']);
  expect(told).toContain('Read 1 file from the assets directory');
});
