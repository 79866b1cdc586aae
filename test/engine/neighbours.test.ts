import { afterAll, beforeAll, expect, it } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { Database } from '../../src/ports.ts';
import { errorOf, type Folder, read, temporaryFolder, write } from './fixture.ts';

let folder: Folder;
let database: Database;
beforeAll(async () => {
  folder = await temporaryFolder();
  const path = folder.file('empty.duckdb');
  await runScript(path, 'CREATE TABLE nothing (n INTEGER);');
  database = await openNative({ path, readonly: false, memoryMb: 100, threads: 2 });
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

/** Needs more than half of the memory. */
const LARGE = 'SELECT count(*) AS n FROM (SELECT DISTINCT i, md5(i::VARCHAR) FROM range(600000) t(i))';
const TOO_LARGE = LARGE.replace('600000', '6000000');

// Requirements: own.neighbours
it('statements that share too little memory are all answered', { timeout: 240_000 }, async () => {
  const results = await Promise.all(Array.from({ length: 5 }, () => read(database, LARGE)));
  expect(results.map(({ rows }) => rows)).toEqual(Array.from({ length: 5 }, () => [{ n: 600_000 }]));
});

it('a statement that needs too much for itself fails, and the others are answered', {
  timeout: 240_000,
}, async () => {
  const failing = errorOf(read(database, TOO_LARGE));
  const { rows } = await read(database, LARGE);
  expect(rows).toEqual([{ n: 600_000 }]);
  expect(await failing).toMatchObject({ code: 'memory_exceeded' });
});

// Requirements: own.neighbours
it('a write beside such statements happens once', { timeout: 240_000 }, async () => {
  const writing = write(
    database,
    LARGE.replace('SELECT count(*) AS n', 'INSERT INTO nothing SELECT count(*)'),
  );
  const reads = await Promise.all(Array.from({ length: 4 }, () => read(database, LARGE)));
  expect(reads.map(({ rows }) => rows)).toEqual(Array.from({ length: 4 }, () => [{ n: 600_000 }]));
  await writing;
  expect((await read(database, 'SELECT n FROM nothing')).rows).toEqual([{ n: 600_000 }]);
});
