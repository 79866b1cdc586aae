import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import { callOf, errorOf, read, write } from '../engine/fixture.ts';
import { startReceiver } from '../unit/adapters/otel/receiver.ts';
import { svc } from '../unit/cli/svc.ts';
import { LAKE, type Lake, POSTGRES, serve } from './lake.ts';
import { insert, openOther, PLANTED, plain, SLOW, TOOL, textOf, total, useSales } from './sales.ts';

/* What may become of a Postgres server while a project uses it, and the texts in which credentials must not be. */

/** Long enough for calls that must end before it, on a slow machine too; shorter than a lost connection's ten seconds. */
const LATER_MS = 8_000;

const sales = useSales();
let lake: Lake;
let writer: NativeDatabase;
beforeAll(() => {
  ({ lake, writer } = sales());
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
        openOther(lake, home),
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

  /** Begins a write whose COMMIT waits for the transaction of another one, because the key is checked then. */
  async function startLateCommit(table: string, timeoutMs: number) {
    const writable = { ...POSTGRES, readonly: false };
    const [holder, database] = [await lake.open(writable), await openOther(lake, POSTGRES)];
    const create = `CREATE TABLE ${table} (n INTEGER UNIQUE DEFERRABLE INITIALLY DEFERRED)`;
    await write(holder, `CALL postgres_execute('lake', '${create}')`);
    const request = {
      sql: `INSERT INTO ${table} VALUES (1)`,
      values: [],
      mode: 'write',
      maxRows: 1,
    } as const;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const begin = async (writing: NativeDatabase, ms: number, then: Promise<void>) => {
      const { promise: begun, resolve } = Promise.withResolvers<void>();
      const ready = async (): Promise<void> => {
        resolve();
        await then;
      };
      const { answer } = writing.start(request, callOf({ timeoutMs: ms }), { ready, committing: ready });
      answer.catch(() => {});
      await begun;
      return { answer };
    };
    const { answer: held } = await begin(holder, SLOW, released);
    const { answer: late } = await begin(database, timeoutMs, Promise.resolve());
    const close = () => Promise.all([holder.close(), database.close()]);
    return { held, late, release, database, close };
  }

  it(
    'that does not answer a commit ends the call at its deadline, and other writes do not wait',
    async () => {
      const { held, late, release, database, close } = await startLateCommit('unanswered', LATER_MS);
      expect(await errorOf(late)).toMatchObject({ code: 'outcome_unknown' });
      await write(database, 'UPDATE plain SET amount = 0 WHERE id = 5');
      release();
      await held;
      const { rows } = await read(database, 'SELECT count(*)::INTEGER AS n FROM unanswered');
      expect(rows).toEqual([{ n: 1 }]);
      await close();
    },
    SLOW,
  );

  it(
    'that is killed under a commit leaves its outcome unknown',
    async () => {
      const { late, release, close } = await startLateCommit('killed', SLOW);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await lake.postgres.kill();
      expect(await errorOf(late)).toMatchObject({ code: 'outcome_unknown' });
      release();
      await lake.postgres.start();
      await close();
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
