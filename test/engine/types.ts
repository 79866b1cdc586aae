import type { JsonValue } from '../../src/json.ts';
import type { Database } from '../../src/ports.ts';

export type EngineName = Database['engine'];

/** Values of one DuckDB type and their JSON; `type` is a row of docs/reference/types.md. */
export interface TypeCase {
  readonly type: string;
  /** SQL expression -> its JSON form. */
  readonly values: readonly (readonly [string, JsonValue])[];
  /** DuckDB's name of the type where it differs from `type`; null where the engines may differ. */
  readonly column?: string | null;
  /** Engines that cannot make such a value, and why. */
  readonly lacks?: { readonly [engine in EngineName]?: string };
}

/** Every DuckDB type, in the order of the documentation. */
export const TYPES: readonly TypeCase[] = [
  {
    type: 'BOOLEAN',
    values: [
      ['true', true],
      ['false', false],
      ['NULL::BOOLEAN', null],
    ],
  },
  {
    type: 'TINYINT',
    values: [
      ['(-128)::TINYINT', -128],
      ['127::TINYINT', 127],
    ],
  },
  {
    type: 'SMALLINT',
    values: [
      ['(-32768)::SMALLINT', -32768],
      ['32767::SMALLINT', 32767],
    ],
  },
  {
    type: 'INTEGER',
    values: [
      ['(-2147483648)::INTEGER', -2147483648],
      ['2147483647', 2147483647],
    ],
  },
  {
    type: 'BIGINT',
    values: [
      ['9007199254740991::BIGINT', 9007199254740991],
      ['9007199254740992::BIGINT', '9007199254740992'],
      ['(-9007199254740991)::BIGINT', -9007199254740991],
      ['(-9223372036854775808)::BIGINT', '-9223372036854775808'],
      ['9223372036854775807', '9223372036854775807'],
    ],
  },
  {
    type: 'HUGEINT',
    values: [
      ['1::HUGEINT', 1],
      ['170141183460469231731687303715884105727::HUGEINT', '170141183460469231731687303715884105727'],
      ['(-170141183460469231731687303715884105728)::HUGEINT', '-170141183460469231731687303715884105728'],
      ['sum(4611686018427387904) FROM range(4)', '18446744073709551616'],
    ],
  },
  { type: 'UTINYINT', values: [['255::UTINYINT', 255]] },
  { type: 'USMALLINT', values: [['65535::USMALLINT', 65535]] },
  { type: 'UINTEGER', values: [['4294967295::UINTEGER', 4294967295]] },
  {
    type: 'UBIGINT',
    values: [
      ['1::UBIGINT', 1],
      ['18446744073709551615::UBIGINT', '18446744073709551615'],
    ],
  },
  {
    type: 'UHUGEINT',
    values: [
      ['1::UHUGEINT', 1],
      ['340282366920938463463374607431768211455::UHUGEINT', '340282366920938463463374607431768211455'],
    ],
  },
  {
    type: 'BIGNUM',
    values: [
      ['42::BIGNUM', 42],
      ['(-42)::BIGNUM', -42],
      [
        "'123456789012345678901234567890123456789012345'::BIGNUM",
        '123456789012345678901234567890123456789012345',
      ],
      ["'-123456789012345678901234567890'::BIGNUM", '-123456789012345678901234567890'],
    ],
  },
  {
    type: 'DECIMAL',
    column: null,
    values: [
      ['1.50::DECIMAL(4,2)', 1.5],
      ['(-0.01)::DECIMAL(9,2)', -0.01],
      ['0::DECIMAL(18,9)', 0],
      ['123456789.123456::DECIMAL(18,6)', 123456789.123456],
      ['1234567890.123456::DECIMAL(18,6)', '1234567890.123456'],
      ['9007199254740991.00::DECIMAL(18,2)', 9007199254740991],
      [
        "'12345678901234567890123456.789012345678'::DECIMAL(38,12)",
        '12345678901234567890123456.789012345678',
      ],
      ["'-99999999999999999999999999999999999999'::DECIMAL(38,0)", '-99999999999999999999999999999999999999'],
    ],
  },
  {
    type: 'FLOAT',
    values: [
      ['0.1::FLOAT', 0.1],
      ['3.4028235e38::FLOAT', 3.4028235e38],
      ['16777216::FLOAT', 16777216],
      ["'nan'::FLOAT", null],
      ["'-inf'::FLOAT", null],
    ],
  },
  {
    type: 'DOUBLE',
    values: [
      ['0.1::DOUBLE', 0.1],
      ['0.1::DOUBLE + 0.2::DOUBLE', 0.30000000000000004],
      ['1e300::DOUBLE', 1e300],
      ['-0.0::DOUBLE', 0],
      ["'nan'::DOUBLE", null],
      ["'inf'::DOUBLE", null],
    ],
  },
  {
    type: 'VARCHAR',
    values: [
      ["'short'", 'short'],
      ["'longer than twelve bytes: é 漢 😀'", 'longer than twelve bytes: é 漢 😀'],
      ["''", ''],
      ["'a' || chr(0) || 'b'", 'a\u0000b'],
      ["repeat('x', 5000)", 'x'.repeat(5000)],
      ['chr(65279)', '\uFEFF'],
      ["chr(65279) || 'a text that is longer than that'", '\uFEFFa text that is longer than that'],
    ],
  },
  {
    type: 'BLOB',
    values: [
      ["'\\x00\\xFFab'::BLOB", 'AP9hYg=='],
      ["''::BLOB", ''],
      ["'more than twelve bytes'::BLOB", 'bW9yZSB0aGFuIHR3ZWx2ZSBieXRlcw=='],
    ],
  },
  {
    type: 'BIT',
    values: [
      ["'101'::BIT", '101'],
      ["'0000000110000000'::BIT", '0000000110000000'],
      ["repeat('10', 60)::BIT", '10'.repeat(60)],
    ],
  },
  {
    type: 'UUID',
    values: [
      ["'550e8400-e29b-41d4-a716-446655440000'::UUID", '550e8400-e29b-41d4-a716-446655440000'],
      ["'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID", 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      ["'00000000-0000-0000-0000-000000000001'::UUID", '00000000-0000-0000-0000-000000000001'],
    ],
  },
  {
    type: 'ENUM',
    column: "ENUM('sad', 'it''s ok')",
    values: [
      ["'it''s ok'::ENUM('sad', 'it''s ok')", "it's ok"],
      ["NULL::ENUM('sad', 'it''s ok')", null],
    ],
  },
  {
    type: 'DATE',
    values: [
      ["DATE '2024-02-29'", '2024-02-29'],
      ["DATE '1969-12-31'", '1969-12-31'],
      ["DATE '0044-03-15 (BC)'", '-000043-03-15'],
      ["DATE '12345-06-07'", '+012345-06-07'],
      ["'infinity'::DATE", 'infinity'],
      ["'-infinity'::DATE", '-infinity'],
    ],
  },
  {
    type: 'TIME',
    values: [
      ["TIME '12:34:56'", '12:34:56'],
      ["TIME '00:00:00.120'", '00:00:00.12'],
      ["TIME '23:59:59.999999'", '23:59:59.999999'],
    ],
  },
  { type: 'TIME_NS', values: [["'12:34:56.123456789'::TIME_NS", '12:34:56.123456789']] },
  {
    type: 'TIMETZ',
    column: 'TIME WITH TIME ZONE',
    values: [
      ["'12:34:56+02'::TIMETZ", '12:34:56+02:00'],
      ["'12:34:56.5-05:30'::TIMETZ", '12:34:56.5-05:30'],
      ["'12:34:56+00'::TIMETZ", '12:34:56Z'],
      ["'00:00:00+15:59:59'::TIMETZ", '00:00:00+15:59:59'],
    ],
  },
  {
    type: 'TIMESTAMP',
    values: [
      ["TIMESTAMP '2024-02-29 12:34:56.123456'", '2024-02-29T12:34:56.123456'],
      ["TIMESTAMP '2024-02-29 12:34:56.100'", '2024-02-29T12:34:56.1'],
      ["TIMESTAMP '1969-12-31 23:59:59.999999'", '1969-12-31T23:59:59.999999'],
      ["TIMESTAMP '0001-01-01 00:00:00'", '0001-01-01T00:00:00'],
      ["'infinity'::TIMESTAMP", 'infinity'],
    ],
  },
  { type: 'TIMESTAMP_S', values: [["'2024-02-29 12:34:56'::TIMESTAMP_S", '2024-02-29T12:34:56']] },
  { type: 'TIMESTAMP_MS', values: [["'2024-02-29 12:34:56.789'::TIMESTAMP_MS", '2024-02-29T12:34:56.789']] },
  {
    type: 'TIMESTAMP_NS',
    values: [["'2024-02-29 12:34:56.123456789'::TIMESTAMP_NS", '2024-02-29T12:34:56.123456789']],
  },
  {
    type: 'TIMESTAMPTZ',
    column: 'TIMESTAMP WITH TIME ZONE',
    values: [
      ["TIMESTAMPTZ '2024-02-29 12:34:56.5+02:00'", '2024-02-29T10:34:56.5Z'],
      ["TIMESTAMPTZ '2024-02-29 12:34:56'", '2024-02-29T12:34:56Z'],
      ["'-infinity'::TIMESTAMPTZ", '-infinity'],
    ],
  },
  {
    type: 'INTERVAL',
    values: [
      ["INTERVAL '14 months 3 days 04:05:06.7'", 'P1Y2M3DT4H5M6.7S'],
      ["INTERVAL '-1 day'", 'P-1D'],
      ["INTERVAL '0 days'", 'PT0S'],
      ["INTERVAL '36 hours'", 'PT36H'],
      ["TIMESTAMP '2024-01-01' - TIMESTAMP '2024-01-01 00:00:00.5'", 'PT-0.5S'],
    ],
  },
  {
    type: 'JSON',
    values: [
      ['\'{"a": [1, 2.5, null, true, "x"]}\'::JSON', { a: [1, 2.5, null, true, 'x'] }],
      ["'12345678901234567890'::JSON", '12345678901234567890'],
      ["'[0.30000000000000004, 1e400]'::JSON", [0.30000000000000004, '1e400']],
      ["'[NaN, -Infinity]'::JSON", [null, null]],
      ["['{}'::JSON, '[]'::JSON]", [{}, []]],
      ["{'doc': '{\"k\": 1}'::JSON}", { doc: { k: 1 } }],
    ],
    column: null,
  },
  {
    type: 'LIST',
    column: null,
    values: [
      ['[1, NULL, 3]', [1, null, 3]],
      ['[]::INTEGER[]', []],
      ['[[1.50::DECIMAL(4,2)], [], NULL]', [[1.5], [], null]],
      ["[DATE '2024-01-01']", ['2024-01-01']],
      ['[9223372036854775807]', ['9223372036854775807']],
    ],
  },
  {
    type: 'ARRAY',
    column: null,
    values: [
      ['array_value(1, 2, 3)', [1, 2, 3]],
      [
        'array_value(array_value(1, 2), array_value(3, NULL))',
        [
          [1, 2],
          [3, null],
        ],
      ],
      ['[array_value(1, 2), NULL]', [[1, 2], null]],
      ["array_value({'a': 1}, {'a': 2})", [{ a: 1 }, { a: 2 }]],
    ],
  },
  {
    type: 'STRUCT',
    column: null,
    values: [
      ["{'a': 1, 'b c': 'x', 'd': {'e': [1]}}", { a: 1, 'b c': 'x', d: { e: [1] } }],
      ["{'a': NULL}", { a: null }],
      ['NULL::STRUCT(a INTEGER)', null],
      ["row(1, row('a', 2))", [1, ['a', 2]]],
      [
        '[row(1, 2), row(3, 4)]',
        [
          [1, 2],
          [3, 4],
        ],
      ],
      ["{'__proto__': 1, 'toString': 2}", JSON.parse('{"__proto__": 1, "toString": 2}')],
    ],
  },
  {
    type: 'MAP',
    column: null,
    values: [
      ["MAP {'a': 1, 'b': NULL}", { a: 1, b: null }],
      ['MAP {1: [2], 3: []}', { 1: [2], 3: [] }],
      ["MAP {DATE '2024-01-01': true}", { '2024-01-01': true }],
      ["MAP {{'k': 1}: 'x'}", { '{"k":1}': 'x' }],
      ['MAP {}', {}],
    ],
  },
  {
    type: 'UNION',
    column: null,
    values: [
      ['union_value(n := 1)', 1],
      ["'x'::UNION(n INTEGER, s VARCHAR)", 'x'],
      ["[1::UNION(n INTEGER, s VARCHAR), 'x'::UNION(n INTEGER, s VARCHAR)]", [1, 'x']],
      ['union_value(r := row(1, 2))', [1, 2]],
    ],
  },
  { type: 'NULL', column: null, values: [['NULL', null]] },
];

/** Types without a JSON form: both engines answer the same error. */
export const UNSENDABLE: readonly { readonly type: string; readonly sql: string }[] = [
  { type: 'VARIANT', sql: '1::VARIANT' },
  { type: 'GEOMETRY', sql: "'POINT (1 2)'::GEOMETRY" },
];
