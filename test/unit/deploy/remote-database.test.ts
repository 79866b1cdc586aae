import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layoutOf } from '../../../adapters/duckdb-wasm/remote/blocks.ts';
import { unpackColumns } from '../../../adapters/duckdb-wasm/remote/read-ahead.ts';
import { chooseStore, describeRemote, placeDatabase } from '../../../deploy/remote-database.ts';
import { TARGETS, type TargetName } from '../../../deploy/targets/targets.ts';
import { createDatabase } from '../adapters/duckdb-wasm/fixture.ts';

const MB = 1_048_576;

async function choose(name: TargetName, asked?: string, { bytes = MB, native = false } = {}) {
  const { target } = await TARGETS[name].load();
  return chooseStore(target, { asked, bytes, native });
}

it('is R2 for a Worker whose database is larger than an asset, and the artefact everywhere else', async () => {
  expect(await choose('cloudflare-workers', undefined, { bytes: 25 * MB })).toBeNull();
  expect(await choose('cloudflare-workers', undefined, { bytes: 25 * MB + 1 })).toBe('r2');
  expect(await choose('node', undefined, { bytes: 5000 * MB })).toBeNull();
  expect(await choose('aws-lambda', undefined, { bytes: 5000 * MB })).toBeNull();
});

// Requirements: large.store
it('is what the build names, at any size', async () => {
  expect(await choose('cloudflare-workers', 'r2')).toBe('r2');
  expect(await choose('cloudflare-workers', 'assets', { bytes: 500 * MB })).toBe('assets');
  expect(await choose('node', 's3://bucket/folder/')).toBe('s3://bucket/folder');
  expect(await choose('aws-lambda', 'https://data.example.com/a')).toBe('https://data.example.com/a');
  expect(await choose('node', 'http://127.0.0.1:9000/a')).toBe('http://127.0.0.1:9000/a');
});

it.each<[TargetName, string]>([
  ['cloudflare-workers', 's3://bucket'],
  ['cloudflare-workers', 'kv'],
  ['node', 'r2'],
  ['node', 'assets'],
  ['node', 'http://example.com/a'],
  ['node', 'https://example.com/a?token=x'],
  ['node', 'https://example.com/$(id)'],
  ['node', 'https://example.com/a b'],
  ['aws-lambda', 'ftp://example.com'],
  ['aws-lambda', 's3://'],
])('is refused for %s if it is %s', async (target, store) => {
  await expect(choose(target, store)).rejects.toThrow(
    target === 'cloudflare-workers'
      ? 'Choose r2 or assets.'
      : 'Choose s3://bucket/folder or https://host/folder.',
  );
});

it('is refused for the native engine', async () => {
  await expect(choose('node', 's3://bucket', { native: true })).rejects.toThrow(
    '--store is for the wasm engine',
  );
});

it('cuts a database into an asset for each block, in order', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
  const bytes = Buffer.from(Array.from({ length: 12_288 + 262_144 + 5 }, (_, at) => at % 251));
  await writeFile(join(folder, 'copy'), bytes);
  await placeDatabase(join(folder, 'copy'), folder, 'assets');
  expect(await readdir(folder, { recursive: true })).toEqual([
    'assets',
    'assets/blocks',
    'assets/blocks/0',
    'assets/blocks/1',
    'assets/blocks/2',
  ]);
  const blocks = ['0', '1', '2'].map((name) => readFile(join(folder, 'assets/blocks', name)));
  expect(Buffer.concat(await Promise.all(blocks)).equals(bytes)).toBe(true);
  await rm(folder, { recursive: true });
});

it.each([16_384, 262_144])(
  'has the blocks of its columns, where DuckDB has blocks of %i bytes',
  async (blockBytes) => {
    const sql = 'CREATE TABLE t AS SELECT hash(i) AS a, hash(i + 1) AS b FROM range(500000) r(i)';
    const path = await createDatabase(sql, 'data.duckdb', undefined, blockBytes);
    const copied = { name: 'data.duckdb', bytes: (await stat(path)).size, sha256: 'a'.repeat(64) };
    const { columns, digests } = await describeRemote(path, copied, { project: 'shop', store: 'r2' });
    const { count } = layoutOf(copied.bytes);
    expect(Buffer.from(digests, 'base64url').length).toBe(32 * count);
    const listed = unpackColumns(columns);
    expect(listed.length).toBeGreaterThanOrEqual(2);
    // Nearly all of the file are these two columns.
    const blocks = new Set(listed.flat());
    expect(Math.max(...blocks)).toBeLessThan(count);
    expect(blocks.size).toBeGreaterThan(count - 5);
  },
);

it('is refused with credentials, which are not shown', async () => {
  for (const store of ['https://u:planted@example.com/a', 's3://planted@bucket/a']) {
    const refused = await choose('node', store).catch((error) => error);
    expect(refused).toMatchObject({ code: 'usage', message: expect.stringContaining('password') });
    expect(refused.message).not.toContain('planted');
  }
});
