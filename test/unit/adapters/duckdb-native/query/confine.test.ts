import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  confine,
  confineNames,
  confineToTables,
} from '../../../../../adapters/duckdb-native/query/confine.ts';
import { openDuckDb } from '../../../sql/duckdb.ts';

let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await openDuckDb();
});

const check = (sql: string) =>
  confineToTables(duckdb, sql, [{ name: 'sales', rows: null, hide: [], mask: {} }]);

describe("the parser's view of a restricted statement", () => {
  it.each([
    'SELECT s.day.upper(), count(*) OVER (), [x + 1 FOR x IN [1]] FROM main.sales AS s',
    "SELECT amount::DECIMAL(10, 2), NULL::STRUCT(a JSON, b UUID[]), 'a'::ENUM('a', 'b'), DATE '2026-01-01'",
    'WITH a AS (FROM sales) FROM a PIVOT (sum(x) FOR y IN (1, 2))',
    'DESCRIBE sales',
  ])('may have %s', async (sql) => {
    await expect(check(sql)).resolves.toBeUndefined();
  });

  it.each([
    ['FROM shop.main.hidden', 'main.hidden'],
    ['FROM other.hidden', 'other.hidden'],
    ['FROM duckdb_tables', 'duckdb_tables'],
    ['SHOW TABLES', '"tables"'],
    ['SHOW TABLES FROM other', 'other'],
    ['SELECT enum_range(NULL::shop.main.mood)', 'main.mood'],
    ['SELECT enum_range(NULL::other.mood)', 'other.mood'],
    ["SELECT other.mood 'a'", 'other.mood'],
    ["SELECT TRY_CAST('a' AS STRUCT(a INTEGER, b other.mood[]))", 'other.mood'],
    ['SELECT NULL::MAP(INTEGER, other.mood)', 'other.mood'],
    ['SELECT stats(x) FROM sales', 'stats'],
    ['SELECT sum(x) EXPORT_STATE FROM sales', 'EXPORT_STATE'],
  ])('must not have %s', async (sql, named) => {
    await expect(check(sql)).rejects.toMatchObject({
      code: 'sql_rejected',
      message: expect.stringContaining(`uses ${named}`),
    });
  });
});

describe("the parser's view of the type VARIANT", () => {
  beforeAll(async () => {
    await duckdb.run('CREATE TYPE held AS VARIANT; CREATE TYPE pair AS STRUCT(a INTEGER, b VARIANT[])');
  });

  // The check of the text alone does not see the type that a structure names.
  it.each([
    "SELECT from_json('[1]', '\"VARIANT\"')",
    String.raw`SELECT from_json('[1]', '"VAR\u0049ANT"')`,
    String.raw`SELECT from_json('[1]', E'"VAR\x49ANT"')`,
    "SELECT from_json('[1]', '[\"held\"]')",
    'SELECT from_json(\'[1]\', \'{"a":{"b":"STRUCT(c main.pair)"}}\')',
    'SELECT json_transform(x, \'{"variant": "STRUCT(a variant)"}\') FROM sales',
    'SELECT x.json_transform_strict(\'["Variant"]\') FROM sales',
    'SELECT from_json(x, \'["DATE"]\'), from_json(x, \'["VARIANT"]\') FROM sales',
    'SELECT [1]::variant',
    'SELECT "VARIANT" \'1\'',
    'SELECT NULL::MAP(INTEGER, STRUCT(a main.variant[]))',
  ])('refuses it in %s', async (sql) => {
    await expect(confineNames(duckdb, sql)).rejects.toMatchObject({
      code: 'sql_rejected',
      message: expect.stringContaining('It uses the type VARIANT'),
    });
  });

  it.each([
    ["SELECT from_json('[1]', '\"VAR' || 'IANT\"')", 'from_json'],
    ["SELECT json_transform('[1]', concat('[\"INT', 'EGER\"]'))", 'json_transform'],
    [String.raw`SELECT from_json('[1]', '["VARI\ANT"]'::VARCHAR[]::JSON)`, 'from_json'],
    [`SELECT from_json_strict('[1]', CAST('["DATE"]' AS JSON))`, 'from_json_strict'],
    ['SELECT from_json(x, y) FROM sales', 'from_json'],
    ['SELECT from_json(x, CASE WHEN true THEN \'"DATE"\' END) FROM sales', 'from_json'],
    ['SELECT from_json(x, (SELECT \'"DATE"\')) FROM sales', 'from_json'],
    ['SELECT from_json(x, {a: 1}) FROM sales', 'from_json'],
    ['SELECT from_json(x, NULL), from_json(x, 1) FROM sales', 'from_json'],
    ['SELECT from_json(x, NULL::VARCHAR) FROM sales', 'from_json'],
    ['SELECT x.from_json() FROM sales', 'from_json'],
  ])('needs the structure as one text in %s', async (sql, name) => {
    await expect(confineNames(duckdb, sql)).rejects.toMatchObject({
      code: 'sql_rejected',
      message: expect.stringContaining(`Write the structure of ${name} as one text`),
    });
  });

  it.each([
    'SELECT from_json(concat(x), \'{"variant": "INTEGER", "a": ["VARCHAR"]}\') FROM sales',
    'SELECT from_json(x, \'{"product_variant": "VARCHAR", "VARIANT": "STRUCT(variant DATE)"}\') FROM sales',
    "SELECT from_json(x, '{\"a\": \"ENUM(''VARIANT'')\",}') FROM sales",
    'SELECT variant, s.variant AS "VARIANT", NULL::STRUCT(variant INTEGER) FROM sales AS s',
    'FROM variant',
    'SELECT from_json(x, NULL) FROM sales',
  ])('takes no name for it in %s', async (sql) => {
    await expect(confineNames(duckdb, sql)).resolves.toBeUndefined();
  });

  it('leaves the reason to DuckDB if a structure is wrong', async () => {
    await expect(confineNames(duckdb, 'SELECT from_json(x, \'{"a": 1}\') FROM sales')).rejects.toThrow(
      'invalid JSON structure',
    );
  });
});

describe("the parser's view beside hidden databases", () => {
  const beside = (sql: string) =>
    confine(duckdb, sql, { builtIns: new Set(['count']), attached: { open: [], hidden: ['lake'] } });

  it.each([
    'SELECT pg_typeof(1), "pg_size_pretty"(1024), date(\'2026-01-01\')',
    'SELECT count(*) FROM sales',
  ])('may have %s', async (sql) => {
    await expect(beside(sql)).resolves.toBeUndefined();
  });

  it.each(['pg_get_viewdef', 'pg_typeof_all'])('must not have %s', async (name) => {
    await expect(beside(`SELECT ${name}(1)`)).rejects.toMatchObject({ code: 'sql_rejected' });
  });

  it.each(['"lake.main.mood"', '"no_such_type"'])(
    'tells of no type in a structure: %s',
    async (structure) => {
      await expect(beside(`SELECT from_json(x, '${structure}') FROM sales`)).rejects.toMatchObject({
        code: 'sql_rejected',
        message: expect.stringContaining('The statement uses from_json'),
      });
    },
  );

  it('explains a PIVOT without values', async () => {
    const refused = {
      code: 'sql_rejected',
      message: expect.stringContaining('A PIVOT must name its values'),
    };
    const sql = 'PIVOT sales ON town USING count(*)';
    await expect(beside(sql)).rejects.toMatchObject(refused);
    await expect(check(sql)).rejects.toMatchObject(refused);
    await expect(confineNames(duckdb, sql)).resolves.toBeUndefined();
  });
});
