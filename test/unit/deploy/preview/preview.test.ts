import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import {
  choicesOf,
  refuseLosingData,
  refuseLosingUserFile,
  staleBecause,
} from '../../../../deploy/preview/preview.ts';
import { VERSION } from '../../../../src/version.ts';

let root: string;
let out: string;

/** The content of the project's database. */
const DATABASE = 'data.duckdb';
const COPIED = {
  name: 'data.duckdb',
  bytes: DATABASE.length,
  sha256: createHash('sha256').update(DATABASE).digest('hex'),
};
const manifest = (version = VERSION, database: object = COPIED) =>
  JSON.stringify({
    svc: 1,
    version,
    hash: 'x',
    database,
    profile: 'default',
    access: { signIn: null, public: false },
    catalog: { hash: 'h', project: 'shop' },
  });
const because = (more: Partial<Parameters<typeof staleBecause>[1]> = {}) =>
  staleBecause(out, {
    root,
    profile: 'default',
    engine: 'wasm',
    target: 'node',
    catalog: 'h',
    database: join(root, 'data.duckdb'),
    config: null,
    ...more,
  });
/** A file from before or after the build. */
async function put(path: string, when: 'before' | 'after'): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), path);
  const at = Date.now() / 1000 + (when === 'after' ? 60 : -60);
  await utimes(join(root, path), at, at);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-stale-'));
  out = join(root, 'build/node');
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'manifest.json'), manifest());
  for (const file of ['svc-site.yml', 'tools/sum.yml', 'data.duckdb']) await put(file, 'before');
});
afterEach(() => rm(root, { recursive: true }));

test('an artefact that is newer than everything is not stale', async () => {
  expect(await because()).toBeNull();
});

test.each(['svc-site.yml', 'tools/sum.yml', 'sql/deep/er.sql', 'data.duckdb', 'data.duckdb.wal'])(
  '%s is a reason when it is newer',
  async (file) => {
    await put(file, 'after');
    expect(await because()).toBe(`${file} is newer`);
  },
);

test.each(['build/other/x.js', 'node_modules/x/y.js', '.git/index', 'tools/.x.yml', 'logs/audit.jsonl'])(
  '%s is none',
  async (file) => {
    await put(file, 'after');
    expect(await because()).toBeNull();
  },
);

test.each(['data.duckdk', 'data.duckdb and more'])(
  'an older database of other content (%s) is a reason',
  async (content) => {
    await writeFile(join(root, 'data.duckdb'), content);
    await utimes(join(root, 'data.duckdb'), 1, 1);
    expect(await because()).toBe('the database is another file');
    await writeFile(join(root, 'data.duckdb.wal'), 'log');
    await utimes(join(root, 'data.duckdb.wal'), 1, 1);
    expect(await because()).toBeNull();
    await rm(join(root, 'data.duckdb.wal'));
    await writeFile(join(out, 'manifest.json'), manifest(VERSION, { ...COPIED, changedBy: ['--load'] }));
    expect(await because()).toBeNull();
  },
);

test('a database that options changed is not built again without them', async () => {
  await refuseLosingData(out, 'x.yml is newer', []);
  const both = { ...COPIED, changedBy: ['--load', '--sort'] };
  await writeFile(join(out, 'manifest.json'), manifest(VERSION, both));
  const lost = (...given: readonly string[]) => refuseLosingData(out, 'x.yml is newer', given);
  await expect(lost()).rejects.toThrow(/built with --load and --sort.*x\.yml is newer.*\n.*svc build/);
  await expect(lost('--load')).rejects.toThrow('was built with --sort, and');
  await writeFile(join(out, 'manifest.json'), manifest(VERSION, { ...COPIED, changedBy: ['--load'] }));
  await lost('--load');
});

test('endpoints that are others are a reason, also where no file is newer', async () => {
  await rm(join(root, 'tools/sum.yml'));
  expect(await because({ catalog: 'without it' })).toBe('its endpoints have changed');
  expect(await because({ catalog: null })).toBeNull();
});

test('what was built otherwise is built again', async () => {
  await writeFile(join(root, 'config.yml'), 'svc: 1\n');
  expect(await because({ profile: 'large' })).toBe('it was built for the profile default');
  expect(await because({ config: join(root, 'config.yml') })).toBe('it was built with another user file');
  await writeFile(join(out, 'manifest.json'), manifest('0.0.1'));
  expect(await because()).toBe('it was built by svc 0.0.1');
  const older = JSON.stringify({
    svc: 1,
    version: '0.0.1',
    hash: 'x',
    profile: 'default',
    catalog: { hash: 'h' },
  });
  await writeFile(join(out, 'manifest.json'), older);
  expect(await because()).toMatch('another version of svc built it');
  await rm(out, { recursive: true });
  expect(await because()).toBe('there is no artefact yet');
});

test('another user file is a reason only in the part that goes into the artefact', async () => {
  const own = '  shop: { profiles: { default: { plugin: { config: { a: { b: c } } } } } }\n';
  const config = join(root, '.user.yml');
  await writeFile(config, `svc: 1\nprojects: # all\n${own}  other:\n`);
  await writeFile(join(out, 'config.yml'), stringify(parse(`svc: 1\nprojects:\n${own}`)));
  expect(await because({ config })).toBeNull();
  await writeFile(config, `svc: 1\nprojects:\n${own.replace('c }', 'd }')}`);
  expect(await because({ config })).toBe('it was built with another user file');
});

test('an artefact with a user file is run as it is, and is not built again without one', async () => {
  await writeFile(join(out, 'config.yml'), 'svc: 1\n');
  expect(await because()).toBeNull();
  await expect(refuseLosingUserFile(out, 'x.yml is newer')).rejects.toThrow(
    /lose its sign-in[\s\S]*--config/,
  );
  await rm(join(out, 'config.yml'));
  await refuseLosingUserFile(out, 'x.yml is newer');
});

test('the next build makes the choices of the last one again', async () => {
  const none = { public: false, python: false };
  expect(await choicesOf(join(root, 'none'), 'default')).toEqual(none);
  const built = {
    ...JSON.parse(manifest()),
    access: { signIn: null, public: true },
    database: { ...COPIED, remote: { store: 'r2' } },
    python: { folder: 'python' },
  };
  await writeFile(join(out, 'manifest.json'), JSON.stringify(built));
  expect(await choicesOf(out, 'default')).toEqual({ public: true, python: true, store: 'r2' });
  expect(await choicesOf(out, 'internal')).toEqual(none);
});
