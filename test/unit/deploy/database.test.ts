import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { openWasmPool } from '../../../adapters/duckdb-wasm/pool/open.ts';
import { copyDatabase } from '../../../deploy/database.ts';
import { answerOf } from '../../engine/fixture.ts';
import { killInCheckpoint } from '../../engine/killed-checkpoint.ts';

let folder: string;
let source: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-database-'));
  source = join(folder, 'source.duckdb');
});

/** A database whose second row is only in its log, as after a crash of the writer. */
async function writeDatabaseWithLog(): Promise<void> {
  const live = join(folder, 'live.duckdb');
  const { openInstance } = await loadDriver();
  const instance = await openInstance(live);
  const connection = await instance.connect();
  await connection.run('CREATE TABLE t AS SELECT 1 AS id');
  await connection.run('CHECKPOINT');
  await connection.run('INSERT INTO t VALUES (2)');
  await cp(live, source);
  await cp(`${live}.wal`, `${source}.wal`);
  connection.closeSync();
  instance.closeSync();
}

async function ids(file: string): Promise<unknown> {
  const { openInstance } = await loadDriver();
  const instance = await openInstance(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll('SELECT id FROM t ORDER BY id')).getRows();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

test('what the log still holds is in the copy, which has no log', async () => {
  await writeDatabaseWithLog();
  const target = join(folder, 'out', 'data.duckdb');
  const copied = await copyDatabase(source, target);
  expect(await readdir(join(folder, 'out'))).toEqual(['data.duckdb']);
  expect(await ids(target)).toEqual([[1], [2]]);
  expect(copied.bytes).toBe((await stat(target)).size);
});

test('the copy of a database that nobody may write takes further tables', async () => {
  await writeDatabaseWithLog();
  for (const file of [source, `${source}.wal`]) await chmod(file, 0o444);
  const target = join(folder, 'out', 'data.duckdb');
  await copyDatabase(source, target);
  expect((await stat(target)).mode & 0o777).toBe(0o644);
  expect((await stat(source)).mode & 0o777).toBe(0o444);
  expect(await ids(target)).toEqual([[1], [2]]);
});

test('the source and its log stay as they are, because a server may read them, and each copy has all rows', async () => {
  await writeDatabaseWithLog();
  const bytes = () => Promise.all([source, `${source}.wal`].map((file) => readFile(file)));
  const before = await bytes();
  for (const name of ['a', 'b']) {
    await copyDatabase(source, join(folder, name, 'data.duckdb'));
    expect(await ids(join(folder, name, 'data.duckdb'))).toEqual([[1], [2]]);
  }
  expect(await bytes()).toEqual(before);
});

test('a database that another process holds is copied as it is at that moment, and left alone', async () => {
  const holder = `
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(${JSON.stringify(source)})).connect();
    await connection.run('CREATE TABLE t AS SELECT 1 AS id; CHECKPOINT; INSERT INTO t VALUES (2)');
    console.log('ready');
    setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const before = [await readFile(source), await readFile(`${source}.wal`)];
    await copyDatabase(source, join(folder, 'out/data.duckdb'));
    expect(await ids(join(folder, 'out/data.duckdb'))).toEqual([[1], [2]]);
    expect([await readFile(source), await readFile(`${source}.wal`)]).toEqual(before);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a database without a log is copied byte for byte', async () => {
  await writeDatabaseWithLog();
  const plain = join(folder, 'plain.duckdb');
  await copyDatabase(source, plain);
  await copyDatabase(plain, join(folder, 'c.duckdb'));
  expect(await readFile(join(folder, 'c.duckdb'))).toEqual(await readFile(plain));
});

test('a missing database is an error that says how to name another', async () => {
  await expect(copyDatabase(join(folder, 'none.db'), join(folder, 'x'))).rejects.toThrow(
    /no database file at .*none\.db.*SVC_DATABASE_PATH/,
  );
});

test('a file that is no database is refused, as is a log that does not belong to its file', async () => {
  await writeFile(source, 'a,b,c\n1,2,3\n');
  await expect(copyDatabase(source, join(folder, 'x'))).rejects.toThrow(/not a DuckDB database/);
  await writeFile(`${source}.wal`, 'noise');
  await expect(copyDatabase(source, join(folder, 'y'))).rejects.toMatchObject({
    code: 'database_unavailable',
  });
});

test('what was committed while a checkpoint ran is in the copy, and in the source for the wasm engine', async () => {
  const last = await killInCheckpoint(source);
  expect((await readdir(folder)).toSorted()).toEqual(
    ['', '.wal', '.wal.checkpoint'].map((end) => `source.duckdb${end}`),
  );
  const target = join(folder, 'copy/copy.duckdb');
  await copyDatabase(source, target);
  expect(await readdir(join(folder, 'copy'))).toEqual(['copy.duckdb']);
  for (const path of [source, target]) {
    const database = await openWasmPool({ path, workers: 1 });
    expect(await answerOf(database, 'max(id) FROM t')).toBe(last);
    await database.close();
  }
});
