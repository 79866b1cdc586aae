import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { target } from '../../../../../deploy/targets/cloudflare-workers/target.ts';

const MIB = 1_048_576;

test('a database of 25 MiB is the largest that is accepted', async () => {
  await target.finish('', [{ path: 'assets/data.duckdb', bytes: 25 * MIB }]);
  const larger = target.finish('', [{ path: 'assets/data.duckdb', bytes: 25 * MIB + 1 }]);
  await expect(larger).rejects.toMatchObject({ code: 'target_unsupported' });
  await expect(larger).rejects.toThrow(/25\.0 MiB.*another target/);
});

test('the modules together are held to 30 MiB, without the database', async () => {
  const files = [
    { path: 'index.js', bytes: 5 * MIB },
    { path: 'duckdb.wasm', bytes: 25 * MIB },
    { path: 'assets/data.duckdb', bytes: 20 * MIB },
  ];
  await target.finish('', files);
  await expect(target.finish('', [...files, { path: 'manifest.json', bytes: 1 }])).rejects.toThrow(
    /30\.0 MiB/,
  );
});

test('what may not fit into the memory of an isolate is refused, with what it may need', async () => {
  const database = { path: 'assets/data.duckdb', bytes: 25 * MIB };
  await target.finish('', [database, { path: 'manifest.json', bytes: 3 * MIB }]);
  const larger = target.finish('', [database, { path: 'manifest.json', bytes: 4 * MIB }]);
  await expect(larger).rejects.toMatchObject({ code: 'target_unsupported' });
  await expect(larger).rejects.toThrow(/may need 114\.0 MiB.*isolate has 128\.0 MiB/);
});

test('the Worker comes before its assets, always', () => {
  const { 'wrangler.toml': toml } = target.files({
    callers: 'no sign-in, public on purpose',
    project: 'Sales',
    version: '1.0.0',
  });
  expect(toml).toContain('name = "sales"');
  expect(toml).toContain('run_worker_first = true');
  expect(toml).toContain('binding = "ASSETS"');
});

test('the README names the upload to a bucket first, and a reason for it only if the database is too large', () => {
  const readmeOf = (bytes: number, store = 'r2') => {
    const remote = { store, key: 'sales/0123.duckdb', bytes };
    const facts = { callers: 'nobody', project: 'Sales', version: '1.0.0', remote };
    return String(target.files(facts)['README.md']);
  };
  const upload = 'Upload the database and deploy the Worker with the two commands below';
  const order = /r2 object put sales-data\/sales\/0123\.duckdb .*\n +npx wrangler deploy\n/;
  for (const bytes of [MIB, 26 * MIB]) {
    const text = readmeOf(bytes);
    expect(text).toContain(upload);
    expect(text).toMatch(order);
    expect(text).not.toContain('Deploy it with');
    expect(text.includes('The database is too large for a static asset.')).toBe(bytes > 25 * MIB);
  }
  expect(readmeOf(MIB, 'assets')).toContain('Deploy it with `npx wrangler deploy` in this folder.');
  expect(readmeOf(MIB, 'assets')).not.toContain(upload);
});

test('D1 databases that were added to wrangler.toml stay in the next one, and nothing else does', async () => {
  const older = await mkdtemp(join(tmpdir(), 'svc-older-'));
  const built = target.files({ callers: 'nobody', project: 'Sales', version: '1.0.0' });
  const keep = async () => String((await target.keep?.(built, older))?.['wrangler.toml']);
  expect(await keep()).toBe(built['wrangler.toml']);
  const tables = `
[[d1_databases]]
binding = "SESSIONS"
database_name = "svc-sessions"
database_id = "4711"

[[d1_databases]]
binding = "OTHER"
`;
  const edited = `name = "old"\n${tables}\n[vars]\nA = "1"\n`;
  await writeFile(join(older, 'wrangler.toml'), edited);
  expect(await keep()).toBe(`${built['wrangler.toml']}${tables}`);
  await writeFile(join(older, 'wrangler.toml'), await keep());
  expect(await keep()).toBe(`${built['wrangler.toml']}${tables}`);
});

test.each([
  ['spaces', '[[ d1_databases ]] # mine\n  binding = "SESSIONS"\n# more\n[vars]\nA = "1"\n'],
  ['an indent', '[vars]\nA = "1"\n  [[d1_databases]]\n  binding = "SESSIONS"\n'],
  ['one line', 'd1_databases = [ { binding = "SESSIONS" } ]\n[vars]\nA = "1"\n'],
])('a D1 database that is written with %s stays', async (_form, text) => {
  const older = await mkdtemp(join(tmpdir(), 'svc-older-'));
  await writeFile(join(older, 'wrangler.toml'), text);
  const built = target.files({ callers: 'nobody', project: 'Sales', version: '1.0.0' });
  const kept = (await target.keep?.(built, older))?.['wrangler.toml'];
  expect(kept).toBe(`${built['wrangler.toml']}\n[[d1_databases]]\nbinding = "SESSIONS"\n`);
});

test('the D1 databases of environments stay, beside numbers of any size', async () => {
  const older = await mkdtemp(join(tmpdir(), 'svc-older-'));
  const text =
    '[env.staging.vars]\nA = 9007199254740993\n[[env.staging.d1_databases]]\nbinding = "SESSIONS"\n[env.empty]\n';
  await writeFile(join(older, 'wrangler.toml'), text);
  const built = target.files({ callers: 'nobody', project: 'Sales', version: '1.0.0' });
  const kept = String((await target.keep?.(built, older))?.['wrangler.toml']);
  expect(parse(kept)).toEqual({
    ...parse(String(built['wrangler.toml'])),
    env: { staging: { d1_databases: [{ binding: 'SESSIONS' }] } },
  });
});

test('an older wrangler.toml that cannot be read stops the build, because its D1 databases would be lost', async () => {
  const older = await mkdtemp(join(tmpdir(), 'svc-older-'));
  await writeFile(join(older, 'wrangler.toml'), 'name = "old"\n[[d1_databases]\n');
  const built = target.files({ callers: 'nobody', project: 'Sales', version: '1.0.0' });
  await expect(target.keep?.(built, older)).rejects.toThrow(
    /wrangler\.toml:2:\d+: the file is not TOML\. Correct it/,
  );
});
