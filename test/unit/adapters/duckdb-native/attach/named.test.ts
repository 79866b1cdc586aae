import { describe, expect, it } from 'vitest';
import { namesDatabase } from '../../../../../adapters/duckdb-native/attach/named.ts';

describe('a statement names the database log', () => {
  it.each([
    'FROM log.items',
    'FROM LOG.main.items',
    'FROM "Log".items',
    "FROM query_table('log.items')",
    `FROM query_table('"log".items')`,
    'FROM query_table($$log.items$$), query_table($x$items$x$)',
    "FROM query_table(E'log.items')",
    "FROM query('SELECT * FROM query_table(''log.items'')')",
    "CALL ducklake_snapshots('log')",
    'FROM __ducklake_metadata_log.ducklake_table',
    "SELECT 'never closed log.items",
  ])('%s', (sql) => expect(namesDatabase(sql, 'log')).toBe(true));
});

describe('a statement does not name it', () => {
  it.each([
    'SELECT 1 AS login',
    'FROM catalog.items',
    "SELECT 'blog', 'the login'",
    'SELECT 1 -- log\n/* log */',
    'SELECT $log, "the log"',
    "SELECT '', $$$$, ''''",
  ])('%s', (sql) => expect(namesDatabase(sql, 'log')).toBe(false));
});

it('a name with quotes and blanks is found in quotes', () => {
  expect(namesDatabase('FROM "my ""Lake""".items', 'my "lake"')).toBe(true);
});
