import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileEngine } from '../../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { createInstance } from '../../../../../adapters/duckdb-wasm/engine/instance.ts';
import { openDatabase } from '../../../../../adapters/duckdb-wasm/engine/open-database.ts';
import { pathFile } from '../../../../../adapters/duckdb-wasm/engine/path-file.ts';
import { runNow } from '../../../../../adapters/duckdb-wasm/engine/steps.ts';
import { type CppInstance, withCpp } from '../../../../../adapters/duckdb-wasm/functions/cpp.ts';
import {
  EXPRESSION,
  FUNCTION_SET,
  LOGICAL_TYPE,
  SCALAR_FUNCTION,
} from '../../../../../adapters/duckdb-wasm/functions/layout.ts';
import { registerFunctions } from '../../../../../adapters/duckdb-wasm/functions/register.ts';
import { SqlTypes } from '../../../../../adapters/duckdb-wasm/functions/sql-types.ts';
import { openWasm } from '../../../../../adapters/duckdb-wasm/in-process.ts';
import { Session } from '../../../../../adapters/duckdb-wasm/query/session.ts';
import { SvcError } from '../../../../../src/errors.ts';
import type { Database } from '../../../../../src/ports.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';
import { createDatabase, failureOf, openHere, openShared, read } from '../fixture.ts';

let instance: CppInstance;

/** SQL for a document of 20,000 levels. */
const nest = (open: string, close: string): string =>
  `repeat('${open}', 20000) || '"INTEGER"' || repeat('${close}', 20000)`;

/** The size in which free memory is counted, in bytes. */
const BLOCK = 65_536;

/** What an upgrade of DuckDB would change without a word. */
describe('the layout of DuckDB’s own objects', () => {
  beforeEach(async () => {
    const file = pathFile(await createDatabase('CREATE TABLE t AS SELECT 1 AS x', 'layout.duckdb'));
    instance = withCpp(await createInstance({ ...(await compileEngine()), file, memoryMb: 64 }));
    openDatabase(instance, file);
  });

  const words = (at: number, count: number): number[] =>
    Array.from({ length: count }, (_, index) => instance.heap.u32(at + index * 4));

  it('has types of these ids', () => {
    const types = new SqlTypes(instance);
    const { timestamp, timestampTz, bytes } = LOGICAL_TYPE;
    expect(instance.heap.bytes[types.get('TIMESTAMP')]).toBe(timestamp);
    expect(instance.heap.bytes[types.get('TIMESTAMP_TZ')]).toBe(timestampTz);
    // An assignment copies a whole type and nothing behind it.
    const target = instance.allocate(bytes + 4);
    instance.heap.bytes.fill(0, target, target + bytes);
    instance.heap.setU32(target + bytes, 0x1234_5678);
    instance.cpp.assignType(target, types.get('TIMESTAMP_TZ'));
    expect(instance.heap.bytes[target]).toBe(timestampTz);
    expect(words(target + 4, bytes / 4 - 1)).toEqual([0, 0]);
    expect(instance.heap.u32(target + bytes)).toBe(0x1234_5678);
  });

  it('has functions of these parts', () => {
    const set = instance.allocate(FUNCTION_SET.bytes);
    instance.overloads.get('date_trunc datetrunc')?.(set);
    const [first = 0, end = 0, room = 0] = words(set + FUNCTION_SET.functions, 3);
    expect(end - first).toBe(3 * SCALAR_FUNCTION.bytes);
    expect(room).toBeGreaterThanOrEqual(end);
    const [takes = 0, takesEnd = 0] = words(first + SCALAR_FUNCTION.takes, 2);
    expect(takesEnd - takes).toBe(2 * LOGICAL_TYPE.bytes);
    expect(instance.heap.bytes[takes + LOGICAL_TYPE.bytes]).toBe(LOGICAL_TYPE.timestamp);
    expect(instance.heap.bytes[first + SCALAR_FUNCTION.returns]).toBe(LOGICAL_TYPE.timestamp);
    expect(instance.heap.u32(first + SCALAR_FUNCTION.bind)).toBeGreaterThan(0);
    expect(EXPRESSION.type % 4).toBe(0);
  });
});

describe('functions of JSON and of dates', () => {
  let database: Database;
  const JSON_TEXT = `'{"id": ' || id || ', "tags": ["a", {"b": null}], "name": "' || email || '"}'`;
  const WORK = [
    `SELECT sum(length(j -> 'tags')) + count(j ->> 'name') AS n FROM (SELECT ${JSON_TEXT} AS j FROM users)`,
    `SELECT count(from_json(${JSON_TEXT}, '{"id": "INTEGER", "tags": ["JSON"], "name": "VARCHAR"}').id) AS n FROM users`,
    `SELECT sum(length(to_json({'id': id, 'l': [id, NULL], 'd': DATE '2024-01-01', 'e': email}))) AS n FROM users`,
    `SELECT sum((CAST((${JSON_TEXT})::JSON AS STRUCT(id INTEGER, tags JSON[], name VARCHAR))).id) AS n FROM users`,
    `SELECT count(json_extract(${JSON_TEXT}, '$..*')) + count(json_extract(${JSON_TEXT}, ['id', 'name'])) AS n FROM users`,
    `SELECT length(json_group_array(json_object('id', id, 'e', email))) AS n FROM users`,
    `SELECT count(TRY_CAST('{' || email AS JSON)) AS n FROM users`,
    "SELECT count(DISTINCT date_trunc('month', TIMESTAMPTZ '2024-01-01' + to_days(id))) AS n FROM users",
  ];

  beforeAll(async () => {
    database = await openShared();
  });
  afterAll(() => database.close());

  it.each(WORK)('give back what they take: %s', async (sql) => {
    const engine = await openHere(await createDatabase(undefined, 'data.duckdb', temporaryFolder()), 24);
    const first = await read(engine, sql);
    // A leak of as little as a document per call would not fit.
    for (let round = 0; round < 50; round += 1) expect(await read(engine, sql)).toEqual(first);
  });

  it('give back what they take when they fail', async () => {
    const failing = [
      `SELECT (${JSON_TEXT} || 'x') -> 'id' FROM users`,
      `SELECT json_transform_strict(${JSON_TEXT}, '{"id": "DATE"}') FROM users`,
      `SELECT (${JSON_TEXT})::JSON::INTEGER FROM users`,
      `SELECT ${JSON_TEXT} -> (CASE WHEN id > 500 THEN '$[' ELSE 'id' END) FROM users`,
      'SELECT from_json(\'{}\', \'{"a": "NOPE"}\')',
      "SELECT '{}' -> '$['",
      "SELECT strftime(DATE '2024-01-01', repeat('%n', 5000))",
    ];
    const engine = await openHere(await createDatabase(undefined, 'data.duckdb', temporaryFolder()), 24);
    for (let round = 0; round < 50; round += 1) {
      for (const sql of failing) expect((await failureOf(read(engine, sql))).code).toBe('sql_failed');
    }
    expect((await read(engine, 'SELECT count(*) AS n FROM users')).rows).toEqual([{ n: 1000 }]);
  });

  it('give back what they take when the database is opened again', async () => {
    const file = pathFile(await createDatabase('CREATE TABLE t AS SELECT 1 AS x'));
    const own = await createInstance({ ...(await compileEngine()), file, memoryMb: 24 });
    const reopen = (): void => {
      const handle = runNow(own.call, openDatabase(own, file));
      const session = runNow(own.call, Session.open(own, handle));
      const registerMissing = registerFunctions({
        instance: own,
        database: handle,
        session,
        caller: () => null,
      });
      expect(registerMissing(new SvcError('sql_failed', "required extension 'icu'"))).toBe(true);
      session.close();
      own.heap.setU32(own.scratch, handle);
      own.call.duckdb_close(own.scratch);
      own.releaseCallbacks();
    };
    const freeBlocks = (): number => {
      const blocks: number[] = [];
      for (let at = own.call.malloc(BLOCK); at !== 0; at = own.call.malloc(BLOCK)) blocks.push(at);
      for (const at of blocks) own.call.free(at);
      return blocks.length;
    };
    const afterReopening = (): number => {
      for (let round = 0; round < 10; round += 1) reopen();
      return freeBlocks();
    };
    // After the first rounds, the heap has its pieces.
    afterReopening();
    const before = afterReopening();
    expect(afterReopening()).toBeGreaterThan(before - 3);
    file.close();
  });

  const LARGE = "'[' || repeat('1,', 500000) || '1]'";
  it.each([
    `json_array_length(${LARGE})`,
    `json_valid(${LARGE})`,
    `(${LARGE})::JSON`,
    `TRY_CAST(${LARGE} AS JSON)`,
    `TRY_CAST(${LARGE} AS JSON[])`,
  ])('end with a clear error where memory does, and the engine goes on: %s', async (large) => {
    const engine = await openHere(await createDatabase(undefined, 'data.duckdb', temporaryFolder()), 24);
    expect((await failureOf(read(engine, `SELECT ${large}`))).code).toBe('memory_exceeded');
    expect((await read(engine, "SELECT '[1]' -> 0 AS v")).rows).toEqual([{ v: 1 }]);
  });

  // Memory that a statement frees has the values of its caller.
  it('give no value that was not written, but fail', async () => {
    const engine = await openHere(await createDatabase());
    await read(engine, 'SELECT email FROM users');
    const broken = 'CASE WHEN id = 0 THEN [NULL::JSON]::JSON ELSE id::VARCHAR::JSON END';
    for (const type of ['UHUGEINT', 'DATE', 'INTEGER[]', 'STRUCT(a DOUBLE)', 'JSON[]']) {
      const said = await failureOf(read(engine, `SELECT TRY_CAST(${broken} AS ${type}) AS v FROM users`));
      expect(said).toEqual({
        code: 'sql_failed',
        message: expect.stringContaining('Malformed JSON at byte 1'),
      });
    }
  });

  it('take documents of any depth', async () => {
    const nested = `repeat('[', 100000) || repeat(']', 100000)`;
    const { rows } = await read(database, `SELECT json_type(${nested}) AS t, length(json(${nested})) AS n`);
    expect(rows).toEqual([{ t: 'ARRAY', n: 200_000 }]);
  });

  it.each([
    `json_merge_patch(${nest('{"a":', '}')}, ${nest('{"a":', '}')})`,
    `json_contains(${nest('[', ']')}, ${nest('[', ']')})`,
    `from_json('[1]', ${nest('[', ']')})`,
  ])('say that a document is nested too deeply: %s', async (expression) => {
    const said = await failureOf(read(database, `SELECT ${expression}`));
    expect(said).toEqual({ code: 'sql_failed', message: expect.stringContaining('nested too deeply') });
    expect((await read(database, "SELECT '[1]' -> 0 AS v")).rows).toEqual([{ v: 1 }]);
  });

  it('take objects with many names, in time', async () => {
    const object = (order: string) =>
      `(SELECT '{' || string_agg('"k' || i || '":' || i, ',' ORDER BY ${order}) || '}' FROM range(20000) r(i))`;
    const sql = `SELECT length(json_merge_patch(a, b)) AS n, json_contains(a, '{"k0":0,' || b[2:]) AS c
      FROM (SELECT ${object('i')} AS a, ${object('-i')} AS b)`;
    const start = performance.now();
    expect((await read(database, sql, { timeoutMs: 60_000 })).rows).toEqual([{ n: 277_781, c: true }]);
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 90_000);

  it('stop at the deadline', async () => {
    const endless = `SELECT sum(length(${JSON_TEXT} -> 'tags')) FROM users a, (SELECT 1 FROM range(100000)) b`;
    expect((await failureOf(read(database, endless, { timeoutMs: 300 }))).code).toBe('deadline_exceeded');
    expect((await read(database, "SELECT '[1]' -> 0 AS v")).rows).toEqual([{ v: 1 }]);
  });

  it('join an engine while other statements run', async () => {
    const engine = await openHere(await createDatabase());
    const long = 'SELECT count(*) AS n FROM words a JOIN users b ON a.id % 10 = b.id % 10';
    const [first, found, zoned, second] = await Promise.all([
      read(engine, long),
      read(engine, "SELECT '[7]' -> 0 AS v"),
      read(engine, "SELECT date_trunc('day', TIMESTAMPTZ '2024-02-29 12:00:00+00') AS v"),
      read(engine, long),
    ]);
    expect([first.rows, second.rows]).toEqual([[{ n: 10_000_000 }], [{ n: 10_000_000 }]]);
    expect([found.rows, zoned.rows]).toEqual([[{ v: 7 }], [{ v: '2024-02-29T00:00:00Z' }]]);
  });

  it('are there in statements that are only planned, and in every engine of a process', async () => {
    const path = await createDatabase('CREATE TABLE t AS SELECT 1 AS x');
    for (let round = 0; round < 2; round += 1) {
      const engine = await openWasm({ ...(await compileEngine()), file: pathFile(path) });
      await engine.prepare("SELECT $1 ->> 'a', now() - INTERVAL 1 DAY FROM t", 'read');
      await engine.close();
    }
  });
});
