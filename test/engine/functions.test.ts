import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import type { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import type { SqlValue } from '../../src/sql-value.ts';
import { DATES } from './date-functions.ts';
import { callOf, createFixture, type Fixture, read, removeFixture } from './fixture.ts';
import { JSON_CASTS, JSON_READS } from './json-functions.ts';

let fixture: Fixture;
let native: Database;
let wasm: Database;

beforeAll(async () => {
  fixture = await createFixture();
  native = await openNative({ path: fixture.shop, readonly: true });
  wasm = await openWasm({ ...(await compileEngine()), file: pathFile(fixture.shop) });
});

afterAll(async () => {
  await native.close();
  await wasm.close();
  await removeFixture(fixture);
});

/** What an engine says to an expression: its type and value, or the code of the error. */
async function said(
  database: Database,
  expression: string,
  values: readonly SqlValue[] = [],
): Promise<string> {
  return read(database, `SELECT ${expression} AS v`, values).then(
    ({ columns, rows }) => `${columns[0]?.type} ${JSON.stringify(rows.map(({ v }) => v))}`,
    ({ code }: SvcError) => code,
  );
}

describe.each([
  ['dates', DATES, 150],
  ['looking into JSON', JSON_READS, 150],
  ['making JSON and reading it', JSON_CASTS, 200],
])('functions of extensions that the wasm engine has too: %s', (_, expressions, least) => {
  it('are tested enough', () => {
    expect(new Set(expressions).size).toBeGreaterThan(least);
  });

  it.each(expressions.map((expression) => [expression]))('%s', async (expression) => {
    expect(await said(wasm, expression)).toBe(await said(native, expression));
  });
});

const AT = { sqlType: 'TIMESTAMPTZ', text: '2024-02-29T12:00:00Z' } as const;

describe('functions of extensions, of parameters', () => {
  it.each<readonly [string, readonly SqlValue[]]>([
    ["$1 -> 'a'", ['{"a": 1}']],
    [`'{"a": 1}' ->> $1 = $2`, ['a', '1']],
    ["'[1, 2]' -> $1", [1n]],
    [`'{"a": [1, 2]}' -> $1`, ['$.a[*]']],
    [`'{"a": 1}' -> ['a', $1]`, ['b']],
    ['json_extract_string($1, $2)', ['{"a": "x"}', '$.a']],
    ['json_keys($1)', ['{"a": 1}']],
    ['json_type($1, $2)', ['{"a": 1}', 'a']],
    ['json_valid($1)', [null]],
    ['json($1)', ['{"a" : 1}']],
    [`from_json($1, '{"a": "INTEGER"}')`, ['{"a": 1}']],
    [`from_json('{"a": 1}', $1)`, ['{"a": "INTEGER"}']],
    ["json_object('a', $1, 'b', $2)", [1n, 'x']],
    ['json_array($1, $2)', [1n, null]],
    ['to_json($1)', [{ list: [1n, 2n] }]],
    ['to_json($1)', [{ struct: { a: 1n, b: 'x' } }]],
    ["$1::JSON -> 'a'", ['{"a": 1}']],
    ['json_group_array($1)', [1n]],
    ["date_trunc($1, TIMESTAMPTZ '2024-02-29 12:00:00+00')", ['month']],
    ["date_trunc('day', $1)", [AT]],
    ['$1 + INTERVAL 1 DAY', [AT]],
    ['$1 - $2', [AT, { sqlType: 'INTERVAL', text: '1 day' }]],
    ['$1 AT TIME ZONE $2', [AT, 'UTC']],
    ['date_part($1, $2)', ['epoch', AT]],
    ['strftime($1, $2)', [AT, '%Y-%m']],
    ['strptime($1, $2)', ['2024', '%Y']],
  ])('%s', async (expression, values) => {
    expect(await said(wasm, expression, values)).toBe(await said(native, expression, values));
  });
});

const LOCAL = { sqlType: 'TIMESTAMP', text: '2024-02-29T12:00:00' } as const;

describe('functions that only the values of a call need, on a new engine', () => {
  it.each<readonly [string, SqlValue]>([
    ["date_trunc('day', $1)", AT],
    ['year($1)', AT],
    ['$1 + INTERVAL 1 DAY', AT],
    ["$1 AT TIME ZONE 'UTC'", AT],
    ["$1 AT TIME ZONE 'UTC'", LOCAL],
    ["list_transform($1, lambda x : date_trunc('day', x))", { list: [AT] }],
    ["date_trunc('day', $1.at)", { struct: { at: AT } }],
  ])('%s', async (expression, value) => {
    const fresh = await openWasm({ ...(await compileEngine()), file: pathFile(fixture.shop) });
    const expected = await said(native, expression, [value]);
    expect(expected).toMatch(/^[A-Z]/);
    expect(await said(fresh, expression, [value])).toBe(expected);
    await fresh.close();
  });

  it.each(['a kept connection', 'limits on scans'])('with %s', async (way) => {
    const fresh = await openWasm({ ...(await compileEngine()), file: pathFile(fixture.shop) });
    const scan = way === 'limits on scans' ? { scan: { rows: 100 } } : {};
    const sql = "SELECT date_trunc('day', $1) AS day";
    const ask = (value: SqlValue) =>
      fresh.run({ sql, values: [value], mode: 'read', maxRows: 5, ...scan }, callOf());
    const day = { sqlType: 'DATE', text: '2024-02-29' } as const;
    for (const value of scan.scan === undefined ? [day, day] : []) {
      expect((await ask(value)).rows).toEqual([{ day: '2024-02-29T00:00:00' }]);
    }
    expect((await ask(AT)).rows).toEqual([{ day: '2024-02-29T00:00:00Z' }]);
    await fresh.close();
  });
});

/** docs/reference/engines.md, "What else differs". */
describe('answers that differ, as documented', () => {
  const YEAR = "date_part('year', TIMESTAMPTZ '0044-03-15 (BC) 00:00:00+00')";
  const PATHS = `(SELECT list(json_extract('{"a": 1}', [p])) FROM (VALUES ('a')) v(p))`;

  it.each([
    [YEAR, 'BIGINT [44]', 'BIGINT [-43]'],
    [PATHS, 'sql_failed', 'JSON[][] [[[1]]]'],
    [`(SELECT '{"*": 1}' -> p FROM (VALUES ('*')) v(p))`, 'JSON [1]', 'sql_failed'],
    [`'"101"'::JSON::BIT`, 'sql_failed', 'BIT ["101"]'],
    [`'"12"'::JSON::BIGNUM`, 'sql_failed', 'BIGNUM [12]'],
    ["'10:00:00+00'::TIMETZ AT TIME ZONE 'UTC'", 'TIME WITH TIME ZONE ["10:00:00Z"]', 'sql_failed'],
    [
      "make_timestamptz(2024, 1, 1, 0, 0, 0, 'UTC')",
      'TIMESTAMP WITH TIME ZONE ["2024-01-01T00:00:00Z"]',
      'sql_failed',
    ],
    [
      'make_timestamptz(2024, 13, 1, 0, 0, 0)',
      'TIMESTAMP WITH TIME ZONE ["2025-01-01T00:00:00Z"]',
      'sql_failed',
    ],
    [
      "epoch(TIMESTAMPTZ '1969-12-31 23:59:59.999999+00')",
      'DOUBLE [-9.999999999999159e-7]',
      'DOUBLE [-0.000001]',
    ],
    ["strftime(TIMESTAMPTZ '2024-02-29', (SELECT '%Y'))", 'VARCHAR ["2024"]', 'sql_failed'],
  ])('%s', async (expression, ofNative, ofWasm) => {
    expect(await said(wasm, expression)).toBe(ofWasm);
    expect(await said(native, expression)).toBe(ofNative);
  });
});
