import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import type { Database } from '../../src/ports.ts';
import { callOf, errorOf, read, write } from '../engine/fixture.ts';
import { LAKE, type Lake, POSTGRES, serve } from './lake.ts';
import { insert, openOther, PLANTED, SLOW, TOOL, textOf, total, useSales } from './sales.ts';

/* What an object store and other writers may do while a project uses a lake. */

/** Nothing waits as long as the deadline of another call. */
const SHORT_MS = 2_000;

const sales = useSales();
let lake: Lake;
let writer: NativeDatabase;
beforeAll(() => {
  ({ lake, writer } = sales());
});

/** A process that locks a SQLite file until its input ends. */
const LOCKED = `const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec('CREATE TABLE sales (n INTEGER); BEGIN EXCLUSIVE');
console.log('locked');
process.stdin.resume().on('end', () => database.exec('COMMIT'));`;

describe('an object store', () => {
  it.each([403, 500, 'reset'] as const)(
    'that answers %s fails calls clearly, and works again when it does',
    async (fault) => {
      const reader = await lake.open(LAKE);
      const before = await total(writer);
      await lake.proxy.set(fault);
      for (const work of [() => read(reader, 'SELECT sum(amount) FROM sales'), () => insert(writer)]) {
        const error = await errorOf(work());
        expect(error).toMatchObject({ code: 'database_unavailable' });
        expect(error.message).toMatch(/^Remote data cannot be reached: .*\nCheck the address/);
        if (typeof fault === 'number') expect(error.message).toContain(String(fault));
        expect(textOf(error)).not.toMatch(PLANTED);
      }
      await lake.proxy.set(null);
      expect(await total(reader)).toBe(before);
      await insert(writer);
      expect((await read(reader, 'SELECT sum(amount)::INTEGER AS s FROM sales')).rows).toEqual([{ s: 0 }]);
      await reader.close();
    },
    SLOW,
  );

  it(
    'that is slow is waited for',
    async () => {
      const reader = await lake.open(LAKE);
      await lake.proxy.set('slow');
      expect((await read(reader, 'SELECT sum(amount)::INTEGER AS s FROM sales')).rows).toEqual([{ s: 0 }]);
      await reader.close();
    },
    SLOW,
  );

  it(
    'that never answers ends calls at their deadline, and no other call waits',
    async () => {
      const reader = await lake.open(LAKE);
      await lake.proxy.set('never');
      const call = callOf({ timeoutMs: SHORT_MS });
      // A test's process has four threads for statements that wait; `svc serve` has 72.
      const stuck = Array.from({ length: 1 }, (_, index) =>
        reader.run(
          {
            sql: 'SELECT sum(amount) FROM sales WHERE id > $1::INTEGER',
            values: [index],
            mode: 'read',
            maxRows: 1,
          },
          call,
        ),
      );
      const late = [...stuck, insert(writer, SHORT_MS)].map((work) => errorOf(work));
      // The store has not answered, and these need no store.
      expect((await read(reader, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      for (const error of await Promise.all(late)) expect(error.code).toBe('deadline_exceeded');
      await write(writer, 'CREATE TABLE IF NOT EXISTS unrelated (n INTEGER)');
      await lake.proxy.set(null);
      await insert(writer);
      expect((await read(reader, 'SELECT sum(amount)::INTEGER AS s FROM sales')).rows).toEqual([{ s: 0 }]);
      await reader.close();
    },
    SLOW,
  );

  it(
    'that never answers frees the place of a read after two requests',
    async () => {
      const reader = await lake.open(LAKE);
      await lake.proxy.set('never');
      const late = reader.start(
        { sql: "FROM read_text('s3://bucket/none.txt')", values: [], mode: 'read', maxRows: 1 },
        callOf({ timeoutMs: SHORT_MS }),
      );
      expect((await errorOf(late.answer)).code).toBe('deadline_exceeded');
      await late.ended;
      expect(await lake.proxy.set(null)).toBe(2);
      await reader.close();
    },
    SLOW,
  );

  it('that never answers does not keep a server that ends', async () => {
    const { server, call } = await serve(
      lake.project(LAKE, { tools: { total: TOOL.replace('count(*)', 'sum(amount)') } }),
    );
    await lake.proxy.set('never');
    const hanging = call().catch(() => 'ended');
    await expect.poll(() => lake.proxy.set('never'), { timeout: 30_000 }).toBeGreaterThan(0);
    server.child.kill('SIGTERM');
    await server.ended;
    await hanging;
  }, 60_000);
});

describe('an export', () => {
  const sqlOf = (n: number) => `COPY (SELECT ${n} AS n) TO 's3://bucket/export.parquet' (FORMAT parquet)`;
  const exportTo = (database: NativeDatabase, n: number, timeoutMs = SLOW) =>
    database.run({ sql: sqlOf(n), values: [], mode: 'write', maxRows: 1 }, callOf({ timeoutMs }));
  const openExporter = async (name: string): Promise<NativeDatabase> => {
    const database = await lake.openFile(join(lake.root, `${name}.duckdb`));
    await write(database, 'CREATE TABLE own (n INTEGER)');
    return database;
  };
  const exported = async (database: NativeDatabase) =>
    (await read(database, "FROM read_parquet('s3://bucket/export.parquet')")).rows;

  it(
    'that failed is not finished later: it stops no other write, and does not replace a newer one',
    async () => {
      const database = await openExporter('failed');
      await lake.proxy.set(500);
      expect(await errorOf(exportTo(database, 1))).toMatchObject({ code: 'database_unavailable' });
      await lake.proxy.set('never');
      const delay = monitorEventLoopDelay();
      delay.enable();
      await write(database, 'INSERT INTO own VALUES (1)');
      delay.disable();
      expect(delay.max / 1e6).toBeLessThan(10_000);
      await lake.proxy.set(null);
      await exportTo(database, 2);
      await write(database, 'INSERT INTO own VALUES (2)');
      expect(await exported(database)).toEqual([{ n: 2 }]);
      await database.close();
    },
    SLOW,
  );

  it(
    'whose store answers late ends at its deadline, stops no other write, and does not replace a newer one',
    async () => {
      const database = await openExporter('late');
      await lake.proxy.set('late');
      const { answer, ended } = database.start(
        { sql: sqlOf(1), values: [], mode: 'write', maxRows: 1 },
        callOf({ timeoutMs: SHORT_MS }),
      );
      expect(await errorOf(answer)).toMatchObject({ code: 'deadline_exceeded' });
      await lake.proxy.set(null);
      await write(database, 'INSERT INTO own VALUES (1)');
      await exportTo(database, 2);
      await ended;
      expect(await exported(database)).toEqual([{ n: 2 }]);
      await database.close();
    },
    SLOW,
  );
});

describe('other writers of a lake', () => {
  it(
    'change what the next statement reads, never what one reads',
    async () => {
      const reader = await lake.open(LAKE);
      const other = await lake.open({ ...LAKE, readonly: false });
      let writing = true;
      const appended = (async () => {
        for (let batch = 0; batch < 15; batch += 1) await insert(other);
        writing = false;
      })();
      const seen = new Set<unknown>();
      while (writing) {
        const { rows } = await read(
          reader,
          'SELECT (SELECT count(*)::INTEGER FROM sales) AS a, (SELECT count(*)::INTEGER FROM sales WHERE id >= 0) AS b',
        );
        const [{ a, b } = {}] = rows;
        expect(a).toBe(b);
        expect(Number(a) % 100).toBe(0);
        seen.add(a);
      }
      await appended;
      expect(seen.size).toBeGreaterThan(1);
      await Promise.all([reader.close(), other.close()]);
    },
    SLOW,
  );

  it.each([
    ['DuckLake', LAKE, 'sales'],
    ['Postgres', POSTGRES, 'plain'],
  ] as const)(
    'that change the same rows of %s are waited for',
    async (_, home, table) => {
      const [one, two] = await Promise.all([lake.open({ ...home, readonly: false }), openOther(lake, home)]);
      const sql = `UPDATE ${table} SET amount = amount + 1 WHERE id = 7`;
      const update = (database: Database) =>
        database.run({ sql, values: [], mode: 'write', maxRows: 1 }, callOf({ timeoutMs: 120_000 }));
      const [before] = (await read(one, `SELECT sum(amount)::INTEGER AS s FROM ${table}`)).rows;
      await Promise.all([one, two].flatMap((database) => [1, 2, 3, 4, 5].map(() => update(database))));
      const { rows } = await read(
        one,
        `SELECT sum(amount)::INTEGER AS s, count(*) FILTER (id = 7)::INTEGER AS n FROM ${table}`,
      );
      expect(rows).toEqual([{ s: Number(before?.s) + 10 * Number(rows[0]?.n), n: rows[0]?.n }]);
      await write(one, `UPDATE ${table} SET amount = 0`);
      await Promise.all([one.close(), two.close()]);
    },
    SLOW,
  );

  it(
    'that are faster every time end a write with busy, after ten more attempts',
    async () => {
      const other = await openOther(lake, LAKE);
      const update = 'UPDATE sales SET amount = amount + 1 WHERE id = 9';
      let attempts = 0;
      const late = writer.start(
        { sql: update, values: [], mode: 'write', maxRows: 1 },
        callOf({ timeoutMs: 150_000 }),
        {
          ready: async () => {},
          committing: async () => {
            attempts += 1;
            await write(other, update);
          },
        },
      );
      expect(await errorOf(late.answer)).toMatchObject({
        code: 'busy',
        message: 'Another statement has changed the same rows; try again.',
      });
      expect(attempts).toBe(11);
      const { rows } = await read(writer, 'SELECT DISTINCT amount::INTEGER AS n FROM sales WHERE id = 9');
      expect(rows).toEqual([{ n: 11 }]);
      await write(writer, 'UPDATE sales SET amount = 0');
      await other.close();
    },
    SLOW,
  );

  it(
    'that keep SQLite locked are waited for, then the error says so',
    async () => {
      const holder = spawn(process.execPath, ['-e', LOCKED, join(lake.root, 'locked.sqlite')]);
      await once(holder.stdout, 'data');
      const database = await lake.open({ uri: 'sqlite:locked.sqlite', readonly: false, required: false });
      const add = () => write(database, 'INSERT INTO sales VALUES (1)');
      const error = await errorOf(add());
      expect(['busy', 'deadline_exceeded']).toContain(error.code);
      const waiting = add();
      holder.stdin.end();
      await waiting;
      expect((await read(database, 'SELECT count(*)::INTEGER AS n FROM sales')).rows).toEqual([{ n: 1 }]);
      await database.close();
    },
    SLOW,
  );
});
