import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import { createFromSeed } from '../../../../../adapters/node/database/seed.ts';
import { read } from '../../../../engine/fixture.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

async function seeded(sql: string | Buffer): Promise<string> {
  const root = temporaryFolder();
  await writeFile(join(root, 'seed.sql'), sql);
  return root;
}

test('where it cannot be written the message says what to do, which is not to read only', async () => {
  const root = await seeded('SELECT 1');
  const making = createFromSeed(root, join(root, 'seed.sql/db.duckdb'));
  await expect(making).rejects.toMatchObject({
    code: 'file_unavailable',
    message: expect.stringMatching(
      /^\S+db\.duckdb could not be created .*\nGive this user write access to the folder/,
    ),
  });
  await expect(making).rejects.toMatchObject({ message: expect.not.stringContaining('readonly') });
});

test.each([
  ['INSERT INTO missing VALUES (1)', /missing.*\n[\s\S]*\nLINE 3: INSERT INTO missing VALUES \(1\)$/],
  ['SELECT 1,\n  nothing', /nothing[\s\S]*\nLINE 4: {3}nothing\n/],
  ['SELEC 1', /syntax error[\s\S]*\nLINE 3: SELEC 1\n/],
])('a mistake is told with its line in the script: %s', async (mistake, told) => {
  const root = await seeded(`CREATE TABLE t (n INTEGER);\n-- one; two\n${mistake};\nSELECT ';';`);
  const making = createFromSeed(root, join(root, 'db.duckdb'));
  await expect(making).rejects.toMatchObject({ message: expect.stringMatching(told) });
});

test('a script that fails is told under the name of the database', async () => {
  const root = await seeded('SELECT * FROM gone');
  await expect(createFromSeed(root, join(root, 'db.duckdb'))).rejects.toMatchObject({
    message: expect.not.stringMatching(/db\.duckdb\.[\da-f]{8}-/),
  });
});

test('a script in UTF-16 runs, as Windows writes it', async () => {
  const root = await seeded(Buffer.from('\ufeffCREATE TABLE "Größe" (n INTEGER);', 'utf16le'));
  expect(await createFromSeed(root, join(root, 'db.duckdb'))).toBe(true);
});

test('of two that start at once, one makes the database, and the other leaves it in place', async () => {
  const folder = await seeded('SELECT 1');
  const roots = await Promise.all([
    seeded('CREATE TABLE t AS SELECT 1 AS n'),
    seeded('CREATE TABLE t AS SELECT md5(i::VARCHAR) AS n FROM range(200_000) r(i)'),
  ]);
  const path = join(folder, 'db.duckdb');
  const making = roots.map((root) => createFromSeed(root, path));
  await Promise.race(making);
  const first = await stat(path);
  expect((await Promise.all(making)).toSorted()).toEqual([false, true]);
  expect((await stat(path)).ino).toBe(first.ino);
  expect((await readdir(folder)).toSorted()).toEqual(['db.duckdb', 'seed.sql']);
});

test("each kind of statement reads and writes below the project's folder, wherever the command runs", async () => {
  // DuckDB would split a setting at the comma.
  const root = join(temporaryFolder(), 'shop, north');
  await mkdir(root);
  const elsewhere = temporaryFolder();
  for (const [folder, n] of [
    [root, 1],
    [elsewhere, 2],
  ] as const) {
    await writeFile(join(folder, 'rows.csv'), `n\n${n}\n`);
    await runScript(join(folder, 'other.duckdb'), `CREATE TABLE t AS SELECT ${n} AS n`);
  }
  await writeFile(
    join(root, 'seed.sql'),
    `CREATE TABLE t AS SELECT n FROM 'rows.csv';
     ATTACH 'other.duckdb' AS other (READ_ONLY); INSERT INTO t SELECT n FROM other.t; DETACH other;
     COPY t TO 'out.csv'; INSERT INTO t FROM read_csv('out.csv');`,
  );
  const before = process.cwd();
  process.chdir(elsewhere);
  onTestFinished(() => process.chdir(before));
  const path = join(root, 'db.duckdb');
  expect(await createFromSeed(root, path)).toBe(true);
  const database = await openNative({ path, readonly: true });
  onTestFinished(() => database.close());
  expect((await read(database, 'SELECT count(*) AS many, sum(n)::INTEGER AS n FROM t')).rows).toEqual([
    { many: 4, n: 4 },
  ]);
  expect((await readdir(elsewhere)).toSorted()).toEqual(['other.duckdb', 'rows.csv']);
});
