import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import type { Database } from '../../src/ports.ts';
import { repeat } from '../repeat.ts';
import { errorOf, type Folder, read, temporaryFolder, write } from './fixture.ts';

/** Counts rows without two that are the same, which takes about 90 bytes of memory each. */
const distinct = (rows: number): string =>
  `SELECT count(*) AS n FROM (SELECT DISTINCT i, md5(i::VARCHAR) FROM range(${rows}) t(i))`;

/** Holds about 56 bytes for each row, and does not end. */
const holder = (rows: number): string =>
  `WITH m AS MATERIALIZED (SELECT i, md5(i::VARCHAR) AS t FROM range(${rows}) r(i))
   SELECT sum(length(a.t) + length(b.t) + a.i * b.i) AS s FROM m a, m b`;

/** Holds little, and does not end. */
const ENDLESS = `SELECT count(*) AS n FROM range(100000) a, range(100000) b, range(100000) c
   WHERE hash(a.range + b.range + c.range) = 7`;

/** Each engine with little memory, and the rows of a statement that needs more than half of it. */
const ENGINES = [
  {
    name: 'duckdb-native',
    rows: 600_000,
    open: (path: string) => openNative({ path, readonly: false, memoryMb: 100, threads: 2 }),
  },
  {
    name: 'duckdb-wasm, a pool',
    rows: 300_000,
    open: (path: string) => openWasmPool({ path, workers: 1, memoryMb: 64 }),
  },
  {
    name: 'duckdb-wasm, in process',
    rows: 300_000,
    open: async (path: string) =>
      openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb: 64 }),
  },
];

const LONG = { timeout: 240_000 };
const CALL = { timeoutMs: 120_000 };

let folder: Folder;
let path: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  path = folder.file('empty.duckdb');
  await runScript(path, 'CREATE TABLE nothing (n INTEGER);');
});
afterAll(() => folder.remove());

async function opened(open: (path: string) => Promise<Database>): Promise<Database> {
  const database = await open(path);
  onTestFinished(() => database.close());
  return database;
}

/** Whether what statements hold is more than some bytes and grows no more: a statement that still asks for memory may fail. */
function keepsItsMemory(database: Database, least: number): () => Promise<boolean> {
  const held =
    "SELECT sum(memory_usage_bytes)::DOUBLE AS bytes FROM duckdb_memory() WHERE tag = 'COLUMN_DATA'";
  const seen: unknown[] = [];
  return async () => {
    seen.push((await read(database, held)).rows[0]?.bytes);
    const last = seen.slice(-5);
    return last.length === 5 && last.every((bytes) => bytes === last[0] && Number(bytes) > least);
  };
}

// Requirements: own.neighbours
describe.each(ENGINES)('statements that share the memory of $name', ({ open, rows }) => {
  it('are all answered if each of them fits by itself', LONG, async () => {
    const database = await opened(open);
    const results = await Promise.all(
      Array.from({ length: 5 }, () => read(database, distinct(rows), [], CALL)),
    );
    expect(results.map((result) => result.rows)).toEqual(Array.from({ length: 5 }, () => [{ n: rows }]));
  });

  it('are answered beside one that needs too much, which fails', LONG, async () => {
    const database = await opened(open);
    const failing = errorOf(read(database, distinct(rows * 10), [], CALL));
    expect((await read(database, distinct(rows), [], CALL)).rows).toEqual([{ n: rows }]);
    expect(await failing).toMatchObject({ code: 'memory_exceeded' });
  });

  it('are answered while a caller repeats statements that need too much', LONG, async () => {
    const database = await opened(open);
    const codes = new Set<string>();
    const greedy = async () => codes.add((await errorOf(read(database, distinct(rows * 10), [], CALL))).code);
    const callers = [repeat(greedy), repeat(greedy), repeat(greedy)];
    for (let n = 0; n < 10; n += 1) {
      const { rows: answer } = await read(database, 'SELECT count(*) + $1 AS n FROM nothing', [n], CALL);
      expect(answer).toEqual([{ n }]);
    }
    await Promise.all(callers.map((caller) => caller.stop()));
    expect([...codes]).toEqual(['memory_exceeded']);
  });

  it('end at their deadline or with their caller while they wait to run once more', LONG, async () => {
    const database = await opened(open);
    const holding = new AbortController();
    const held = errorOf(read(database, holder(rows), [], { ...CALL, signal: holding.signal }));
    const ended = held.then((error) => Promise.reject(error));
    const keeps = vi.waitUntil(keepsItsMemory(database, rows * 48), { timeout: 180_000, interval: 200 });
    await Promise.race([keeps, ended]);
    const leaving = new AbortController();
    const left = errorOf(read(database, distinct(rows * 10), [], { ...CALL, signal: leaving.signal }));
    const late = await errorOf(read(database, distinct(rows * 10), [], { timeoutMs: 5_000 }));
    leaving.abort();
    expect([late.code, (await left).code]).toEqual(['deadline_exceeded', 'cancelled']);
    holding.abort();
    expect((await held).code).toBe('cancelled');
    expect((await read(database, distinct(rows), [], CALL)).rows).toEqual([{ n: rows }]);
  });
});

// Requirements: own.neighbours
it('a write beside such statements happens once', LONG, async () => {
  const database = await opened((file) =>
    openNative({ path: file, readonly: false, memoryMb: 100, threads: 2 }),
  );
  const writing = write(
    database,
    distinct(600_000).replace('SELECT count(*) AS n', 'INSERT INTO nothing SELECT count(*)'),
  );
  const reads = await Promise.all(Array.from({ length: 4 }, () => read(database, distinct(600_000))));
  expect(reads.map(({ rows }) => rows)).toEqual(Array.from({ length: 4 }, () => [{ n: 600_000 }]));
  await writing;
  expect((await read(database, 'SELECT n FROM nothing')).rows).toEqual([{ n: 600_000 }]);
});

// Requirements: own.neighbours
it('a write that needs too much holds up no other write while a statement does not end', LONG, async () => {
  const database = await opened((file) =>
    openNative({ path: file, readonly: false, memoryMb: 100, threads: 2 }),
  );
  const leaving = new AbortController();
  const call = { ...CALL, signal: leaving.signal };
  const others = [
    read(database, ENDLESS, [], call),
    write(database, `INSERT INTO nothing ${distinct(6_000_000)}`, [], call),
  ].map((answer) => errorOf(answer));
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await write(database, 'INSERT INTO nothing VALUES (1)', [], { timeoutMs: 20_000 });
  leaving.abort();
  expect((await Promise.all(others)).map(({ code }) => code)).toEqual(['cancelled', 'cancelled']);
});
