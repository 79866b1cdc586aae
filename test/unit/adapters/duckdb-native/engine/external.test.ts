import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadDriver } from '../../../../../adapters/duckdb-native/driver/driver.ts';
import { openOptions } from '../../../../../adapters/duckdb-native/engine/settings.ts';
import { runScript } from '../../../../../adapters/duckdb-native/files/script.ts';
import { openNative } from '../../../../../adapters/duckdb-native/open.ts';
import type { Database } from '../../../../../src/ports.ts';
import { callerOf, callOf, errorOf, read, write } from '../../../../engine/fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-external-'));
const csv = join(folder, 'far.csv');
const other = join(folder, 'other.duckdb');
const path = join(folder, 'data.duckdb');
let database: Database;

beforeAll(async () => {
  writeFileSync(csv, 'id,name\n1,one\n2,two\n');
  await runScript(other, 'CREATE TABLE t AS SELECT 1 AS a');
  await runScript(
    path,
    `CREATE TABLE notes AS SELECT i AS id, 'n' || i AS name FROM range(10) t(i);
     CREATE SCHEMA side; CREATE TABLE side.more AS SELECT 1 AS a;
     CREATE MACRO twice(x) AS x * 2;
     CREATE MACRO far_rows() AS TABLE SELECT * FROM read_csv('${csv}');
     CREATE VIEW far AS SELECT * FROM read_csv('${csv}');`,
  );
  database = await openNative({ path, readonly: false, external: true });
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const confined = (sql: string) =>
  database.run(
    { sql, values: [], mode: 'read', maxRows: 100, confined: true },
    callOf({ caller: callerOf(1) }),
  );

describe('the SQL of a project that is open to the outside', () => {
  it('reads and writes files, and attaches databases', async () => {
    const { rows } = await read(database, `SELECT * FROM read_csv($1) ORDER BY id`, [csv]);
    expect(rows).toEqual([
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ]);
    expect((await read(database, `SELECT count(*) AS n FROM '${csv}'`)).rows).toEqual([{ n: 2 }]);
    await write(database, `COPY (SELECT 3 AS id) TO '${join(folder, 'made.csv')}'`);
    expect(readFileSync(join(folder, 'made.csv'), 'utf8')).toBe('id\n3\n');
    await write(database, `ATTACH '${other}' AS other (READ_ONLY)`);
    expect((await read(database, 'SELECT a FROM other.t')).rows).toEqual([{ a: 1 }]);
  });

  it.each([
    'SET enable_external_access = false',
    'SET lock_configuration = false',
    "SET memory_limit = '1TB'",
    'LOAD httpfs',
    'INSTALL httpfs',
    'UPDATE EXTENSIONS',
    'SELECT * FROM duckdb_secrets()',
  ])('does not change the engine: %s', async (sql) => {
    expect(['sql_failed', 'sql_rejected']).toContain((await errorOf(write(database, sql))).code);
  });

  it.each([
    "CREATE PERSISTENT SECRET s (TYPE http, bearer_token 'x')",
    "create or replace /* so */ persistent secret s (TYPE http, bearer_token 'x')",
    "CREATE SECRET s IN local_file (TYPE http, bearer_token 'x')",
    "CREATE SECRET IF NOT EXISTS s IN local_file (TYPE http, bearer_token 'x')",
    "CREATE TEMP SECRET IN local_file (TYPE http, bearer_token 'x')",
    "PREPARE p AS CREATE PERSISTENT SECRET s (TYPE http, bearer_token 'x')",
  ])('stores no secret on disk: %s', async (sql) => {
    const error = await errorOf(write(database, sql));
    expect(error).toMatchObject({
      code: 'sql_rejected',
      message: expect.stringContaining('stores a secret on disk'),
    });
    expect(existsSync(join(homedir(), '.duckdb/stored_secrets/s.duckdb_secret'))).toBe(false);
  });

  it('has nowhere to store a secret', async () => {
    const { openInstance } = await loadDriver();
    const instance = await openInstance(':memory:', openOptions({ readonly: false }));
    const connection = await instance.connect();
    const stored = connection.run("CREATE PERSISTENT SECRET s (TYPE http, bearer_token 'x')");
    await expect(stored).rejects.toThrow('Failed to initialize persistent storage directory');
    connection.closeSync();
    instance.closeSync();
  });
});

describe('the statement of a caller there', () => {
  it.each([
    'SELECT count(*) FROM notes',
    "SELECT name, row_number() OVER (ORDER BY id), sum(id) OVER () FROM notes WHERE name LIKE 'n%'",
    'WITH few AS (FROM notes LIMIT 2) SELECT twice(id) FROM few',
    'SELECT * FROM main.notes JOIN side.more ON true',
    'SELECT * FROM data.main.notes',
    'SELECT * FROM range(3), unnest([1, 2])',
    "SELECT get_username(), current_date, date_trunc('month', now()), {'a': [1, 2, 3][1:2]}",
    "SELECT json_extract('{\"a\": 1}', '$.a'), strftime(DATE '2024-01-01', '%Y'), CASE WHEN 1 = 1 THEN 2 END",
    'DESCRIBE notes',
    'SUMMARIZE notes',
    'SHOW TABLES',
    'VALUES (1, 2)',
    'SELECT * FROM far',
    'FROM far_rows()',
  ])('reads what is inside, and what the author has put there: %s', async (sql) => {
    expect((await confined(sql)).rows.length).toBeGreaterThan(0);
  });

  it.each([
    "SELECT * FROM read_csv('{csv}')",
    "SELECT * FROM system.main.read_csv('{csv}')",
    "SELECT * FROM '{csv}'",
    'SELECT * FROM "{csv}"',
    "FROM notes, '{csv}'",
    "SELECT (SELECT count(*) FROM '{csv}')",
    "SELECT * FROM notes WHERE EXISTS (FROM read_text('{csv}'))",
    'WITH "{csv}" AS (SELECT 1) SELECT * FROM "{csv}"',
    "SELECT * FROM (SUMMARIZE '{csv}')",
    "SUMMARIZE '{csv}'",
    "DESCRIBE '{csv}'",
    "SELECT * FROM glob('{csv}')",
    "SELECT * FROM sniff_csv('{csv}')",
    "SELECT * FROM parquet_scan('{csv}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM 'https://example.com/data.csv'",
    "SELECT * FROM 's3://bucket/data.parquet'",
    'SELECT * FROM other.t',
    'SELECT * FROM other.main.t',
    'SELECT other.main.t.a FROM other.main.t',
    "SELECT * FROM query('FROM read_csv(''{csv}'')')",
    "SELECT * FROM query_table('{csv}')",
    "FROM histogram('{csv}', name)",
    "FROM histogram_values('{csv}', name, technique := 'sample')",
    "FROM sql_auto_complete('SELECT * FROM ''{csv}')",
    "SELECT json_serialize_plan('FROM ''{csv}''')",
    "FROM pragma_table_info('{csv}')",
    "FROM pragma_show('{csv}')",
    "FROM pragma_storage_info('{csv}')",
    "FROM duckdb_table_sample('{csv}')",
    "FROM pragma_table_info('other.t')",
    "FROM pragma_show('other.t')",
    "FROM pragma_storage_info('other.t')",
    "FROM duckdb_table_sample('other.t')",
    "SELECT * FROM sqlite_scan('{file}', 'notes')",
    "SELECT * FROM postgres_query('pg', 'SELECT 1')",
    "SELECT http_get('https://example.com')",
    'SELECT 1) UNION ALL SELECT * FROM (FROM other.t',
    'PIVOT notes ON name',
    "ATTACH '{file}' AS again",
    "COPY notes TO '{csv}'",
    'INSTALL httpfs',
    'SELECT 1; SELECT 2',
    '',
  ])('does not reach beyond: %s', async (sql) => {
    const error = await errorOf(confined(sql.replaceAll('{csv}', csv).replaceAll('{file}', path)));
    expect(['sql_rejected', 'sql_failed']).toContain(error.code);
    expect(error.message).not.toMatch(/(?<!of this )one/);
  });

  it('is held to nothing where nothing is open', async () => {
    const closed = await openNative({ path: other, readonly: true });
    const request = {
      sql: 'PIVOT t ON a IN (1)',
      values: [],
      mode: 'read',
      maxRows: 1,
      confined: true,
    } as const;
    expect((await closed.run(request, callOf())).rows).toHaveLength(1);
    await closed.close();
  });
});
