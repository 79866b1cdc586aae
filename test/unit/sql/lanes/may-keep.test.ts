import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openNative } from '../../../../adapters/duckdb-native/open.ts';
import type { Database, SqlRequest } from '../../../../src/ports.ts';
import { mayKeep, toKept } from '../../../../src/sql/lanes/may-keep.ts';

const requestOf = (sql: string, changes: Partial<SqlRequest> = {}): SqlRequest => ({
  sql,
  values: [],
  mode: 'read',
  maxRows: 10,
  ...changes,
});

describe('mayKeep', () => {
  it.each([
    'SELECT 1',
    'select name from items where id = $1 -- setting',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'FROM items',
    'VALUES (1)',
    'SELECT now(), localtimestamp, random()',
  ])('keeps %s', (sql) => {
    expect(mayKeep(requestOf(sql))).toBe(true);
  });

  it.each([
    'SELECT setseed(0.5)',
    'SELECT "SetSeed"(0.5)',
    "SELECT nextval('numbers')",
    "SELECT currval('numbers')",
    "SELECT getvariable('x')",
    'SELECT current_query()',
    'SELECT * FROM duckdb_settings()',
    'SELECT * FROM pragma_version()',
    'SELECT get_username()',
    "SELECT get_request_header('x')",
    'SUMMARIZE items',
    'DESCRIBE SELECT 1',
    'SHOW TABLES',
    'INSERT INTO items VALUES (1)',
    'WITH a AS (INSERT INTO items VALUES (1)) SELECT 1',
    'SELECT 1; SET x = 1',
    "SELECT 'never closed",
    '',
  ])('does not keep %s', (sql) => {
    expect(mayKeep(requestOf(sql))).toBe(false);
  });

  it('does not keep a very long statement', () => {
    expect(mayKeep(requestOf(`SELECT ${'1 + '.repeat(10_000)}1`))).toBe(false);
  });

  it('remembers no text that a caller wrote, and no long one', () => {
    const set = vi.spyOn(Map.prototype, 'set');
    onTestFinished(() => set.mockRestore());
    const sql = 'SELECT get_username() AS "planted"';
    expect(toKept(requestOf(sql, { confined: true }), null)).toBeNull();
    expect(toKept(requestOf(`${sql} -- ${'x'.repeat(20_000)}`), null)).toBeNull();
    expect(set.mock.calls.filter((call) => String(call[0]).includes('planted'))).toEqual([]);
  });

  it.each<[string, Partial<SqlRequest>]>([
    ['that may write', { mode: 'write' }],
    ['that its caller wrote', { confined: true }],
    ['over restricted tables', { restricted: [] }],
    ['without attached databases', { unattached: true }],
    ['whose scans are limited', { scan: { rows: 5 } }],
    ['with more rows than an INTEGER', { maxRows: 2 ** 31 - 1 }],
  ])('does not keep a statement %s', (_, changes) => {
    expect(mayKeep(requestOf('SELECT 1', changes))).toBe(false);
  });
});

/** They answer anew for each call, and leave nothing behind. */
const HARMLESS = ['error', 'gen_random_uuid', 'random', 'uuid', 'uuidv4', 'uuidv7', 'write_log'];

describe('the functions of DuckDB', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openNative({ path: ':memory:', readonly: false });
  });
  afterAll(() => database.close());

  it('keep nothing in a connection unless mayKeep knows them', async () => {
    const { rows } = await database.run(
      requestOf(
        "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE stability = 'VOLATILE' ORDER BY name",
        { maxRows: 1_000 },
      ),
      { caller: null, signal: new AbortController().signal, timeoutMs: 30_000 },
    );
    const kept = rows
      .map(({ name }) => String(name))
      .filter((name) => mayKeep(requestOf(`SELECT ${name}()`)));
    expect(kept).toEqual(HARMLESS);
  });
});
