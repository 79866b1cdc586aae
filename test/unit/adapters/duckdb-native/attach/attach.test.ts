import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRedaction, reasonOf } from '../../../../../adapters/duckdb-native/attach/errors.ts';
import { toAttachStatement } from '../../../../../adapters/duckdb-native/attach/statement.ts';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { NativeOptions } from '../../../../../adapters/duckdb-native/options.ts';
import { OWN_TABLES } from '../../../../../src/catalog/builtin.ts';
import type { Database } from '../../../../../src/ports.ts';
import type { Attachment } from '../../../../../src/project/attachment.ts';
import { callOf, errorOf, read, write } from '../../../../engine/fixture.ts';
import { temporaryFolder } from '../../../../temporary-folder.ts';

/** The statement of `list_tables`, without the types. */
const LIST = `SELECT table_name AS name FROM information_schema.tables WHERE ${OWN_TABLES}`;

const MACROS = 'CREATE MACRO most() AS 7; CREATE MACRO every() AS TABLE SELECT 7';

let root: string;

beforeEach(async () => {
  root = temporaryFolder();
  await runScript(join(root, 'main.duckdb'), `CREATE TABLE own AS SELECT 1 AS a; ${MACROS}`);
  await runScript(
    join(root, 'lake.duckdb'),
    `CREATE TABLE sales AS SELECT 5 AS n; CREATE TYPE mood AS ENUM ('glad'); CREATE SEQUENCE ids; ${MACROS}`,
  );
});

async function open(options: Partial<NativeOptions> = {}): Promise<Database> {
  const attach = [{ name: 'lake', uri: 'lake.duckdb' }];
  const database = await openNative({
    path: join(root, 'main.duckdb'),
    readonly: true,
    root,
    attach,
    ...options,
  });
  onTestFinished(() => database.close());
  return database;
}

const confined = (database: Database, sql: string, unattached: boolean) =>
  database.run(
    { sql, values: [], mode: 'read', maxRows: 100, confined: true, ...(unattached ? { unattached } : {}) },
    callOf({}),
  );

describe('an attached database', () => {
  it('is named by its name, and by nothing where the profile uses it', async () => {
    const named = await open();
    expect((await read(named, 'SELECT n FROM lake.sales')).rows).toEqual([{ n: 5 }]);
    expect((await read(named, 'SELECT a FROM own')).rows).toEqual([{ a: 1 }]);
    const used = await open({ use: 'lake' });
    expect((await read(used, 'SELECT n FROM sales')).rows).toEqual([{ n: 5 }]);
    await used.prepare('SELECT n FROM sales', 'read');
  });

  it('stands beside a database in memory, and is only read', async () => {
    const database = await open({ path: ':memory:', use: 'lake' });
    expect((await read(database, 'SELECT n FROM sales')).rows).toEqual([{ n: 5 }]);
    expect((await errorOf(write(database, 'INSERT INTO sales VALUES (6)'))).code).toBe('database_readonly');
  });

  it('is not written to unless its entry says so', async () => {
    const first = await openNative({
      path: ':memory:',
      readonly: false,
      root,
      attach: [{ name: 'lake', uri: 'lake.duckdb' }],
    });
    expect((await errorOf(write(first, 'INSERT INTO lake.sales VALUES (6)'))).code).toBe('database_readonly');
    await first.close();
    const attach = [{ name: 'lake', uri: 'lake.duckdb', readonly: false }];
    const second = await openNative({ path: ':memory:', readonly: false, root, attach, use: 'lake' });
    await write(second, 'INSERT INTO sales VALUES (6)');
    expect((await read(second, 'SELECT sum(n)::INTEGER AS n FROM sales')).rows).toEqual([{ n: 11 }]);
    await second.close();
    const again = await open();
    expect((await read(again, 'SELECT count(*) AS n FROM lake.sales')).rows).toEqual([{ n: 2 }]);
  });

  it('is the one of each user where two share a file that is written to', async () => {
    await runScript(join(root, 'new.duckdb'), 'CREATE TABLE sales AS SELECT 7 AS n');
    const both = { readonly: false, external: true };
    const first = await open(both);
    const same = await open(both);
    expect((await read(same, 'SELECT n FROM lake.sales')).rows).toEqual([{ n: 5 }]);
    await first.close();
    const second = await open({ ...both, attach: [{ name: 'lake', uri: 'new.duckdb' }] });
    expect((await read(second, 'SELECT n FROM lake.sales')).rows).toEqual([{ n: 7 }]);
  });

  it('is the new file after a reload beside a file open for writing, if it was replaced', async () => {
    const both = { readonly: false, use: 'lake' };
    const first = await open(both);
    expect((await read(first, 'SELECT n FROM sales')).rows).toEqual([{ n: 5 }]);
    for (const n of [7, 8]) {
      await runScript(join(root, 'new.duckdb'), `CREATE TABLE sales AS SELECT ${n} AS n`);
      renameSync(join(root, 'new.duckdb'), join(root, 'lake.duckdb'));
      const next = await open(both);
      for (const database of [first, next])
        expect((await read(database, 'SELECT n FROM sales')).rows).toEqual([{ n }]);
    }
  });

  it('leaves the old file to others after such a reload', async () => {
    const both = { readonly: false };
    await open(both);
    const kept = join(root, 'kept.duckdb');
    linkSync(join(root, 'lake.duckdb'), kept);
    await runScript(join(root, 'new.duckdb'), 'CREATE TABLE sales AS SELECT 7 AS n');
    renameSync(join(root, 'new.duckdb'), join(root, 'lake.duckdb'));
    await open(both);
    const other = await openNative({ path: kept, readonly: false });
    await other.close();
  });

  it('stays the old file if the new one is no database', async () => {
    const both = { readonly: false };
    const first = await open(both);
    writeFileSync(join(root, 'new.duckdb'), 'no database '.repeat(1000));
    renameSync(join(root, 'new.duckdb'), join(root, 'lake.duckdb'));
    expect((await errorOf(open(both))).code).toBe('database_unavailable');
    expect((await read(first, 'SELECT n FROM lake.sales')).rows).toEqual([{ n: 5 }]);
    expect((await read(first, 'SELECT a FROM own')).rows).toEqual([{ a: 1 }]);
    rmSync(join(root, 'lake.duckdb'));
    expect((await errorOf(open(both))).code).toBe('database_unavailable');
    expect((await read(first, 'SELECT n FROM lake.sales')).rows).toEqual([{ n: 5 }]);
  });

  it('is replaced under statements that run, which read one of both files', async () => {
    const both = { readonly: false, use: 'lake' };
    const first = await open(both);
    const long = 'SELECT DISTINCT n FROM sales, range(30000000) r(i) WHERE hash(i + n) % 7 = 3';
    const [running] = [read(first, long), await read(first, 'SELECT 1')];
    await runScript(join(root, 'new.duckdb'), 'CREATE TABLE sales AS SELECT 7 AS n');
    renameSync(join(root, 'new.duckdb'), join(root, 'lake.duckdb'));
    const next = await open(both);
    expect((await read(next, 'SELECT n FROM sales')).rows).toEqual([{ n: 7 }]);
    expect([5, 7]).toContain((await running).rows[0]?.n);
  });

  it('has a name that is quoted', async () => {
    const name = 'a"; DROP TABLE x; --';
    const database = await open({ attach: [{ name, uri: 'lake.duckdb' }], use: name });
    expect((await read(database, 'SELECT n FROM sales')).rows).toEqual([{ n: 5 }]);
  });

  it('is required, or found by a later call', async () => {
    const [there, away] = [join(root, 'lake.duckdb'), join(root, 'away.duckdb')];
    renameSync(there, away);
    const refused = open();
    await expect(refused).rejects.toThrow(/The attached database lake cannot be reached: .*does not exist/);
    const attach = [{ name: 'lake', uri: 'lake.duckdb', required: false }];
    // No later call could find it, because the engine then opens no files.
    const closed = open({ attach });
    await expect(closed).rejects.toThrow(/The attached database lake cannot be reached: .*does not exist/);
    await expect(closed).rejects.not.toThrow(/next call|required: false/);
    const database = await open({ attach, external: true });
    expect((await read(database, 'SELECT a FROM own')).rows).toEqual([{ a: 1 }]);
    expect((await read(database, "SELECT 'flakes' AS lakes -- no lake")).rows).toEqual([{ lakes: 'flakes' }]);
    const error = await errorOf(read(database, 'SELECT n FROM lake.sales'));
    expect(error).toMatchObject({ code: 'database_unavailable' });
    expect(error.message).toContain('The attached database lake cannot be reached');
    expect(existsSync(there)).toBe(false);
    renameSync(away, there);
    const found = () =>
      read(database, 'SELECT n FROM lake.sales')
        .then(({ rows }) => rows)
        .catch(() => null);
    await expect.poll(found).toEqual([{ n: 5 }]);
  });

  it('is there again for a statement that comes while another one detaches it', async () => {
    const [there, away] = [join(root, 'lake.duckdb'), join(root, 'away.duckdb')];
    renameSync(there, away);
    const attach = [{ name: 'lake', uri: 'lake.duckdb', required: false }];
    const database = await open({ attach, external: true });
    const opened = performance.now();
    renameSync(away, there);
    // No sooner does DuckDB try again.
    await expect.poll(() => performance.now() - opened > 1_000, { timeout: 10_000 }).toBe(true);
    const [own, lake] = await Promise.all([
      read(database, 'SELECT a FROM own'),
      read(database, 'SELECT n FROM lake.sales'),
    ]);
    expect([own.rows, lake.rows]).toEqual([[{ a: 1 }], [{ n: 5 }]]);
  });
});

describe("a caller's own statement", () => {
  it.each([
    'SELECT n FROM lake.sales',
    'SELECT n FROM lake.main.sales',
    'SELECT n FROM sales',
    'SELECT * FROM information_schema.tables',
    'SELECT * FROM duckdb_tables()',
    'SELECT * FROM duckdb_columns',
    'SELECT * FROM pg_catalog.pg_tables',
    'SELECT * FROM pg_tables',
    'SELECT * FROM sqlite_master',
    'SHOW ALL TABLES',
    "FROM histogram('lake.sales', n)",
    "FROM histogram_values('lake.main.sales', n, technique := 'sample')",
    "SELECT * FROM (SELECT 1), histogram_values('lake.sales', n)",
    "FROM sql_auto_complete('SELECT * FROM lake.sal')",
    "SELECT json_serialize_plan('SELECT n FROM lake.sales')",
    'SELECT * FROM __ducklake_metadata_lake.ducklake_table',
  ])('sees no attached table unless the site says so: %s', async (sql) => {
    const database = await open({ use: 'lake' });
    expect((await confined(database, 'SELECT a FROM own', true)).rows).toEqual([{ a: 1 }]);
    const error = await errorOf(confined(database, sql, true));
    expect(['sql_rejected', 'sql_failed']).toContain(error.code);
  });

  it.each([
    'FROM lake.sales',
    'FROM lake.main.every()',
    'FROM lake.every()',
    'FROM own, LATERAL lake.main.every()',
    'SELECT lake.main.most()',
    'SELECT Lake.most()',
    'SELECT lake.main.abs(1)',
    'SELECT a FROM own ORDER BY lake.main.most()',
    'SELECT sum(a) OVER (ORDER BY lake.main.most()) FROM own',
    'SHOW TABLES FROM lake',
    'SHOW TABLES FROM lake.main',
    'FROM (SHOW TABLES FROM LAKE)',
    'DESCRIBE lake.sales',
    'SUMMARIZE lake.main.sales',
    'SELECT enum_range(NULL::lake.main.mood)',
    'SELECT typeof(NULL::lake.mood)',
    'SELECT get_type(NULL::lake.main.mood[])',
    'SELECT TRY_CAST(NULL AS STRUCT(a MAP(INTEGER, lake.main.mood)))',
    "SELECT lake.main.mood 'glad'",
  ])('names no hidden database: %s', async (sql) => {
    const database = await open();
    const error = await errorOf(confined(database, sql, true));
    expect(error).toMatchObject({ code: 'sql_rejected', message: expect.stringMatching(/uses lake,/i) });
  });

  it('sees them where the site says so, but no catalogue of a lake', async () => {
    const database = await open({ use: 'lake' });
    for (const sql of ['SELECT n FROM sales', 'SELECT n FROM lake.sales']) {
      expect((await confined(database, sql, false)).rows).toEqual([{ n: 5 }]);
    }
    const sql = 'SELECT * FROM __ducklake_metadata_lake.ducklake_table';
    expect((await errorOf(confined(database, sql, false))).code).toBe('sql_rejected');
  });
});

describe("the project's own database behind an address", () => {
  const attach: readonly Attachment[] = [
    { name: 'shop', uri: 'shop.duckdb', own: true },
    { name: 'lake', uri: 'lake.duckdb' },
  ];
  const tables = { sql: LIST, values: [], mode: 'read', maxRows: 100, unattached: true } as const;

  beforeEach(() => runScript(join(root, 'shop.duckdb'), 'CREATE TABLE orders AS SELECT 3 AS n, 4 AS hidden'));

  it.each(['shop', 'lake'])(
    'stays in sight where attached databases are hidden, with `use: %s`',
    async (use) => {
      const database = await open({ path: ':memory:', attach, use });
      expect((await database.run(tables, callOf({}))).rows).toEqual([{ name: 'orders' }]);
      for (const sql of ['SELECT n FROM orders', 'SELECT n FROM shop.orders'])
        expect((await confined(database, sql, true)).rows).toEqual([{ n: 3 }]);
      for (const sql of ['SELECT n FROM sales', 'SELECT n FROM lake.sales', 'FROM information_schema.tables'])
        expect(['sql_rejected', 'sql_failed']).toContain((await errorOf(confined(database, sql, true))).code);
    },
  );

  it('is the one that rules of tables restrict', async () => {
    const database = await open({ path: ':memory:', attach, use: 'shop' });
    const restricted = [{ name: 'orders', rows: null, hide: ['hidden'], mask: {} }];
    const asked = (sql: string) =>
      database.run({ ...tables, sql, confined: true, restricted }, callOf({})).then(({ rows }) => rows);
    expect(await asked('SELECT * FROM orders')).toEqual([{ n: 3 }]);
    expect((await errorOf(asked('SELECT n FROM lake.sales'))).code).toBe('sql_rejected');
    expect((await errorOf(asked('SELECT n FROM sales'))).code).toBe('sql_failed');
  });
});

describe('the statement that attaches', () => {
  const secrets = [{ name: "pg's", type: 'postgres', parameters: { password: "planted'word" } }];
  const context = { root: '/srv', secrets, readonly: false };
  const BOUNDS =
    'connect_timeout=10 keepalives_idle=10 keepalives_interval=5 keepalives_count=4 tcp_user_timeout=30000';

  it.each([
    [{ uri: 'a.duckdb' }, `'/srv/a.duckdb' AS "x" (TYPE duckdb, READ_ONLY)`],
    [{ uri: 's3://b/a.duckdb' }, `'s3://b/a.duckdb' AS "x" (TYPE duckdb, READ_ONLY)`],
    [{ uri: "sqlite:it's.db", readonly: false }, `'/srv/it''s.db' AS "x" (TYPE sqlite)`],
    [
      { uri: 'postgres:dbname=d', secret: "pg's" },
      `'dbname=d ${BOUNDS}' AS "x" (TYPE postgres, READ_ONLY, SECRET 'pg''s')`,
    ],
    [
      { uri: 'ducklake:postgres:dbname=d', data_path: 's3://b/l/', secret: "pg's", readonly: false },
      `'ducklake:postgres:dbname=d ${BOUNDS}' AS "x" (DATA_PATH 's3://b/l/', META_SECRET 'pg''s')`,
    ],
    [
      { uri: 'ducklake:m.ducklake', data_path: 'files' },
      `'ducklake:/srv/m.ducklake' AS "x" (READ_ONLY, DATA_PATH '/srv/files/')`,
    ],
    [{ uri: 'ducklake:sqlite:m.db' }, `'ducklake:sqlite:/srv/m.db' AS "x" (READ_ONLY)`],
  ])('%j', (attachment, statement) => {
    expect(toAttachStatement({ name: 'x', ...attachment }, context)).toBe(`ATTACH OR REPLACE ${statement}`);
  });

  it('fails without a credential in the reason', () => {
    const redact = createRedaction(secrets);
    const text = `IO Error: Unable to connect to Postgres at "host=h password='planted\\'word' x": connection to server at "h", port 1 failed: Connection refused\n\tIs the server running?`;
    expect(reasonOf(new Error(text), redact)).toBe(
      'Unable to connect to Postgres: connection to server at "h", port 1 failed: Connection refused',
    );
    const refused = `IO Error: Unable to connect to Postgres at "host=h password='planted'": connection to server at "h", port 1 failed: FATAL:  password authentication failed for user "svc"`;
    expect(reasonOf(new Error(refused), redact)).toBe(
      'Unable to connect to Postgres: connection to server at "h", port 1 failed: FATAL:  password authentication failed for user "svc"',
    );
    expect(redact("user=u password='plan\\'ted' a planted'word b")).toBe(
      'user=u password=[REDACTED] a [REDACTED] b',
    );
  });
});
