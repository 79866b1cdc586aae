import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import { toSqlValue } from '../../../src/sql/bind.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { createValidator } from '../../../src/types/validate.ts';
import { openDuckDb } from './duckdb.ts';

let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await openDuckDb();
  await duckdb.run("SET TimeZone = 'UTC'");
});

it.each<[TypeNode, JsonValue, SqlValue]>([
  [{ type: 'integer' }, 5, 5n],
  [{ type: 'integer' }, '9007199254740993', 9007199254740993n],
  [{ type: 'number' }, 5, 5],
  [{ type: 'number' }, 2.5, 2.5],
  [{ type: 'boolean' }, false, false],
  [{ type: 'string' }, '2024-01-01', '2024-01-01'],
  [{ type: 'string' }, '', ''],
  [{ type: 'string', format: 'email' }, 'a@b.ch', 'a@b.ch'],
  [{ type: 'string', format: 'date' }, '2024-01-01', { sqlType: 'DATE', text: '2024-01-01' }],
  [{ type: 'string', format: 'time' }, '10:00:00+00:00', { sqlType: 'TIME', text: '10:00:00' }],
  [
    { type: 'string', format: 'date-time' },
    '2024-01-01t10:00:00',
    { sqlType: 'TIMESTAMP', text: '2024-01-01T10:00:00' },
  ],
  [
    { type: 'string', format: 'date-time' },
    '2024-01-01t10:00:00z',
    { sqlType: 'TIMESTAMPTZ', text: '2024-01-01T10:00:00Z' },
  ],
  [
    { type: 'string', format: 'duration' },
    'P1Y2M3DT4H5M6.5S',
    { sqlType: 'INTERVAL', text: '1 years 2 months 3 days 4 hours 5 minutes 6.5 seconds' },
  ],
  [{ type: 'string', format: 'duration' }, '-P2W', { sqlType: 'INTERVAL', text: '-2 weeks' }],
  [{ type: 'string', format: 'duration' }, '-P1DT-2H', { sqlType: 'INTERVAL', text: '-1 days 2 hours' }],
  [
    { type: 'string', format: 'timestamp' },
    '1700000000.5',
    { sqlType: 'TIMESTAMPTZ', text: '2023-11-14T22:13:20.500000Z' },
  ],
  [
    { type: 'string', format: 'timestamp' },
    '-0.25',
    { sqlType: 'TIMESTAMPTZ', text: '1969-12-31T23:59:59.750000Z' },
  ],
  [{ type: 'array', items: { type: 'integer' } }, [1, '9007199254740993'], { list: [1n, 9007199254740993n] }],
  [{ type: 'array', items: { type: 'number' } }, [1, 2.5], { list: [1, 2.5] }],
  [{ type: 'array', items: { type: 'string', nullable: true } }, ['a', null], { list: ['a', null] }],
  [{ type: 'array', items: { type: 'object' } }, [{ a: 1 }], { list: ['{"a":1}'] }],
  [{ type: 'array' }, [], { list: [] }],
  [{ type: 'array' }, [1, 2, null], { list: [1n, 2n, null] }],
  [{ type: 'array' }, [1, 2.5], { list: [1, 2.5] }],
  [{ type: 'array' }, [true, null], { list: [true, null] }],
  [
    { type: 'array' },
    ['a', 1, true, [1], { b: 2 }, null],
    { list: ['a', '1', 'true', '[1]', '{"b":2}', null] },
  ],
  [{ type: 'object' }, { a: [1] }, '{"a":[1]}'],
  [{ type: 'object', properties: {} }, {}, '{}'],
  [
    { type: 'object', properties: { b: { type: 'integer' }, a: { type: 'string', format: 'date' } } },
    { extra: 1, a: '2024-01-01' },
    { struct: { b: null, a: { sqlType: 'DATE', text: '2024-01-01' }, extra: 1n } },
  ],
  [
    { type: 'object', properties: { toString: { type: 'string' } } as never },
    {},
    { struct: { toString: null } },
  ],
  [{ type: 'string', format: 'date', nullable: true }, null, { sqlType: 'DATE', text: null }],
  [{ type: 'string', format: 'date-time', nullable: true }, null, { sqlType: 'TIMESTAMP', text: null }],
  [{ type: 'string', format: 'email', nullable: true }, null, null],
  [
    { type: 'array', items: { type: 'string', format: 'time' } },
    [],
    { list: [], items: { sqlType: 'TIME', text: null } },
  ],
  [
    { type: 'array', items: { type: 'array', items: { type: 'string', format: 'date-time' } } },
    [[], [null, '2024-01-01T10:00:00Z']],
    { list: [{ list: [] }, { list: [null, { sqlType: 'TIMESTAMPTZ', text: '2024-01-01T10:00:00Z' }] }] },
  ],
])('%j: %j', (node, value, expected) => {
  expect(toSqlValue(node, value)).toEqual(expected);
});

it.each(['10:00:00+02:00', '10:00:00-08:00'])(
  'a time with an offset is refused, because TIME has none: %s',
  (text) => {
    expect(() => toSqlValue({ type: 'string', format: 'time' }, text)).toThrow(
      expect.objectContaining({ code: 'arguments_invalid', message: expect.stringContaining('in UTC') }),
    );
  },
);

describe('objects that no struct can hold', () => {
  const node: TypeNode = { type: 'object', properties: { a: { type: 'integer' } } };
  const inner: TypeNode = { type: 'object', properties: { part: node } };
  /** An object with properties, and many without. */
  const sparse = (first: JsonObject, others: number) => [
    first,
    ...Array.from({ length: others }, () => ({})),
  ];
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, index]));

  it.each<[string, TypeNode, JsonValue, string]>([
    ['a name that differs in case', node, { a: 1, A: 2 }, 'a and A differ in upper and lower case only'],
    ['two such names', node, { b: 1, B: 2 }, 'b and B differ'],
    ['such names in two items', { type: 'array', items: node }, [{ b: 1 }, { B: 2 }], 'b and B differ'],
    ['an empty name', node, { '': 1 }, 'needs a name'],
    ['a name with a NUL', node, { 'a\0': 1 }, 'needs a name'],
    ['more than 100', node, many, 'more than 100 properties'],
    [
      'properties that every item would have',
      { type: 'array', items: node },
      sparse(Object.fromEntries(Object.entries(many).slice(0, 99)), 1000),
      'A list of 1001 objects with 100 properties has more than 100000 values',
    ],
    [
      'the same inside of other objects',
      { type: 'array', items: inner },
      sparse({ b: 1 }, 33_333).map((part) => ({ part: { ...part, c: null } })),
      'A list of 33334 objects with 3 properties',
    ],
  ])('are refused: %s', (_, type, value, message) => {
    expect(() => toSqlValue(type, value)).toThrow(
      expect.objectContaining({ code: 'arguments_invalid', message: expect.stringContaining(message) }),
    );
  });
});

it('a list of objects that lack most properties binds up to 100,000 values', () => {
  const type: TypeNode = { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } };
  const bound = toSqlValue(type, [{ b: 1 }, ...Array.from({ length: 49_999 }, () => null)]);
  expect(bound).toMatchObject({ list: expect.arrayContaining([{ struct: { a: null, b: 1n } }, null]) });
  expect(toSqlValue(type, [{ b: 1 }, ...Array.from({ length: 49_999 }, () => ({}))])).toMatchObject({
    list: expect.objectContaining({ length: 50_000 }),
  });
});

describe('what a client may send, DuckDB reads', () => {
  it.each<[TypeNode['format'], string, string]>([
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '0001-01-01', '0001-01-01'],
    ['time', '23:59:59.123456789Z', '23:59:59.123456'],
    ['time', '10:00:00-00:00', '10:00:00'],
    ['date-time', '2024-02-29t10:00:00.5', '2024-02-29 10:00:00.5'],
    ['date-time', '2024-02-29 10:00:00z', '2024-02-29 10:00:00+00'],
    ['date-time', '2024-02-29T10:00:00.123456789+05:30', '2024-02-29 04:30:00.123456+00'],
    ['date-time', '9999-12-31T23:59:59-15:59', '10000-01-01 15:58:59+00'],
    ['duration', 'P2W', '14 days'],
    ['duration', 'P1Y2M3DT4H5M6.5S', '1 year 2 months 3 days 04:05:06.5'],
    ['duration', 'P99999999Y99999999M', '108333332 years 3 months'],
    ['duration', 'PT999999999H999999999M999999999.999999S', '1016944443:25:39.999999'],
    ['duration', '-P1DT2H', '-1 day -02:00:00'],
    ['timestamp', '0', '1970-01-01 00:00:00+00'],
    ['timestamp', '-62135596800', '0001-01-01 00:00:00+00'],
    ['timestamp', '253402300799', '9999-12-31 23:59:59+00'],
    ['timestamp', '1.7e9', '2023-11-14 22:13:20+00'],
    ['timestamp', '9000000000.123456', '2255-03-14 16:00:00.123456+00'],
    ['timestamp', '253402300799.999999', '9999-12-31 23:59:59.999999+00'],
    ['timestamp', '-0.000001', '1969-12-31 23:59:59.999999+00'],
    ['timestamp', '1.9999996', '1970-01-01 00:00:01.999999+00'],
    ['timestamp', '253402300799.9999999', '9999-12-31 23:59:59.999999+00'],
  ])('%s %s', async (format, text, expected) => {
    const node: TypeNode = { type: 'string', ...(format ? { format } : {}) };
    expect(createValidator(node, 'input')(text).ok).toBe(true);
    const value = toSqlValue(node, text);
    if (value === null || typeof value !== 'object' || !('sqlType' in value))
      throw new Error('not a typed text');
    const result = await duckdb.runAndReadAll(`SELECT $1::${value.sqlType}::VARCHAR`, [value.text]);
    expect(result.getRowsJson()).toEqual([[expected]]);
  });
});
