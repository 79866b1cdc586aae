import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { inspectFile } from '../../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../../adapters/node/database/open-database.ts';
import { ensureDuckDb } from '../../../scripts/test/duckdb.js';
import { read, write } from '../../engine/fixture.ts';
import { databaseFileOf } from '../../fixtures/database-files.ts';
import { isRunning } from '../../is-running.ts';
import { folder, Svc, svc } from './svc.ts';

vi.setConfig({ testTimeout: 60_000 });

/** What else a path may hold, and what is said of it. */
const REFUSED: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ['a folder', (path) => void mkdirSync(path), /is a folder/],
  ['text', (path) => writeFileSync(path, 'text'), /is a text file.*svc init --from/s],
  ['nothing', () => undefined, /There is no file/],
];

const python = await ensureDuckDb();

/** One of everything that a database can hold. The names sort tables before those that they reference. */
const EVERYTHING = `
CREATE TYPE mood AS ENUM ('ok', 'bad');
CREATE SEQUENCE ids START 10;
CREATE TABLE z (id INTEGER PRIMARY KEY DEFAULT nextval('ids'), name VARCHAR NOT NULL, m mood, CHECK (length(name) < 100));
CREATE TABLE b (id INTEGER PRIMARY KEY, z_id INTEGER REFERENCES z(id), UNIQUE (z_id), twice INTEGER GENERATED ALWAYS AS (id * 2));
CREATE TABLE "a ""1" (x INTEGER REFERENCES b(id), "select" VARCHAR DEFAULT 'none');
INSERT INTO z (name, m) VALUES ('x', 'ok'), ('y', 'bad');
INSERT INTO b VALUES (1, 10), (2, 11);
INSERT INTO "a ""1" VALUES (1, 'one');
CREATE INDEX by_name ON z(name);
CREATE VIEW "0v" AS SELECT z.name, b.twice FROM z JOIN b ON z.id = b.z_id ORDER BY name;
CREATE MACRO plus(x) AS x + 1;
CREATE MACRO first_names(n) AS TABLE SELECT name FROM z ORDER BY name LIMIT n;
CREATE VIEW of_macro AS SELECT plus(id) AS n FROM b;
`;

/** What a copy of EVERYTHING answers. */
async function answersOf(path: string): Promise<readonly unknown[]> {
  const database = await openNodeDatabase({ path, readonly: true, engine: 'wasm' });
  const answers: unknown[] = [];
  for (const sql of [
    'FROM z ORDER BY id',
    'FROM b ORDER BY id',
    'FROM "a ""1"',
    'FROM "0v"',
    'FROM of_macro ORDER BY n',
    'FROM first_names(1)',
    'SELECT plus(6) AS n',
    "SELECT count(*) AS n FROM duckdb_constraints() WHERE constraint_type IN ('FOREIGN KEY', 'CHECK', 'UNIQUE')",
  ])
    answers.push((await read(database, sql)).rows);
  await database.close();
  const writer = await openNodeDatabase({ path, readonly: false, engine: 'native' });
  answers.push((await write(writer, "SELECT nextval('ids') AS n")).rows);
  await writer.close();
  return answers;
}

const EXPECTED = [
  [
    { id: 10, name: 'x', m: 'ok' },
    { id: 11, name: 'y', m: 'bad' },
  ],
  [
    { id: 1, z_id: 10, twice: 2 },
    { id: 2, z_id: 11, twice: 4 },
  ],
  [{ x: 1, select: 'one' }],
  [
    { name: 'x', twice: 2 },
    { name: 'y', twice: 4 },
  ],
  [{ n: 2 }, { n: 3 }],
  [{ name: 'x' }],
  [{ n: 7 }],
  [{ n: 4 }],
  [{ n: 12 }],
];

/** Writes a database in the newest form of our own engine; the rows of the last statement are only in its log. */
async function writeNewest(root: string, target: string, sql: string, logged: string): Promise<void> {
  const live = join(root, 'writer.db');
  const { openInstance } = await loadDriver();
  const instance = await openInstance(live, { storage_compatibility_version: 'v1.5.0' });
  const connection = await instance.connect();
  await connection.run(sql);
  await connection.run('CHECKPOINT');
  await connection.run(logged);
  copyFileSync(live, target);
  copyFileSync(`${live}.wal`, `${target}.wal`);
  connection.closeSync();
  instance.closeSync();
  rmSync(live);
}

/** A folder with one database file of a version. */
function withFile(version: string): string {
  const root = folder();
  writeFileSync(join(root, 'sales.duckdb'), databaseFileOf(version));
  return root;
}

/** No python3 and no duckdb on PATH. */
const ALONE = { PATH: '/nonexistent' };

describe('svc convert', () => {
  it('copies a file with our own engine into the oldest form, and changes nothing else', async () => {
    const root = withFile('1.5.5-v1.5.0');
    const before = readFileSync(join(root, 'sales.duckdb'));
    const { code, stdout } = await svc(['convert', 'sales.duckdb', '--json'], root, ALONE);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        status: 'ok',
        file: join(root, 'sales.duckdb'),
        out: join(root, 'sales-converted.db'),
        replaced: false,
        from: { version: '1.5.5', storage: 68 },
        engine: 'svc',
        tables: [{ table: '"main"."animals"', rows: 3 }],
        views: ['"main"."young"'],
      },
    ]);
    expect(readdirSync(root).toSorted()).toEqual(['sales-converted.db', 'sales.duckdb']);
    expect(readFileSync(join(root, 'sales.duckdb')).equals(before)).toBe(true);
    expect(await inspectFile(join(root, 'sales-converted.db'))).toMatchObject({ storage: 64 });
    const copy = { path: join(root, 'sales-converted.db'), readonly: true } as const;
    for (const engine of ['wasm', 'native'] as const)
      await (await openNodeDatabase({ ...copy, engine })).close();
  });

  it('overwrites nothing without --force, and replaces the original only if both are the same', async () => {
    const root = withFile('1.5.5-v1.5.0');
    writeFileSync(join(root, 'mine.db'), 'mine');
    const refused = await svc(['convert', 'sales.duckdb', 'mine.db'], root, ALONE);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/mine\.db is there already.*--force/),
    ]);
    expect(readFileSync(join(root, 'mine.db'), 'utf8')).toBe('mine');
    const same = await svc(['convert', 'sales.duckdb', 'sales.duckdb'], root, ALONE);
    expect([same.code, same.stderr]).toEqual([
      2,
      expect.stringMatching(/is the database that is to be converted/),
    ]);
    writeFileSync(join(root, 'mine.db.wal'), 'the log of another file');
    expect(await svc(['convert', 'sales.duckdb', 'mine.db', '--force'], root, ALONE)).toMatchObject({
      code: 0,
    });
    expect(existsSync(join(root, 'mine.db.wal'))).toBe(false);
    const replaced = await svc(['convert', 'sales.duckdb', 'sales.duckdb', '--force'], root, ALONE);
    expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringMatching(/^replaced sales\.duckdb/)]);
    expect(await inspectFile(join(root, 'sales.duckdb'))).toMatchObject({ storage: 64 });
  });

  it('overwrites no file that another program makes meanwhile', async () => {
    const root = withFile('1.5.5-v1.5.0');
    const out = join(root, 'copy.db');
    const watcher = watch(root, (_, name) => {
      if (name?.startsWith('copy.db.') && !existsSync(out)) writeFileSync(out, 'mine');
    });
    onTestFinished(() => watcher.close());
    const refused = await svc(['convert', 'sales.duckdb', 'copy.db'], root, ALONE);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('copy.db is there already')]);
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect(readdirSync(root).toSorted()).toEqual(['copy.db', 'sales.duckdb']);
  });

  it('keeps a private file private, and replaces the file behind a link', async () => {
    const root = withFile('1.5.5-v1.5.0');
    const [file, link] = [join(root, 'sales.duckdb'), join(root, 'link.duckdb')];
    chmodSync(file, 0o600);
    const modes: number[] = [];
    const watcher = watch(root, (_, name) => {
      const found =
        name?.startsWith('sales-converted.db') && statSync(join(root, name), { throwIfNoEntry: false });
      if (found) modes.push(found.mode & 0o777);
    });
    onTestFinished(() => watcher.close());
    symlinkSync('sales.duckdb', link);
    expect(await svc(['convert', 'sales.duckdb'], root, ALONE)).toMatchObject({ code: 0 });
    expect(statSync(join(root, 'sales-converted.db')).mode & 0o777).toBe(0o600);
    // Also while it is written, and its log.
    expect(modes.filter((mode) => mode !== 0o600)).toEqual([]);
    const replaced = await svc(['convert', 'link.duckdb', 'link.duckdb', '--force'], root, ALONE);
    expect(replaced).toMatchObject({ code: 0 });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await inspectFile(file)).toMatchObject({ storage: 64 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('copies keys, views, sequences, macros, types and generated columns', async () => {
    const root = folder();
    const source = join(root, 's.db');
    await writeNewest(root, source, EVERYTHING, 'SELECT 1; CREATE TABLE last (x INTEGER)');
    const { code, stdout } = await svc(['convert', 's.db', 'out.db', '--json'], root, ALONE);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ engine: 'svc', views: ['"main"."0v"', '"main"."of_macro"'] });
    expect(await answersOf(join(root, 'out.db'))).toEqual(EXPECTED);
  });

  it('copies the rows in the log beside a file, and changes neither', async () => {
    const root = folder();
    const source = join(root, 's.db');
    await writeNewest(root, source, 'CREATE TABLE t AS SELECT 1 AS id', 'INSERT INTO t VALUES (2)');
    const before = [readFileSync(source), readFileSync(`${source}.wal`)];
    const { code, stdout } = await svc(['convert', 's.db', 'out.db', '--json'], root, ALONE);
    expect([code, JSON.parse(stdout).tables]).toEqual([0, [{ table: '"main"."t"', rows: 2 }]]);
    expect([readFileSync(source), readFileSync(`${source}.wal`)]).toEqual(before);
    expect(readdirSync(root).toSorted()).toEqual(['out.db', 's.db', 's.db.wal']);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('that %s ends leaves no part of a copy', async (signal) => {
    const root = withFile('2.0.0');
    const stuck = join(root, 'stuck-python');
    // A converter that writes a part of the copy and then never ends.
    writeFileSync(
      stuck,
      `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
const [, target] = readFileSync(0, 'utf8').match(/ATTACH '([^']*)' AS new/) ?? [];
if (target === undefined) console.log('["t"]');
else { writeFileSync(target, 'a part'); writeFileSync(target + '.wal', 'a log'); writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000); }
`,
      { mode: 0o755 },
    );
    writeFileSync(join(root, 'out.db'), 'mine');
    const running = new Svc(['convert', 'sales.duckdb', 'out.db', '--force'], {
      cwd: root,
      env: { ...ALONE, SVC_PYTHON: stuck },
    });
    await expect
      .poll(() => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8'))
      .toMatch(/\d/);
    const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
    running.child.kill(signal);
    expect(await running.ended).toMatchObject({ code: null, signal });
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(readdirSync(root).toSorted()).toEqual(['out.db', 'pid', 'sales.duckdb', 'stuck-python']);
    expect(readFileSync(join(root, 'out.db'), 'utf8')).toBe('mine');
  });

  it('says what each engine said and what to install where none can, and leaves nothing', async () => {
    const root = withFile('2.0.0');
    const { code, stderr } = await svc(['convert', 'sales.duckdb'], root, ALONE);
    expect([code, readdirSync(root)]).toEqual([1, ['sales.duckdb']]);
    expect(stderr).toMatch(/No DuckDB on this machine can convert .*\n +svc: .*999/);
    expect(stderr).toContain("pip install 'duckdb>=2.0.0'");
  });

  it.each(REFUSED)('refuses %s', async (_name, make, expected) => {
    const root = folder();
    make(join(root, 'x'));
    const { code, stderr } = await svc(['convert', 'x'], root, ALONE);
    expect([code, stderr]).toEqual([1, expect.stringMatching(expected)]);
  });
});

describe.skipIf(python.reason !== '')('with the DuckDB 2.0 of python3', () => {
  const env = { PYTHONPATH: python.folder };

  it('converts a file of 2.0, which then opens on both engines', async () => {
    const root = withFile('2.0.0');
    const { code, stdout } = await svc(['convert', 'sales.duckdb', 'out.db', '--json'], root, env);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        from: { version: '2.0.0', storage: 999 },
        engine: expect.stringMatching(/python3/),
        tables: [{ table: '"main"."animals"', rows: 3 }],
        views: ['"main"."young"'],
      },
    ]);
    const copy = { path: join(root, 'out.db'), readonly: true } as const;
    for (const engine of ['wasm', 'native'] as const)
      await (await openNodeDatabase({ ...copy, engine })).close();
    expect(readdirSync(root).toSorted()).toEqual(['out.db', 'sales.duckdb']);
  });

  it('copies keys, views, sequences, macros, types and generated columns', async () => {
    const root = folder();
    const sql = `import duckdb, sys; duckdb.connect('s.db').execute(sys.stdin.read())`;
    execFileSync('python3', ['-c', sql], { cwd: root, env: { ...process.env, ...env }, input: EVERYTHING });
    expect(await svc(['convert', 's.db', 'out.db'], root, env)).toMatchObject({ code: 0 });
    expect(await answersOf(join(root, 'out.db'))).toEqual(EXPECTED);
  });

  it('copies 100 MB within 512 MB of memory, however long it takes', { timeout: 300_000 }, async () => {
    const root = folder();
    const sql = `import duckdb; duckdb.connect('s.db').execute("CREATE TABLE t AS SELECT i AS id, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS h, random() AS r FROM range(2500000) t(i)")`;
    execFileSync('python3', ['-c', sql], { cwd: root, env: { ...process.env, ...env } });
    expect(statSync(join(root, 's.db')).size).toBeGreaterThan(100e6);
    const measured = `import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)`;
    const args = [
      '-c',
      measured,
      process.execPath,
      resolve('cli/svc.js'),
      'convert',
      's.db',
      'out.db',
      '--json',
    ];
    const { status, stdout, stderr } = spawnSync('python3', args, {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    expect({ status, stdout: JSON.parse(stdout) }).toMatchObject({
      status: 0,
      stdout: { tables: [{ table: '"main"."t"', rows: 2_500_000 }] },
    });
    // Kilobytes of the largest process, the Python one included.
    expect(Number(stderr.trim().split('\n').at(-1))).toBeLessThan(512 * 1024);
  });

  it('copies hostile names, empty tables and several schemas', async () => {
    const root = folder();
    const sql = `
import duckdb
c = duckdb.connect('s.db')
c.execute('CREATE SCHEMA "a b"; CREATE TABLE "a b"."x""y" ("select" INTEGER, "ä" VARCHAR); CREATE TABLE "group" AS SELECT range AS i FROM range(5000)')
c.close()`;
    execFileSync('python3', ['-c', sql], { cwd: root, env: { ...process.env, ...env } });
    const { code, stdout } = await svc(['convert', 's.db', '--json'], root, env);
    expect([code, JSON.parse(stdout).tables]).toEqual([
      0,
      [
        { table: '"a b"."x""y"', rows: 0 },
        { table: '"main"."group"', rows: 5000 },
      ],
    ]);
  });
});

it('creates the folder of the copy, and leaves none behind a failure', async () => {
  const root = folder();
  const instance = await (await loadDriver()).openInstance(join(root, 'sales.duckdb'));
  const connection = await instance.connect();
  await connection.run('CREATE TABLE sales AS SELECT 7 AS amount');
  connection.closeSync();
  instance.closeSync();
  expect(await svc(['convert', 'sales.duckdb', 'new/data/copy.db'], root)).toMatchObject({ code: 0 });
  expect(existsSync(join(root, 'new/data/copy.db'))).toBe(true);
  writeFileSync(join(root, 'text.duckdb'), 'text');
  expect((await svc(['convert', 'text.duckdb', 'other/copy.db'], root)).code).not.toBe(0);
  expect(existsSync(join(root, 'other'))).toBe(false);
});
