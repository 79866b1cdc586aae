import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { asBareQuery, asQuery } from '../../../src/sql/query.ts';

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
