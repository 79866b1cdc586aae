import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import type { Database } from '../../src/ports.ts';
import { callOf, errorOf, read, write } from '../engine/fixture.ts';
import { startReceiver } from '../unit/adapters/otel/receiver.ts';
import { svc } from '../unit/cli/svc.ts';
import { type Home, LAKE, type Lake, POSTGRES, serve, startLake } from './lake.ts';

/* What the outside may do while a project uses it: real Postgres, DuckLake and SQLite, and moto behind a faulty proxy. */

const SLOW = 180_000;
const PLANTED = /planted/;
const TOOL = `svc: 1
tool:
  name: total
  description: The total.
  source: { code: SELECT count(*) AS n FROM sales }
`;
/** Nothing waits as long as the deadline of another call. */
const SHORT_MS = 2_000;
/** Long enough for calls that must end before it, on a slow machine too; shorter than a lost connection's ten seconds. */
const LATER_MS = 8_000;

let lake: Lake;
let writer: NativeDatabase;

beforeAll(async () => {
  lake = await startLake();
  writer = await lake.open({ ...LAKE, readonly: false });
  await write(writer, 'CREATE TABLE sales AS SELECT i AS id, 0 AS amount FROM range(1000) t(i)');
  const database = await lake.open({ ...POSTGRES, readonly: false });
  await write(database, 'CREATE TABLE public.plain AS SELECT i AS id, 0 AS amount FROM range(1000) t(i)');
  await database.close();
}, SLOW);
afterAll(async () => {
  await writer?.close();
  await lake?.stop();
}, SLOW);
afterEach(() => lake.proxy.set(null));

/** A writer with an engine of its own: one process shares the engine of databases that are attached alike. */
const openOther = (home: Home) => lake.open({ ...home, readonly: false, required: true });

const total = (database: Database) =>
  read(database, 'SELECT count(*)::INTEGER AS n FROM sales').then(({ rows }) => rows[0]?.n);
const plain = (database: Database) =>
  read(database, 'SELECT count(*)::INTEGER AS n FROM plain').then(({ rows }) => rows[0]?.n);
const insert = (database: Database, timeoutMs = 30_000) =>
  database.run(
    {
      sql: 'INSERT INTO sales SELECT i, 0 FROM range($1::BIGINT) t(i)',
      values: [100],
      mode: 'write',
      maxRows: 1,
    },
    callOf({ timeoutMs }),
  );
const textOf = (error: Error): string => `${error.message} ${JSON.stringify(error)} ${String(error.cause)}`;

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
      const [one, two] = await Promise.all([lake.open({ ...home, readonly: false }), openOther(home)]);
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
      const other = await openOther(LAKE);
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

describe('a Postgres server', () => {
  it.each([
    ['a DuckLake', LAKE, total],
    ['its tables', POSTGRES, plain],
  ] as const)(
    'that is killed under calls to %s fails only those, and answers when it is back',
    async (_, home, count) => {
      const database = await lake.open(home);
      const before = await count(database);
      const calls = Array.from({ length: 12 }, () => count(database).catch((error: Error) => error));
      const killed = lake.postgres.kill();
      for (const answer of await Promise.all(calls)) {
        if (!(answer instanceof Error)) expect(answer).toBe(before);
        else {
          expect(answer).toMatchObject({ code: 'database_unavailable' });
          expect(answer.message).toMatch(/^The attached database lake cannot be reached: /);
          expect(textOf(answer)).not.toMatch(PLANTED);
        }
      }
      await killed;
      expect(await errorOf(count(database))).toMatchObject({ code: 'database_unavailable' });
      await lake.postgres.start();
      await expect.poll(() => count(database).catch(() => null), { timeout: 30_000 }).toBe(before);
      // A connection that was lost while nobody used it fails no call, not even one that writes.
      await lake.postgres.kill();
      await lake.postgres.start();
      expect(await count(database)).toBe(before);
      await insert(writer);
      await database.close();
    },
    SLOW,
  );

  it.each([
    ['a DuckLake', LAKE, 'sales'],
    ['its tables', POSTGRES, 'plain'],
  ] as const)(
    'that hangs ends calls to %s at their deadline, and the calls of another database do not wait',
    async (_, home, table) => {
      const [reader, changer, elsewhere] = await Promise.all([
        lake.open(home),
        openOther(home),
        lake.open({ uri: 'sqlite:elsewhere.sqlite', readonly: false }),
      ]);
      const statements = [
        [reader, 'read', `SELECT count(*)::INTEGER AS n FROM ${table}`, []],
        [reader, 'read', `SELECT count(*)::INTEGER AS n FROM ${table} WHERE id > $1::INTEGER`, [-1]],
        [changer, 'write', `UPDATE ${table} SET amount = 0 WHERE id = $1::INTEGER`, [3]],
      ] as const;
      const callAll = (timeoutMs: number) =>
        statements.map(([database, mode, sql, values]) =>
          database.run({ sql, values, mode, maxRows: 1 }, callOf({ timeoutMs })),
        );
      await Promise.all(callAll(SLOW));
      lake.postgres.hang();
      try {
        let ended = 0;
        const late = [...callAll(LATER_MS), ...callAll(LATER_MS)].map(async (call) => {
          const error = await errorOf(call);
          ended += 1;
          return error;
        });
        await write(elsewhere, `CREATE TABLE seen_${table} (n INTEGER)`);
        await write(elsewhere, `INSERT INTO seen_${table} VALUES (1)`);
        expect((await read(elsewhere, `FROM seen_${table}`)).rows).toEqual([{ n: 1 }]);
        expect(ended).toBe(0);
        const errors = await Promise.all(late);
        // A write that still waited for its turn is busy.
        const codes = ['deadline_exceeded', 'deadline_exceeded', 'deadline_exceeded'];
        expect(errors.map(({ code }) => code)).toEqual([...codes, ...codes.slice(1), 'busy']);
      } finally {
        lake.postgres.goOn();
      }
      for (const { rows } of await Promise.all(callAll(SLOW))) expect(rows).toHaveLength(1);
      await Promise.all([reader.close(), changer.close(), elsewhere.close()]);
    },
    SLOW,
  );

  it(
    'that is killed under writes keeps those that were answered',
    async () => {
      await write(writer, 'CREATE TABLE kept (n INTEGER)');
      const added = Array.from({ length: 30 }, (_, n) =>
        write(writer, `INSERT INTO kept VALUES (${n})`).then(
          () => n,
          () => null,
        ),
      );
      await added[4];
      await lake.postgres.kill();
      const answered = (await Promise.all(added)).filter((n) => n !== null);
      await lake.postgres.start();
      const kept = () =>
        read(writer, 'SELECT n FROM kept ORDER BY n').then(({ rows }) => rows.map(({ n }) => n));
      await expect
        .poll(() => kept().catch(() => []), { timeout: 30_000 })
        .toEqual(expect.arrayContaining(answered));
      const found = await kept();
      expect(new Set(found).size).toBe(found.length);
      // The one whose commit was under way may be kept as well.
      expect(found.length - answered.length).toBeLessThanOrEqual(1);
    },
    SLOW,
  );

  it(
    'that is down is named by a server that starts without it, and found when it is up',
    async () => {
      const site = { sql_tools: { enabled: true } };
      const tools = { total: TOOL };
      await lake.postgres.kill();
      const strict = lake.project(LAKE, { tools, site });
      const ended = await svc(['serve', '--port', '0'], strict.cwd, strict.env);
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/lake cannot be reached: .*refused[\s\S]*required: false/),
      });
      const { server, call } = await serve(lake.project({ ...LAKE, required: false }, { tools, site }));
      expect(await call()).toContain('The database is not available.');
      await server.until(/lake cannot be reached: .*refused/, 'stderr');
      // The SQL tools see no attached database, so they do not need it.
      expect(await call('list_tables')).not.toContain('"isError":true');
      await lake.postgres.start();
      await expect.poll(() => call(), { timeout: 30_000 }).toMatch(/\\"n\\":\d+/);
      await lake.postgres.kill();
      expect(await call('list_tables')).not.toContain('"isError":true');
      await lake.postgres.start();
      expect(server.stderr + server.stdout + ended.stderr + ended.stdout).not.toMatch(PLANTED);
    },
    SLOW,
  );
});

describe('credentials', () => {
  it(
    'are in no text, whatever fails',
    async () => {
      const receiver = await startReceiver();
      const tools = {
        total: TOOL,
        amount: TOOL.replace('name: total', 'name: amount').replace('count(*)', 'sum(amount)'),
      };
      const site = { sql_tools: { enabled: true } };
      const profile = { audit: { enabled: true } };
      const user = { telemetry: { enabled: true, endpoint: receiver.url } };
      const folder = lake.project({ ...LAKE, required: false }, { tools, site, profile, user });
      const socket = join(lake.root, 'admin.sock');
      const { server, call, url } = await serve(folder, {
        SVC_ADMIN_ENABLED: 'true',
        SVC_ADMIN_SOCKET: socket,
      });
      const texts: string[] = [];
      const callAll = async () => {
        for (const name of ['total', 'amount', 'list_tables']) texts.push(await call(name));
        for (const sql of [
          'FROM duckdb_databases()',
          'SELECT * FROM information_schema.tables',
          'SHOW ALL TABLES',
          'FROM lake.sales',
          "SELECT which_secret('s3://bucket/x', 's3')",
        ])
          texts.push(await call('execute_sql_query', { sql }));
      };
      const commands = async (...all: readonly (readonly string[])[]) => {
        for (const args of all) {
          const { stdout, stderr } = await svc(args, folder.cwd, { ...folder.env, SVC_DEBUG: '1' });
          texts.push(stdout, stderr);
        }
      };
      await callAll();
      await commands(
        ['doctor'],
        ['config'],
        ['drift-snapshot'],
        ['admin', 'config', '--socket', socket],
        ['query', 'SELECT count(*) AS n FROM sales'],
      );
      // A new file, which no cache of the server holds.
      await insert(writer);
      await lake.proxy.set(403);
      await callAll();
      await commands(['query', 'SELECT sum(amount) FROM sales'], ['validate']);
      await lake.proxy.set(null);
      await lake.postgres.kill();
      await callAll();
      await commands(
        ['doctor'],
        ['validate'],
        ['drift-check'],
        ['query', 'SELECT count(*) FROM sales'],
        ['run', 'tool', 'total'],
        ['admin', 'audit/query', '--socket', socket],
        ['admin', 'status', '--socket', socket],
      );
      await lake.postgres.start();
      texts.push(await (await fetch(new URL('/health', url))).text());
      server.child.kill('SIGTERM');
      await server.ended;
      await receiver.close();
      const audit = join(folder.cwd, 'audit');
      const records = readdirSync(audit).map((name) => readFileSync(join(audit, name), 'utf8'));
      expect(records.join()).toContain('"total"');
      expect(receiver.bytes()).toContain('svc.database.execute');
      expect(server.stderr).toContain('Remote data cannot be reached');
      expect(server.stderr).toContain('lake cannot be reached');
      const all = [...texts, ...records, receiver.bytes(), server.stdout, server.stderr].join('\n');
      expect(all.match(/.{0,80}planted.{0,40}/g)).toBe(null);
    },
    SLOW,
  );
});
