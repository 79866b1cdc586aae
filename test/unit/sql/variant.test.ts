import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { isVariantType, usesVariant } from '../../../src/sql/variant.ts';
import { openDuckDb } from './duckdb.ts';

const TYPES = [
  'SELECT [1]::VARIANT',
  'SELECT [1] :: /* x */ "Variant"[]',
  'SELECT 1::SETOF variant',
  'SELECT 1::main.variant',
  'SELECT CAST(1 AS variant)',
  'SELECT CAST([1] AS SETOF "VARIANT"[])',
  'SELECT CAST(1 AS main . variant)',
  "SELECT TRY_CAST('1' AS variant ARRAY)",
  'SELECT CAST((SELECT 1 AS a) AS variant)',
  "SELECT variant '1'",
  "SELECT main.variant E'1'",
  'SELECT NULL::STRUCT(a variant)',
  'SELECT NULL::STRUCT(a INTEGER, "b c" main.variant[])',
  'SELECT NULL::ROW(é SETOF variant)',
  'SELECT NULL::UNION(a INTEGER, _b variant)',
  'SELECT NULL::MAP(variant, INTEGER)',
  'SELECT NULL::MAP(INTEGER, main.variant)',
  'SELECT CAST(NULL AS MAP(INTEGER, STRUCT(a STRUCT(b DECIMAL(4, 1), c variant))))',
];

const NAMES = [
  'SELECT variant FROM t',
  'SELECT t.variant, upper(t.variant), main.t.variant FROM t',
  'SELECT id AS variant, id variant FROM t',
  'SELECT t."VARIANT" FROM t ORDER BY variant, 1',
  "SELECT variant = 'a', 'variant' FROM t",
  'FROM (SELECT id AS variant FROM t)',
  'FROM (SELECT id variant FROM t)',
  'SELECT id AS variant FROM t UNION (SELECT id variant FROM t)',
  'SELECT id AS variant FROM t UNION (FROM (SELECT id variant FROM t))',
  'SELECT id FROM t UNION (WITH a AS (SELECT 1 AS i) SELECT i variant FROM a)',
  'SELECT CAST(variant AS VARCHAR), CAST(t.variant AS VARCHAR) AS variant FROM t',
  'SELECT CAST((SELECT id AS variant) AS INTEGER) FROM t',
  "SELECT {'variant': 1}.variant, {variant: id} FROM t",
  'SELECT NULL::STRUCT(variant INTEGER), NULL::UNION(variant INTEGER)',
  'SELECT variant: id FROM t',
  'SELECT [id][1:variant] FROM (SELECT id, 1 AS variant FROM t)',
  'SELECT map([variant], [id]), row(variant, id) FROM t',
  'SELECT count(*) FROM t variant',
  'FROM t AS variant',
  'WITH variant AS (SELECT 1) FROM variant',
  'SELECT struct_pack(variant := 1)',
];

/* A statement that DuckDB refuses would prove nothing, so `run` must resolve in each test. */
describe('the type VARIANT of a statement', () => {
  let duckdb: DuckDBConnection;
  beforeAll(async () => {
    duckdb = await openDuckDb();
    await duckdb.run("CREATE TABLE t AS SELECT 1 AS id, 'red' AS variant");
  });

  it.each(TYPES)('is found in %s', async (sql) => {
    await expect(duckdb.run(sql)).resolves.toBeDefined();
    expect(usesVariant(sql)).toBe(true);
  });

  it.each(NAMES)('is not a name in %s', async (sql) => {
    await expect(duckdb.run(sql)).resolves.toBeDefined();
    expect(usesVariant(sql)).toBe(false);
  });

  it('is found in doubt', () => {
    expect(usesVariant('SELECT map(variant, x)')).toBe(true);
    expect(usesVariant('SELECT row(NOT variant)')).toBe(true);
  });

  it('is none after brackets that do not match', () => {
    expect(usesVariant('SELECT ) variant')).toBe(false);
    expect(usesVariant('SELECT [variant, {variant')).toBe(false);
  });
});

it('a name of thousands of parts is none', () => {
  expect(usesVariant(`SELECT ${'x.'.repeat(12_000)}variant`)).toBe(false);
  expect(usesVariant(`SELECT 1::${'x.'.repeat(12_000)}variant`)).toBe(true);
});

describe('the name of a type', () => {
  it.each(['VARIANT', 'VARIANT[]', 'VARIANT[3]', 'STRUCT(a INTEGER, b VARIANT)', 'MAP(INTEGER, VARIANT)'])(
    'has a VARIANT: %s',
    (type) => {
      expect(isVariantType(type)).toBe(true);
    },
  );

  it.each(["ENUM('VARIANT')", 'STRUCT("VARIANT" INTEGER, "b VARIANT" DATE)', 'VARIANTS', 'INTEGER'])(
    'has none: %s',
    (type) => {
      expect(isVariantType(type)).toBe(false);
    },
  );
});
