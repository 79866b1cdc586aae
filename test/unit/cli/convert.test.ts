import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { inspectFile } from '../../../adapters/node/database/database-file.ts';
import { openNodeDatabase } from '../../../adapters/node/database/open-database.ts';
import { ensureDuckDb } from '../../../scripts/test/duckdb.js';
import { databaseFileOf } from '../../fixtures/database-files.ts';
import { folder, svc } from './svc.ts';

vi.setConfig({ testTimeout: 60_000 });

/** What else a path may hold, and what is said of it. */
const REFUSED: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  ['a folder', (path) => void mkdirSync(path), /is a folder/],
  ['text', (path) => writeFileSync(path, 'text'), /is a text file/],
  ['nothing', () => undefined, /There is no file/],
];

const python = await ensureDuckDb();

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
