import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { asBareQuery, asQuery, calledFunction, explainDefect } from '../../../src/sql/query.ts';
import { cpuMs } from '../cpu.ts';

describe('asQuery', () => {
  it('makes a statement a derived table, and a trailing comment harmless', () => {
    expect(asQuery('SELECT 1 -- one', 11)).toBe('SELECT * FROM (SELECT 1 -- one\n) LIMIT 11');
  });

  it.each([
    ['SELECT 1;', 'SELECT 1'],
    ["\n-- a; b\nSELECT ';' ; -- the end;\n;", "\n-- a; b\nSELECT ';'"],
    ['SELECT 1; SELECT 2', 'SELECT 1; SELECT 2'],
    ['SELECT 1; SELECT 2;', 'SELECT 1; SELECT 2;'],
    [';', ';'],
  ])('leaves out what ends a statement, and keeps its lines: %j', (sql, kept) => {
    expect(asQuery(sql, 11)).toBe(`SELECT * FROM (${kept}\n) LIMIT 11`);
    expect(asBareQuery(sql, '$1')).toBe(`(${kept}\n) LIMIT $1`);
  });

  it.each([
    'FROM enable_logging()',
    'SELECT * FROM system.main."ENABLE_LOGGING"(storage = \'stdout\')',
    'FROM disable_logging()',
    'FROM truncate_duckdb_logs()',
    'SELECT message FROM duckdb_logs',
    "FROM duckdb_logs_parsed('QueryLog')",
    'FROM duckdb_log_contexts()',
    "SELECT write_log('x')",
    "FROM query('FROM ena' || 'ble_logging()')",
    'FROM items, "query" (\'SELECT 1\')',
    "FROM /**/query\n(getvariable('x'))",
    "FROM query /* ( /* */ */ -- (\n ('SELECT 1')",
    "SELECT '/*' FROM query/**/('SELECT 1')",
    "FROM query_table('items')",
    "SELECT * FROM json_execute_serialized_sql(getvariable('x'))",
  ])('refuses %s', (sql) => {
    expect(() => asQuery(sql, 1)).toThrow(SvcError);
  });

  it.each([
    'SELECT query, count(*) FROM searches GROUP BY query',
    "SELECT query -- ('x')\nFROM searches",
    "SELECT 'query(1)'",
    'WITH query(a) AS (SELECT 1) FROM query',
    'SELECT subquery(1), query_count (2)',
    'SELECT logging FROM duckdb_tables()',
  ])('lets %s through', (sql) => {
    expect(asQuery(sql, 1)).toContain(sql);
  });
});

describe('a query that sends a write to an attached database', () => {
  it.each([
    ["SELECT * FROM postgres_query('pg', 'INSERT INTO t VALUES (1) RETURNING id')", 'INSERT'],
    ["FROM POSTGRES_QUERY('pg', 'insert into t select 1')", 'INSERT'],
    [`SELECT id FROM "mysql_query" ( 'my' , 'UPDATE t SET a = ''x''' )`, 'UPDATE'],
    ["FROM sqlite_query('s', $$DELETE FROM t$$)", 'DELETE'],
    ["FROM sqlite_query('s', $a$-- all\nREPLACE INTO t VALUES (1)$a$)", 'a statement that does not read'],
    ["FROM postgres_query('pg', E'\\nDELETE FROM t')", 'DELETE'],
    ["FROM postgres_query('pg', 'WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x')", 'INSERT'],
    [
      "FROM postgres_query('pg', 'WITH x AS (DELETE FROM t RETURNING id) SELECT * FROM x')",
      'a SELECT that writes',
    ],
    ["FROM postgres_query('pg', 'SELECT 1; DROP TABLE t')", 'DROP'],
    ["FROM postgres_query('pg', 'TRUNCATE t')", 'TRUNCATE'],
    ["FROM postgres_query('pg', 'CALL refresh()')", 'CALL'],
    ["FROM postgres_execute('pg', $1)", 'a statement'],
    ["FROM postgres_query('pg', '')", 'a statement that does not read'],
    ["FROM postgres_query('pg', 'DELETE FROM t WHERE id = ' || $1)", 'DELETE'],
    ["FROM (SELECT 1), postgres_query(lower('PG'), 'DELETE FROM t', use_transaction := true)", 'DELETE'],
    ["SELECT (SELECT count(*) FROM postgres_query('pg', /* all */ 'DELETE FROM t RETURNING 1'))", 'DELETE'],
    ["SELECT [(FROM postgres_query(f({'a': 1}, 2), 'DELETE FROM t' || g(1, 2), 3))]", 'DELETE'],
    ["FROM postgres_query('pg', postgres_query('pg', 'DELETE FROM t'))", 'DELETE'],
    ["FROM postgres_query('pg', 'DELETE FROM t'", 'DELETE'],
  ])('is refused: %s', (sql, verb) => {
    const sent = expect.stringMatching(new RegExp(`sends ${verb} to an attached .*\n.*CALL`));
    expect(() => asQuery(sql, 1)).toThrow(expect.objectContaining({ code: 'sql_rejected', message: sent }));
  });

  it.each([
    "FROM postgres_query('pg', 'SELECT id FROM sales')",
    "FROM postgres_query('pg', '  (SELECT 1) UNION SELECT 2')",
    "FROM postgres_query('pg', 'WITH x AS (SELECT 1) SELECT * FROM x')",
    "FROM postgres_query('pg', 'VALUES (1)')",
    "FROM postgres_query('pg', 'TABLE t')",
    "FROM postgres_query('pg', 'SHOW search_path')",
    "FROM postgres_query('pg', 'EXPLAIN SELECT 1')",
    "FROM mysql_query('my', 'DESCRIBE t')",
    "FROM mysql_query('my', 'SELECT `a` FROM `t` WHERE b = \"INSERT\"')",
    "FROM sqlite_query('s', 'PRAGMA table_info(t)')",
    "FROM postgres_query('pg', 'SEL' || 'ECT 1')",
    "FROM postgres_query('pg', $1)",
    "FROM postgres_query('pg', ('DELETE FROM t'))",
    "FROM postgres_query('pg', 'SELECT 1', 'DELETE FROM t'), f(1, 'DELETE FROM t'), [1, 'DELETE FROM t']",
    "FROM postgres_query('INSERT', getvariable('x'))",
    "SELECT 'postgres_query(1, ''DELETE'')'",
    "SELECT postgres_query, 'DELETE FROM t' FROM t",
  ])('is none: %s', (sql) => {
    expect(asQuery(sql, 1)).toContain(sql);
  });

  it('is found in one pass over the statement', () => {
    const begun = cpuMs();
    asQuery(`SELECT ${'postgres_query('.repeat(20_000)}`, 1);
    // It took ten seconds where each function was a walk to the end of its arguments.
    expect(cpuMs() - begun).toBeLessThan(3_000);
  });
});

describe('a defect of DuckDB', () => {
  it.each([
    'INTERNAL Error: Attempted to access index 1 within vector of size 1',
    'The database engine failed on this statement: unreachable',
  ])('is no reason to try again: %s', (message) => {
    const thrown = new SvcError('database_unavailable', message);
    expect(explainDefect(thrown)).toMatchObject({
      code: 'sql_failed',
      message: expect.stringMatching(
        /^The database engine failed on this statement, .* Write it in another way\.$/,
      ),
      cause: thrown,
    });
  });

  it('is no other error', () => {
    for (const thrown of [
      new SvcError('database_unavailable', 'The database is closed.'),
      new SvcError('sql_failed', 'Conversion Error: INTERNAL Error: x'),
      new SvcError('outcome_unknown', 'INTERNAL Error: x'),
      new Error('INTERNAL Error: x'),
    ])
      expect(explainDefect(thrown)).toBe(thrown);
  });
});

describe('GLOB', () => {
  it.each([
    "SELECT town GLOB ('a*')",
    'SELECT t."town" GLOB (\'a*\')',
    "SELECT 'abc' glob ('a*')",
    "SELECT (a) GLOB ('a*'), [a][1] GLOB ('a*'), {'a': b} GLOB ('a*')",
    "SELECT größe GLOB ('a*'), é GLOB ('a*')",
  ])('compares an operand in %s', (sql) => {
    expect(calledFunction(sql, /^"?glob"?$/i)).toBeUndefined();
  });

  it.each([
    "glob('*')",
    "FROM glob('*')",
    "FROM t, GLOB('*')",
    "FROM t JOIN glob('*')",
    "FROM (glob('*') JOIN t)",
    "FROM files: glob('*')",
    "FROM LATERAL glob('*')",
    'FROM t "glob"(\'*\')',
    "PIVOT glob('*') ON a",
    "PIVOT_WIDER glob('*') ON a",
    "UNPIVOT glob('*') ON a",
    "SUMMARIZE glob('*')",
    "DESCRIBE glob('*')",
  ])('is a function in %s', (sql) => {
    expect(calledFunction(sql, /^"?glob"?$/i)).toMatch(/^"?glob"?$/i);
  });
});
