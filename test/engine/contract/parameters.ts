import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import { toSqlValue } from '../../../src/sql/bind.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { createValidator } from '../../../src/types/validate.ts';
import { answerOf, errorOf, read } from '../fixture.ts';
import type { Subject } from './subject.ts';

const VALUES: readonly (readonly [string, SqlValue, string])[] = [
  ['an integer', 7n, 'INTEGER'],
  ['a large integer', 2n ** 40n, 'BIGINT'],
  ['a huge integer', -(2n ** 100n), 'HUGEINT'],
  ['a number', 7, 'DOUBLE'],
  ['text', "it's", 'VARCHAR'],
  ['a boolean', true, 'BOOLEAN'],
  ['null', null, '"NULL"'],
  ['a date', { sqlType: 'DATE', text: '2024-02-29' }, 'DATE'],
  ['a time', { sqlType: 'TIME', text: '12:34:56' }, 'TIME'],
  ['a timestamp', { sqlType: 'TIMESTAMP', text: '2024-02-29T12:34:56' }, 'TIMESTAMP'],
  ['an instant', { sqlType: 'TIMESTAMPTZ', text: '2024-02-29T12:34:56Z' }, 'TIMESTAMP WITH TIME ZONE'],
  ['an interval', { sqlType: 'INTERVAL', text: '1 day 2 hours' }, 'INTERVAL'],
  ['no date', { sqlType: 'DATE', text: null }, 'DATE'],
  ['no time', { sqlType: 'TIME', text: null }, 'TIME'],
  ['no timestamp', { sqlType: 'TIMESTAMP', text: null }, 'TIMESTAMP'],
  ['no instant', { sqlType: 'TIMESTAMPTZ', text: null }, 'TIMESTAMP WITH TIME ZONE'],
  ['no interval', { sqlType: 'INTERVAL', text: null }, 'INTERVAL'],
  [
    'a struct without a date',
    { struct: { a: { sqlType: 'DATE', text: null }, b: null } },
    'STRUCT(a DATE, b "NULL")',
  ],
  ['a list without dates', { list: [], items: { sqlType: 'DATE', text: null } }, 'DATE[]'],
  ['a list of integers', { list: [1n, null, 3n] }, 'INTEGER[]'],
  ['a list of integers, one large', { list: [1n, 2n ** 40n] }, 'BIGINT[]'],
  ['a list of numbers', { list: [1n, 2.5] }, 'DOUBLE[]'],
  ['a list of text', { list: ['a', 'b'] }, 'VARCHAR[]'],
  ['a list of lists', { list: [{ list: [1n] }, { list: [] }] }, 'INTEGER[][]'],
  ['a list of dates', { list: [{ sqlType: 'DATE', text: '2024-02-29' }] }, 'DATE[]'],
  ['a struct', { struct: { a: 1n, b: { list: ['x'] } } }, 'STRUCT(a INTEGER, b VARCHAR[])'],
  ['a list of structs', { list: [{ struct: { a: 1n } }, { struct: { a: null } }] }, 'STRUCT(a INTEGER)[]'],
];

const POINT: TypeNode = {
  type: 'object',
  properties: { a: { type: 'integer' }, unit: { type: 'string', default: 'm' } },
};

const DATE: TypeNode = { type: 'string', format: 'date' };

/** A type, an expression over a parameter of the type that was left out, and its value. */
const LEFT_OUT: readonly (readonly [TypeNode, string, JsonValue])[] = [
  [DATE, "$1 IS NULL OR date_trunc('month', $1) = DATE '2024-01-01'", true],
  [DATE, "coalesce($1, DATE '2024-01-01')", '2024-01-01'],
  [DATE, '$1 + INTERVAL 1 DAY', null],
  [DATE, 'year($1)', null],
  [DATE, "strftime($1, '%Y')", null],
  [{ type: 'string', format: 'time' }, 'hour($1)', null],
  [{ type: 'string', format: 'date-time' }, 'epoch($1)', null],
  [{ type: 'string', format: 'date-time' }, "TIMESTAMP '2024-01-01 00:00:00' > $1", null],
  [
    { type: 'string', format: 'date-time' },
    "coalesce($1, TIMESTAMPTZ '2024-01-01 00:00:00Z')",
    '2024-01-01T00:00:00Z',
  ],
  [{ type: 'string', format: 'timestamp' }, "date_trunc('day', $1)", null],
  [{ type: 'string', format: 'duration' }, "DATE '2024-01-01' + $1", null],
  [{ type: 'object', properties: { day: DATE } }, 'year($1.day)', null],
  [{ type: 'array', items: DATE }, 'list_transform($1, lambda day : year(day))', []],
];

/** A type, a value that a client sends, and the JSON that the statement reads. */
const UNDECLARED: readonly (readonly [string, TypeNode, JsonValue, JsonValue])[] = [
  [
    'scalars',
    POINT,
    { a: 1, z: 5, s: 'x', t: true, f: 0.5 },
    { a: 1, unit: 'm', z: 5, s: 'x', t: true, f: 0.5 },
  ],
  ['null', POINT, { a: 1, z: null }, { a: 1, unit: 'm', z: null }],
  [
    'lists',
    POINT,
    { a: 1, z: ['x', 'y'], n: [1, null], e: [] },
    { a: 1, unit: 'm', z: ['x', 'y'], n: [1, null], e: [] },
  ],
  ['objects, as JSON text', POINT, { a: 1, z: { b: [1] } }, { a: 1, unit: 'm', z: '{"b":[1]}' }],
  ['numbers as names', POINT, { a: 1, 7: 'seven' }, { a: 1, unit: 'm', 7: 'seven' }],
  ['names that SQL must quote', POINT, { a: 1, 'a "b" \'c\' ü': 1 }, { a: 1, unit: 'm', 'a "b" \'c\' ü': 1 }],
  [
    'properties of some items of a list',
    { type: 'array', items: POINT },
    [
      { a: 1, z: 5 },
      { a: 2, unit: 'km' },
      { a: 3, y: 'x' },
    ],
    [
      { a: 1, unit: 'm', z: 5, y: null },
      { a: 2, unit: 'km', z: null, y: null },
      { a: 3, unit: 'm', z: null, y: 'x' },
    ],
  ],
  [
    'properties of several types in a list, as JSON text',
    { type: 'array', items: POINT },
    [
      { a: 1, z: 0.0000001 },
      { a: 2, z: 'x' },
      { a: 3, z: true },
    ],
    [
      { a: 1, unit: 'm', z: '1e-7' },
      { a: 2, unit: 'm', z: 'x' },
      { a: 3, unit: 'm', z: 'true' },
    ],
  ],
  [
    'properties of nested objects',
    { type: 'object', properties: { at: POINT }, additionalProperties: true },
    { at: { a: 1, z: 5 }, q: 2 },
    { at: { a: 1, unit: 'm', z: 5 }, q: 2 },
  ],
];

const LOCAL: SqlValue = { sqlType: 'TIMESTAMP', text: '2024-02-29T12:34:56' };
const ZONED: SqlValue = { sqlType: 'TIMESTAMPTZ', text: '2024-02-29T12:34:56+02:00' };
const DAY: SqlValue = { sqlType: 'DATE', text: '2024-02-29' };

/** Items of several types, and the texts that DuckDB makes of them. */
const MIXED: readonly (readonly [string, readonly SqlValue[], JsonValue])[] = [
  ['times with and without an offset', [LOCAL, ZONED], ['2024-02-29 12:34:56', '2024-02-29 10:34:56+00']],
  [
    'times, numbers and null',
    [DAY, 1n, 2, 1e-7, { sqlType: 'INTERVAL', text: '1 day' }, null, true],
    ['2024-02-29', '1', '2.0', '1e-07', '1 day', null, 'true'],
  ],
  [
    'lists, structs and scalars',
    [{ list: [1n] }, { struct: { a: { list: [DAY, 'x'] }, b: 0.5 } }, 5n],
    ['[1]', "{'a': [2024-02-29, x], 'b': 0.5}", '5'],
  ],
];

/** Structs with different fields, and the items that arrive. */
const FIELDS: readonly (readonly [string, readonly SqlValue[], JsonValue])[] = [
  [
    'none in common',
    [{ struct: { a: 1n } }, { struct: { b: 'x' } }],
    [
      { a: 1, b: null },
      { a: null, b: 'x' },
    ],
  ],
  ['none at all', [{ struct: {} }, { struct: { a: DAY } }], [{ a: null }, { a: '2024-02-29' }]],
  [
    'nested',
    [{ struct: { a: { struct: { b: 1n } } } }, { struct: { a: { struct: { c: 2 } } } }, { struct: {} }],
    [{ a: { b: 1, c: null } }, { a: { b: null, c: 2 } }, { a: null }],
  ],
  [
    'names of JavaScript',
    [{ struct: { constructor: 'x' } }, { struct: { a: 1n } }],
    [
      { constructor: 'x', a: null },
      { constructor: null, a: 1 },
    ],
  ],
];

/** Parameters keep their types, and stay apart from the SQL. */
export function describeParameters(subject: Subject): void {
  describe('parameters', () => {
    it.each(VALUES)('%s keeps its type', async (_, value, type) => {
      expect(await answerOf(subject.database, 'typeof($1)', [value])).toBe(type);
    });

    it('arrive as they are', async () => {
      const all = VALUES.map(([, value]) => value);
      const { rows } = await read(
        subject.database,
        `SELECT ${all.map((_, index) => `$${index + 1} AS p${index}`)}`,
        all,
      );
      expect(Object.values(rows[0] ?? {})).toEqual([
        7,
        1099511627776,
        '-1267650600228229401496703205376',
        7,
        "it's",
        true,
        null,
        '2024-02-29',
        '12:34:56',
        '2024-02-29T12:34:56',
        '2024-02-29T12:34:56Z',
        'P1DT2H',
        null,
        null,
        null,
        null,
        null,
        { a: null, b: null },
        [],
        [1, null, 3],
        [1, 1099511627776],
        [1, 2.5],
        ['a', 'b'],
        [[1], []],
        ['2024-02-29'],
        { a: 1, b: ['x'] },
        [{ a: 1 }, { a: null }],
      ]);
    });

    it.each(MIXED)('in one list are texts if their types differ: %s', async (_, list, expected) => {
      expect(await answerOf(subject.database, 'typeof($1)', [{ list }])).toBe('VARCHAR[]');
      expect(await answerOf(subject.database, '$1', [{ list }])).toEqual(expected);
    });

    it.each(FIELDS)('in one list have the fields of all: %s', async (_, list, expected) => {
      expect(await answerOf(subject.database, '$1', [{ list }])).toEqual(expected);
      // The engine answers on.
      expect(await answerOf(subject.database, '1')).toBe(1);
    });

    it.each(UNDECLARED)('carry undeclared %s', async (_, node, sent, expected) => {
      const checked = createValidator(node, 'input')(sent);
      if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
      expect(await answerOf(subject.database, '$1', [toSqlValue(node, checked.value)])).toEqual(expected);
    });

    it.each(LEFT_OUT)(
      'have the type of %j where they are left out: %s',
      async (node, expression, expected) => {
        const left = node.type === 'array' ? [] : node.type === 'object' ? {} : null;
        expect(await answerOf(subject.database, expression, [toSqlValue(node, left)])).toEqual(expected);
      },
    );

    it('stay apart from the SQL, whatever they hold', async () => {
      const text = '\'; DROP TABLE items; -- $1 \u0000 " \\ 😀';
      expect(await answerOf(subject.database, '$1', [text])).toBe(text);
    });

    it('are known by their number, in any order and more than once', async () => {
      const { rows } = await read(subject.database, 'SELECT $2 AS a, $1 AS b, $2 AS c', [1n, 'x']);
      expect(rows).toEqual([{ a: 'x', b: 1, c: 'x' }]);
    });

    it('fit where a literal fits', async () => {
      expect(await answerOf(subject.database, "DATE '2024-01-01' + $1", [30n])).toBe('2024-01-31');
      expect(await answerOf(subject.database, "DATE '2024-01-01' + INTERVAL ($1) DAY", [1n])).toBe(
        '2024-01-02T00:00:00',
      );
      expect(
        await answerOf(subject.database, 'name FROM items WHERE list_contains($1, id)', [{ list: [5n] }]),
      ).toBe('item 5');
      expect(await answerOf(subject.database, 'count(*) FROM items WHERE id < $1', [10n])).toBe(10);
      expect(await answerOf(subject.database, 'count(*) FROM items LIMIT $1', [1n])).toBe(2000);
    });

    it.each([[[]], [[1n, 2n]]])('must be as many as the statement takes: %s', async (given) => {
      const error = await errorOf(read(subject.database, 'SELECT $1', given));
      expect(error.code).toBe('sql_failed');
      expect(error.message).toMatch(/1 parameter/);
    });

    it('that DuckDB cannot read are an error of the statement', async () => {
      const error = await errorOf(
        read(subject.database, 'SELECT $1', [{ sqlType: 'DATE', text: 'tomorrow' }]),
      );
      expect(error.code).toBe('sql_failed');
      expect(error.message).toContain('tomorrow');
    });
  });
}
