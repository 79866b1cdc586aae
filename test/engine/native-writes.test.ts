import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import { answerOf, callerOf, callOf, errorOf, read, write } from './fixture.ts';
import { WRITES } from './refused.ts';

const MIB = 1024 * 1024;
const ENDLESS = `SELECT count(*) AS n FROM long_texts t, range(100000) a, range(100000) b, range(100000) c
   WHERE hash(a.range + b.range + c.range + length(t.text)) = 7`;

let folder: string;
let path: string;
let database: NativeDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'native-'));
  path = join(folder, 'new', 'folders', 'data.duckdb');
  database = await openNative({ path, readonly: false });
  await write(database, 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text VARCHAR)');
  await write(database, 'CREATE SEQUENCE numbers');
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const countNotes = () => answerOf(database, 'count(*) FROM notes');

describe('a read-write database', () => {
  // Requirements: site.three-fields
  it('is made with its folders, unless it must be there', async () => {
    expect(existsSync(path)).toBe(true);
    expect(database.readonly).toBe(false);
    const missing = join(folder, 'missing.duckdb');
    const error = await errorOf(openNative({ path: missing, readonly: false, createIfMissing: false }));
    expect(error.code).toBe('database_unavailable');
    expect(error.message).toContain(missing);
    expect(existsSync(missing)).toBe(false);
  });

  it('may be in memory only', async () => {
    const memory = await openNative({ path: ':memory:', readonly: false });
    await write(memory, 'CREATE TABLE t AS SELECT 1 AS a');
    expect(await answerOf(memory, 'a FROM t')).toBe(1);
    await memory.close();
  });
});

/** The bytes of committed rows that the next process has to read again, each with a commit of its own. */
const logBytes = (): number => statSync(`${path}.wal`).size;

describe('a write', () => {
  // DuckDB takes about 0.2 ms for each commit that it reads from the log.
  it('leaves a short log beside the file, so that it opens soon after a kill', {
    timeout: 300_000,
  }, async () => {
    await write(database, 'CREATE TABLE long_texts (text VARCHAR)');
    const many = async (): Promise<void> => {
      for (let n = 0; n < 2_000; n += 1)
        await write(database, 'INSERT INTO long_texts VALUES ($1)', ['x'.repeat(1_000)]);
    };
    await many();
    expect(logBytes()).toBeLessThan(1.2 * MIB);
    const leaving = new AbortController();
    const reading = errorOf(read(database, ENDLESS, [], { signal: leaving.signal, timeoutMs: 300_000 }));
    await many();
    expect(logBytes()).toBeLessThan(1.2 * MIB);
    leaving.abort();
    expect((await reading).code).toBe('cancelled');
  });

  it('answers its rows, or how many there were', async () => {
    const returned = await write(database, 'INSERT INTO notes VALUES ($1, $2), ($3, $2) RETURNING id, text', [
      1n,
      'a',
      2n,
    ]);
    expect(returned.rows).toEqual([
      { id: 1, text: 'a' },
      { id: 2, text: 'a' },
    ]);
    expect((await write(database, "UPDATE notes SET text = 'b'")).rows).toEqual([{ Count: 2 }]);
    expect((await write(database, 'DELETE FROM notes')).rows).toEqual([{ Count: 2 }]);
  });

  it('may be a MERGE', async () => {
    const merge = `MERGE INTO notes USING (VALUES (1, 'new'), (2, 'new')) AS given(id, text) USING (id)
      WHEN MATCHED THEN UPDATE SET text = given.text WHEN NOT MATCHED THEN INSERT`;
    await write(database, "INSERT INTO notes VALUES (1, 'old')");
    expect((await write(database, merge)).rows).toEqual([{ Count: 2 }]);
    expect((await read(database, 'FROM notes ORDER BY id')).rows).toEqual([
      { id: 1, text: 'new' },
      { id: 2, text: 'new' },
    ]);
    await write(database, 'DELETE FROM notes');
  });

  it('happens whole or not at all', async () => {
    const sql =
      "INSERT INTO notes SELECT i, CASE WHEN i = 5000 THEN error('boom') ELSE 'x' END FROM range(10000) t(i)";
    expect((await errorOf(write(database, sql))).code).toBe('sql_failed');
    expect(await countNotes()).toBe(0);
  });

  it('does not happen once its time is over', async () => {
    const sql =
      'INSERT INTO notes SELECT max(x * y % 7), NULL FROM range(100000000) a(x), range(100000) b(y)';
    const request = { sql, values: [], mode: 'write', maxRows: 1 } as const;
    const late = await errorOf(database.run(request, callOf({ timeoutMs: 200 })));
    expect(late.code).toBe('deadline_exceeded');
    const controller = new AbortController();
    const running = errorOf(database.run(request, callOf({ signal: controller.signal })));
    await answerOf(database, '1');
    controller.abort();
    expect((await running).code).toBe('cancelled');
    await write(database, "INSERT INTO notes VALUES (1, 'next')");
    expect((await write(database, 'DELETE FROM notes RETURNING text')).rows).toEqual([{ text: 'next' }]);
  });

  it('does not happen if its caller leaves, or its time is over, while it waits for its commit', async () => {
    const request = {
      sql: "INSERT INTO notes VALUES (2, 'late')",
      values: [],
      mode: 'write',
      maxRows: 1,
    } as const;
    const left = new AbortController();
    for (const call of [callOf({ signal: left.signal }), callOf({ timeoutMs: 1_000 })]) {
      const allowed = Promise.withResolvers<void>();
      let begun = false;
      const { answer, ended } = database.start(request, call, {
        ready: () => {
          left.abort();
          return allowed.promise;
        },
        committing: async () => {
          begun = true;
        },
      });
      expect(['cancelled', 'deadline_exceeded']).toContain((await errorOf(answer)).code);
      allowed.resolve();
      await ended;
      expect(begun).toBe(false);
      expect(await countNotes()).toBe(0);
    }
  });

  it('waits for the one before, so that none conflicts', async () => {
    await write(database, "INSERT INTO notes VALUES (0, '0')");
    const sql = 'UPDATE notes SET text = text::INTEGER + 1 RETURNING text';
    const seen = await Promise.all(Array.from({ length: 50 }, () => write(database, sql)));
    expect(seen.map(({ rows }) => Number(rows[0]?.text))).toEqual(seen.map((_, index) => index + 1));
    await write(database, 'DELETE FROM notes');
  });

  it('is one statement, and no transaction', async () => {
    for (const sql of [
      'BEGIN',
      'COMMIT',
      'ROLLBACK',
      'SELECT 1; SELECT 2',
      'DELETE FROM notes; COMMIT',
      '',
    ]) {
      expect((await errorOf(write(database, sql))).code).toBe('sql_failed');
    }
  });

  it('leaves nothing in its connection', async () => {
    await write(database, 'CREATE TEMP TABLE scratch AS SELECT 1 AS a');
    await write(database, "CREATE OR REPLACE TEMP MACRO get_username() AS 'admin'");
    await write(database, "SET VARIABLE who = 'admin'");
    expect((await errorOf(read(database, 'FROM scratch'))).code).toBe('sql_failed');
    expect(await answerOf(database, 'get_username()', [], { caller: callerOf(3) })).toBe('user 3');
    expect(await answerOf(database, "getvariable('who')")).toBeNull();
  });

  it('knows its caller', async () => {
    const sql =
      "INSERT INTO notes VALUES ($1, get_username() || get_request_header('X-Number')) RETURNING text";
    const rows = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const request = { sql, values: [BigInt(index)], mode: 'write', maxRows: 1 } as const;
        return (await database.run(request, callOf({ caller: callerOf(index) }))).rows[0];
      }),
    );
    expect(rows).toEqual(rows.map((_, index) => ({ text: `user ${index}${index}` })));
    await write(database, 'DELETE FROM notes');
  });

  it('cannot open the database up again', async () => {
    for (const sql of [
      'SET lock_configuration = false',
      'SET enable_external_access = true',
      "SET memory_limit = '1TB'",
    ]) {
      expect((await errorOf(write(database, sql))).code).toBe('sql_failed');
    }
    for (const sql of [
      "COPY notes TO '/tmp/notes.csv'",
      `COPY notes TO '${path}' (USE_TMP_FILE false)`,
      "ATTACH '/tmp/other.duckdb'",
      "ATTACH ':memory:' AS other",
      "EXPORT DATABASE '/tmp/exported'",
      `CREATE TABLE stolen AS SELECT content FROM read_blob('${path}')`,
      'INSTALL httpfs',
      'LOAD httpfs',
      'UPDATE EXTENSIONS',
    ]) {
      const { code, message } = await errorOf(write(database, sql));
      expect(`${code} ${message}`).toMatch(/sql_rejected|Cannot access/);
    }
  });
});

describe('a write whose commit finds no memory', () => {
  // DuckDB 1.5 leaves the keys of such a commit in its index, and the values of some columns in its table.
  const rows = (count: number, bytes: number) =>
    `INSERT INTO keyed SELECT i, repeat(md5(i::VARCHAR), ${bytes / 32}) FROM range(${count}) t(i)`;

  async function opened(): Promise<{ database: NativeDatabase; file: string }> {
    const file = join(folder, `${crypto.randomUUID()}.duckdb`);
    const keyed = await openNative({ path: file, readonly: false, memoryMb: 64 });
    await write(keyed, 'CREATE TABLE keyed (id BIGINT PRIMARY KEY, text VARCHAR)');
    await write(keyed, "INSERT INTO keyed VALUES (-1, 'first')");
    return { database: keyed, file };
  }

  it('leaves no keys behind', async () => {
    const { database: keyed, file } = await opened();
    const failed = await errorOf(write(keyed, rows(35_000, 1_024)));
    expect(failed).toMatchObject({
      code: 'memory_exceeded',
      cause: { message: expect.stringMatching(/Failed to commit/) },
    });
    expect((await write(keyed, rows(1_000, 32))).rows).toEqual([{ Count: 1_000 }]);
    await keyed.close();
    const again = await openNative({ path: file, readonly: false });
    expect((await write(again, "INSERT INTO keyed VALUES (30000, 'new')")).rows).toEqual([{ Count: 1 }]);
    expect(await answerOf(again, 'count(*) FROM keyed')).toBe(1_002);
    await again.close();
  });

  it('leaves no values behind, which later rows would have in place of their own', async () => {
    const { database: keyed } = await opened();
    await write(keyed, 'CREATE TABLE plain (id BIGINT, text VARCHAR)');
    await write(keyed, "INSERT INTO plain VALUES (-1, 'first')");
    await errorOf(write(keyed, rows(35_000, 1_024).replace('keyed', 'plain')));
    const added = "INSERT INTO plain SELECT i, 'row ' || i FROM range(100000, 100010) t(i)";
    expect((await write(keyed, added)).rows).toEqual([{ Count: 10 }]);
    expect(await answerOf(keyed, "count(*) FROM plain WHERE text = 'row ' || id")).toBe(10);
    expect(await answerOf(keyed, 'count(*) FROM plain')).toBe(11);
    await keyed.close();
  });

  it('fails no reads, which run again', async () => {
    const { database: keyed } = await opened();
    const long = 'count(*) FROM range(40000000) t(i) WHERE hash(i) % 7 = 3';
    const expected = await answerOf(keyed, long);
    const reads = Array.from({ length: 3 }, () => answerOf(keyed, long));
    await errorOf(write(keyed, rows(35_000, 1_024)));
    expect(await Promise.all(reads)).toEqual(Array(3).fill(expected));
    await keyed.close();
  });
});

describe('a read on a read-write database', () => {
  it('does not write, by functions either', async () => {
    expect((await errorOf(read(database, "SELECT nextval('numbers')"))).code).toBe('database_readonly');
    expect((await write(database, "SELECT nextval('numbers') AS n")).rows).toEqual([{ n: 1 }]);
  });

  it.each(WRITES.filter((sql) => !sql.includes('nextval')))('does not: %s', async (sql) => {
    const { code } = await errorOf(read(database, sql));
    expect(['sql_failed', 'sql_rejected', 'database_readonly']).toContain(code);
  });

  it('goes on while a write runs', async () => {
    const request = {
      sql: 'CREATE TABLE big AS SELECT i FROM range(3000000) t(i)',
      values: [],
      mode: 'write',
      maxRows: 1,
    } as const;
    const writing = database.run(request, callOf());
    expect(await Promise.all(Array.from({ length: 20 }, countNotes))).toEqual(Array(20).fill(0));
    await writing;
    expect(await answerOf(database, 'count(*) FROM big')).toBe(3_000_000);
  });
});

describe('a statement that takes long to plan', () => {
  const terms = Array.from({ length: 60 }, (_, index) => `$1 * ${index}`).join(' + ');

  it('answers the same, wherever it is planned', async () => {
    const sql = `SELECT ${terms} AS n`;
    for (let round = 0; round < 3; round += 1)
      expect((await read(database, sql, [2n])).rows).toEqual([{ n: 3540 }]);
  });

  it('keeps its deadline, wherever it runs', async () => {
    const sql = `SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE x * y % 7 = ${terms}`;
    for (let round = 0; round < 2; round += 1) {
      const begun = performance.now();
      const error = await errorOf(read(database, sql, [1n], { timeoutMs: 300 }));
      expect(error.code).toBe('deadline_exceeded');
      // It would run for hours; a busy machine ends it a few seconds late.
      expect(performance.now() - begun).toBeLessThan(10_000);
    }
    expect(await answerOf(database, '1')).toBe(1);
  });
});
