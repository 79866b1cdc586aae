import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import {
  findVariantNames,
  findVisibleVariantNames,
  refuseVariantNames,
  refuseVisibleVariants,
} from '../../../src/sql/variant-names.ts';
import { openDuckDb } from './duckdb.ts';

const refused = (token: string) =>
  expect.objectContaining({
    code: 'sql_rejected',
    message: expect.stringContaining(`It names ${token}, which`),
  });

describe('the names of things with a VARIANT', () => {
  const names = { things: new Set(['events', "it's", 'a"b', '1']), macros: new Set(['make', '2']) };

  it.each([
    ['FROM events', 'events'],
    ['FROM main."EVENTS"', '"EVENTS"'],
    ["FROM 'events'", "'events'"],
    ["FROM e'events'", "e'events'"],
    ["FROM 'it''s'", "'it''s'"],
    ['FROM "a""b"', '"a""b"'],
    ['FROM "1"', '"1"'],
    [String.raw`FROM E'\x65vents'`, String.raw`E'\x65vents'`],
    ['SELECT MAKE(1)', 'MAKE'],
    ['SELECT x.make()', 'make'],
    ['SELECT main."Make" /* x */ (1)', '"Make"'],
    ['SELECT "2"(1)', '"2"'],
    ['FROM make(1)', 'make'],
  ])('are refused in %s', (sql, token) => {
    expect(() => refuseVariantNames(sql, names)).toThrow(refused(token));
    expect(() => refuseVariantNames(sql, { things: new Set(), macros: new Set() })).not.toThrow();
  });

  it.each([
    "SELECT 'my events', \"a\", E'a', 1, events_2 FROM t",
    "SELECT 'a\\b'",
    'SELECT x AS make, make, t.make FROM t AS "make" ORDER BY make, (x)',
    "SELECT 'make' || ('a'), 2 + (1)",
  ])('are not in %s', (sql) => {
    expect(() => refuseVariantNames(sql, names)).not.toThrow();
  });

  it('are no texts with escapes if they are those of macros', () => {
    const macros = { things: new Set<string>(), macros: new Set(['make']) };
    expect(() => refuseVariantNames(String.raw`SELECT E'a\nb'`, macros)).not.toThrow();
  });
});

describe('the search for them', () => {
  let duckdb: DuckDBConnection;
  let asked: string[];
  beforeEach(async () => {
    duckdb = await openDuckDb();
    asked = [];
  });

  const ask = async (sql: string) => {
    asked.push(sql);
    try {
      return (await duckdb.runAndReadAll(sql)).getRowObjectsJson();
    } catch (cause) {
      throw new SvcError('sql_failed', String(cause), { cause });
    }
  };
  const found = async (...definitions: readonly string[]) => {
    for (const sql of definitions) await duckdb.run(sql);
    const { things, macros } = await findVariantNames(ask);
    const own = [...things].filter((name) => !name.startsWith('main.'));
    return [...own, ...[...macros].map((name) => `${name}()`)].toSorted();
  };

  it('finds tables, views, types and macros', async () => {
    expect(
      await found(
        'CREATE SCHEMA s',
        'CREATE TABLE s.one (a VARIANT[])',
        'CREATE VIEW "Two" AS SELECT MAP {1: NULL::VARIANT} AS a',
        `CREATE TABLE none (a ENUM('VARIANT'), "VARIANT" VARCHAR, c STRUCT("b VARIANT" INTEGER, d INTEGER[]))`,
        'CREATE MACRO make(x) AS x::VARIANT',
        'CREATE TYPE var AS VARIANT',
      ),
    ).toEqual(['make()', 'one', 's.one', 'two', 'var']);
  });

  it('asks one query if there is none', async () => {
    expect(
      await found(
        'CREATE TABLE product_variants AS SELECT 1 AS id, 10 AS price, 2 AS variant',
        'CREATE VIEW variants AS SELECT price AS variant FROM product_variants',
        'CREATE MACRO total(x) AS (SELECT sum(price) FROM product_variants WHERE variant = x)',
        'CREATE MACRO variant_price(x) AS total(x)',
        `CREATE MACRO parse(j) AS from_json(j, '{"variant":"VARCHAR","s":["STRUCT(variant INTEGER)"]}')`,
      ),
    ).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('finds macros that call a macro, at any depth and in every form', async () => {
    expect(
      await found(
        'CREATE MACRO make(x) AS x, (x, y) AS x::VARIANT',
        'CREATE MACRO wrap(x) AS make(x)',
        'CREATE MACRO "Around it"(x) AS [wrap(x)]',
        'CREATE MACRO dots(x) AS x."around it"()',
        'CREATE MACRO each(x) AS list_transform(x, lambda e: main.dots(e))',
        'CREATE MACRO rows(x) AS TABLE SELECT each(x) AS v',
        'CREATE MACRO more() AS TABLE FROM rows([1])',
        'CREATE MACRO other(make) AS make + 1',
      ),
    ).toEqual(['around it()', 'dots()', 'each()', 'make()', 'more()', 'rows()', 'wrap()']);
  });

  it('finds macros that name a type, a view or a function of DuckDB with a VARIANT', async () => {
    expect(
      await found(
        'CREATE TYPE var AS VARIANT',
        'CREATE VIEW v AS SELECT NULL::VARIANT AS x',
        'CREATE MACRO by_type(x) AS x::main.var[]',
        'CREATE MACRO by_view(y) AS (SELECT first(z) FROM (SELECT x AS z FROM v WHERE false UNION ALL SELECT y))',
        'CREATE MACRO by_table(y) AS TABLE (SELECT x AS z FROM v UNION ALL SELECT y)',
        'CREATE MACRO normal(x) AS variant_normalize(x)',
      ),
    ).toEqual(['by_table()', 'by_type()', 'by_view()', 'normal()', 'v', 'var']);
  });

  it('finds types that contain one', async () => {
    expect(
      await found(
        'CREATE TYPE pair AS STRUCT(a VARIANT)',
        'CREATE TYPE pairs AS pair[]',
        'CREATE TYPE "a""b" AS MAP(INTEGER, VARIANT)',
        'CREATE TYPE plain AS STRUCT(variant INTEGER)',
        'CREATE MACRO cast_to(x) AS x::pairs',
      ),
    ).toEqual(['a"b', 'cast_to()', 'pair', 'pairs']);
  });

  it('finds macros with a parameter of the type', async () => {
    expect(
      await found('CREATE MACRO typed(a, x VARIANT) AS x', 'CREATE MACRO whole(x INTEGER) AS x'),
    ).toEqual(['typed()']);
  });

  it.each([
    'from_json(x, s)',
    'x.json_transform(s)',
    'JSON_TRANSFORM_STRICT(x, s::JSON)',
    `from_json_strict(x, '["VARIANT"]')`,
    `from_json(x, '{"a":["STRUCT(b var)"]}')`,
    String.raw`from_json(x, '"\u0056ARIANT"')`,
    `from_json(x, '{"a":"INTEGER",}')`,
  ])('finds macros that may take the type from a text: %s', async (body) => {
    expect(await found('CREATE TYPE var AS VARIANT', `CREATE MACRO parse(x, s) AS ${body}`)).toEqual([
      'parse()',
      'var',
    ]);
  });

  it('finds no views that use one and have none', async () => {
    expect(
      await found(
        'CREATE VIEW v AS SELECT NULL::VARIANT AS x',
        'CREATE VIEW texts AS SELECT x::JSON AS x FROM v',
        'CREATE MACRO text() AS (SELECT x FROM texts)',
      ),
    ).toEqual(['v']);
  });

  it('finds views whose columns have become one', async () => {
    expect(
      await found(
        'CREATE MACRO later(x) AS x',
        'CREATE VIEW a AS SELECT later([1, NULL]) AS x',
        'CREATE VIEW b AS FROM a',
        'CREATE MACRO c() AS (SELECT x FROM b)',
        'CREATE OR REPLACE MACRO later(x) AS x::VARIANT',
      ),
    ).toEqual(['a', 'b', 'c()', 'later()']);
  });

  it('takes a view that DuckDB cannot plan for one of them', async () => {
    expect(
      await found(
        'CREATE VIEW v AS SELECT NULL::VARIANT AS x',
        'CREATE TABLE gone AS SELECT 1 AS id',
        'CREATE VIEW broken AS SELECT id, x::JSON AS x FROM v, gone',
        'DROP TABLE gone',
      ),
    ).toEqual(['broken', 'v']);
  });

  it('fails with the engine', async () => {
    await duckdb.run(
      'CREATE VIEW v AS SELECT NULL::VARIANT AS x; CREATE VIEW w AS SELECT x::JSON AS x FROM v',
    );
    const failed = new SvcError('cancelled', 'The call was cancelled.');
    const search = findVariantNames((sql) => (/DESCRIBE/.test(sql) ? Promise.reject(failed) : ask(sql)));
    await expect(search).rejects.toBe(failed);
  });

  it('finds only temporary tables for a restricted caller', async () => {
    await duckdb.run(
      `CREATE TABLE t AS SELECT 1::VARIANT AS x; CREATE TABLE "a.b" AS SELECT 1::VARIANT AS x; CREATE MACRO m() AS 1::VARIANT;
      CREATE TEMP TABLE t AS SELECT 1 AS x; CREATE TEMP TABLE "a.b" AS SELECT x FROM memory.main."a.b";
      CREATE TEMP VIEW "W ""w""" AS SELECT [x] AS xs FROM memory.main.t`,
    );
    const found = await findVisibleVariantNames(['T', 'a.b', 'w "W"'], ask);
    expect(found).toEqual({ things: new Set(['a.b', 'w "w"']), macros: new Set() });
    const preparations = [{ table: 'a.b' }, { table: 'a.b' }, { table: null }];
    await expect(refuseVisibleVariants('FROM "A.b"', preparations, ask)).rejects.toThrow('"A.b"');
    await expect(refuseVisibleVariants('FROM w', preparations, ask)).resolves.toBeUndefined();
  });
});
