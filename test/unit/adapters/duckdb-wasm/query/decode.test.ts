import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWasm } from '../../../../../scripts/build-wasm.ts';
import type { JsonValue } from '../../../../../src/json.ts';
import type { Database } from '../../../../../src/ports.ts';
import { createDatabase, failureOf, openHere, openShared, read } from '../fixture.ts';

let database: Database;
beforeAll(async () => {
  await buildWasm();
  database = await openShared();
});
afterAll(() => database.close());

describe('a value of a result', () => {
  it.each<[string, JsonValue, string]>([
    ['true', true, 'BOOLEAN'],
    ['(-128)::TINYINT', -128, 'TINYINT'],
    ['32767::SMALLINT', 32767, 'SMALLINT'],
    ['255::UTINYINT', 255, 'UTINYINT'],
    ['65535::USMALLINT', 65535, 'USMALLINT'],
    ['4294967295::UINTEGER', 4294967295, 'UINTEGER'],
    ['9007199254740991', 9007199254740991, 'BIGINT'],
    ['9007199254740993', '9007199254740993', 'BIGINT'],
    ['18446744073709551615::UBIGINT', '18446744073709551615', 'UBIGINT'],
    ['(-5)::HUGEINT', -5, 'HUGEINT'],
    ['sum(170141183460469231731687303715884105727)', '170141183460469231731687303715884105727', 'HUGEINT'],
    [
      '340282366920938463463374607431768211455::UHUGEINT',
      '340282366920938463463374607431768211455',
      'UHUGEINT',
    ],
    ['(-12)::BIGNUM', -12, 'BIGNUM'],
    ['123.45', 123.45, 'DECIMAL(5,2)'],
    ['(-0.05)::DECIMAL(18,2)', -0.05, 'DECIMAL(18,2)'],
    ['1234567890123456.78', '1234567890123456.78', 'DECIMAL(18,2)'],
    ['0.1::FLOAT', 0.1, 'FLOAT'],
    ['0.1::DOUBLE', 0.1, 'DOUBLE'],
    ["'nan'::DOUBLE", null, 'DOUBLE'],
    ["'-inf'::FLOAT", null, 'FLOAT'],
    ["'long enough to lie elsewhere 🦆'", 'long enough to lie elsewhere 🦆', 'VARCHAR'],
    ["'short'", 'short', 'VARCHAR'],
    ["'a' || chr(0) || 'b'", 'a\0b', 'VARCHAR'],
    ["'\\x00\\xFF'::BLOB", 'AP8=', 'BLOB'],
    ["'0010110'::BIT", '0010110', 'BIT'],
    ["'6f4ac6b2-9f2c-4b0e-8a5e-1f2d3c4b5a69'::UUID", '6f4ac6b2-9f2c-4b0e-8a5e-1f2d3c4b5a69', 'UUID'],
    ["DATE '2024-02-29'", '2024-02-29', 'DATE'],
    ["DATE '0044-03-15 (BC)'", '-000043-03-15', 'DATE'],
    ["TIME '10:11:12.123400'", '10:11:12.1234', 'TIME'],
    ["'10:11:12-05:30'::TIMETZ", '10:11:12-05:30', 'TIME WITH TIME ZONE'],
    ["TIMESTAMP '1969-12-31 23:59:59.999999'", '1969-12-31T23:59:59.999999', 'TIMESTAMP'],
    ["'2024-02-29 01:02:03'::TIMESTAMP_S", '2024-02-29T01:02:03', 'TIMESTAMP_S'],
    ["'2024-02-29 01:02:03.5'::TIMESTAMP_MS", '2024-02-29T01:02:03.5', 'TIMESTAMP_MS'],
    ["'2024-02-29 01:02:03.123456789'::TIMESTAMP_NS", '2024-02-29T01:02:03.123456789', 'TIMESTAMP_NS'],
    ["'2024-02-29 01:02:03+02'::TIMESTAMPTZ", '2024-02-28T23:02:03Z', 'TIMESTAMP WITH TIME ZONE'],
    ["TIMESTAMP 'infinity'", 'infinity', 'TIMESTAMP'],
    ["INTERVAL '1 year -2 days 3.5 seconds'", 'P1Y-2DT3.5S', 'INTERVAL'],
    ["'b'::ENUM('a', 'b')", 'b', "ENUM('a', 'b')"],
    ['[1, NULL, 3]', [1, null, 3], 'INTEGER[]'],
    ['[[], [1.5]]', [[], [1.5]], 'DECIMAL(2,1)[][]'],
    ["['x', NULL]::VARCHAR[2]", ['x', null], 'VARCHAR[2]'],
    [
      "{'a': 1, 'b': {'c': [DATE '2024-01-01']}}",
      { a: 1, b: { c: ['2024-01-01'] } },
      'STRUCT(a INTEGER, b STRUCT(c DATE[]))',
    ],
    ["row(1, 'x')", [1, 'x'], 'STRUCT(INTEGER, VARCHAR)'],
    ["MAP {1: 'x', 2: NULL}", { '1': 'x', '2': null }, 'MAP(INTEGER, VARCHAR)'],
    ["MAP {DATE '2024-01-01': [1]}", { '2024-01-01': [1] }, 'MAP(DATE, INTEGER[])'],
    ["union_value(k := 'x')", 'x', 'UNION(k VARCHAR)'],
    ['NULL::STRUCT(a INTEGER)', null, 'STRUCT(a INTEGER)'],
    ['NULL::INTEGER[]', null, 'INTEGER[]'],
  ])('%s is %j', async (sql, form, type) => {
    const { columns, rows } = await read(database, `SELECT ${sql} AS value`);
    expect(rows).toEqual([{ value: form }]);
    expect(columns).toEqual([{ name: 'value', type }]);
  });

  it('is itself in every row of a long result, null or not', async () => {
    const { rows } = await read(
      database,
      `SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'text number ' || i END AS text,
              CASE WHEN i % 5 = 0 THEN NULL ELSE [i, NULL] END AS list,
              CASE WHEN i % 7 = 0 THEN NULL ELSE {'n': i} END AS struct
       FROM range(6000) r(i) ORDER BY i`,
      { maxRows: 6000 },
    );
    const expected = Array.from({ length: 6000 }, (_, i) => ({
      i,
      text: i % 3 === 0 ? null : `text number ${i}`,
      list: i % 5 === 0 ? null : [i, null],
      struct: i % 7 === 0 ? null : { n: i },
    }));
    expect(rows).toEqual(expected);
  });

  it('covers every type that DuckDB has a test value for', async () => {
    const { columns, rows } = await read(database, 'SELECT * EXCLUDE (geometry) FROM test_all_types()');
    expect(rows).toHaveLength(3);
    expect(Object.values(rows[2] ?? {}).every((value) => value === null)).toBe(true);
    const names = columns.map(({ name }) => `typeof("${name}") AS "${name}"`);
    const { rows: types } = await read(database, `SELECT ${names.join(', ')} FROM test_all_types() LIMIT 1`);
    // DuckDB also quotes words of its grammar, such as name.
    const own = Object.entries(types[0] ?? {}).map(([name, type]) => [
      name,
      String(type).replace('"name"', 'name'),
    ]);
    expect(columns.map(({ name, type }) => [name, type])).toEqual(own);
  });

  it('of a type that has no JSON form is a clear failure', async () => {
    const failure = await failureOf(read(database, 'SELECT 1::VARIANT AS value'));
    expect(failure).toMatchObject({ code: 'sql_failed' });
    expect(failure.message).toMatch(/Cast it to VARCHAR/);
  });

  it('of a JSON column is JSON', async () => {
    const path = await createDatabase(`CREATE TABLE docs (doc JSON);
      INSERT INTO docs VALUES ('{"a": [1, 12345678901234567890]}'), (NULL), ('"x"')`);
    const { columns, rows } = await read(await openHere(path), 'FROM docs');
    expect(columns).toEqual([{ name: 'doc', type: 'JSON' }]);
    expect(rows).toEqual([{ doc: { a: [1, '12345678901234567890'] } }, { doc: null }, { doc: 'x' }]);
  });
});

describe('a result', () => {
  it('keeps every column of the same name', async () => {
    const { columns, rows } = await read(database, 'SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS "A"');
    expect(columns.map(({ name }) => name)).toHaveLength(4);
    expect(Object.values(rows[0] ?? {})).toEqual([1, 2, 3, 4]);
  });

  it('without rows still has columns', async () => {
    expect(await read(database, 'SELECT id, email FROM users WHERE false')).toEqual({
      columns: [
        { name: 'id', type: 'INTEGER' },
        { name: 'email', type: 'VARCHAR' },
      ],
      rows: [],
      truncated: false,
    });
  });

  it.each([
    [999, 999, true],
    [1000, 1000, false],
    [1001, 1000, false],
    [0, 0, true],
  ])('of at most %i rows has %i and says whether there are more: %s', async (maxRows, length, truncated) => {
    const result = await read(database, 'SELECT id FROM users', { maxRows });
    expect(result.rows).toHaveLength(length);
    expect(result.truncated).toBe(truncated);
  });

  it.each(["{a: repeat('x', 40_000_000)::BLOB}", "[repeat('1', 60_000_000)::BIT]"])(
    'does not decode a value that is beyond its bytes: %s',
    async (value) => {
      const large = await openHere(await createDatabase(), 512);
      const before = process.threadCpuUsage();
      const result = await read(large, `SELECT ${value} AS v`, { maxBytes: 4_194_304 });
      const { user, system } = process.threadCpuUsage(before);
      expect(result).toMatchObject({ rows: [], truncated: true, beyondBytes: true });
      expect((user + system) / 1e6).toBeLessThan(2.5);
    },
  );

  it('keeps the order that the statement asks for', async () => {
    const { rows } = await read(database, 'SELECT id FROM users ORDER BY id DESC -- newest first', {
      maxRows: 3,
    });
    expect(rows).toEqual([{ id: 999 }, { id: 998 }, { id: 997 }]);
  });
});
