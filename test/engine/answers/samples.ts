/** SQL expressions of each type: an ordinary value first, then extremes. NULL is added to all. */
const SAMPLES: { readonly [type: string]: readonly string[] } = {
  BOOLEAN: ['true', 'false'],
  TINYINT: ['3::TINYINT', '127::TINYINT', '(-128)::TINYINT', '0::TINYINT'],
  SMALLINT: ['3::SMALLINT', '32767::SMALLINT', '(-32768)::SMALLINT', '0::SMALLINT'],
  INTEGER: ['2', '0', '-1', '2147483647', '(-2147483648)::INTEGER'],
  BIGINT: ['2::BIGINT', '0::BIGINT', '(-3)::BIGINT', '9223372036854775807', '(-9223372036854775808)::BIGINT'],
  HUGEINT: [
    '2::HUGEINT',
    '0::HUGEINT',
    '170141183460469231731687303715884105727::HUGEINT',
    '(-170141183460469231731687303715884105728)::HUGEINT',
  ],
  UTINYINT: ['3::UTINYINT', '255::UTINYINT', '0::UTINYINT'],
  USMALLINT: ['3::USMALLINT', '65535::USMALLINT', '0::USMALLINT'],
  UINTEGER: ['3::UINTEGER', '4294967295::UINTEGER', '0::UINTEGER'],
  UBIGINT: ['3::UBIGINT', '18446744073709551615::UBIGINT', '0::UBIGINT'],
  UHUGEINT: ['3::UHUGEINT', '340282366920938463463374607431768211455::UHUGEINT', '0::UHUGEINT'],
  BIGNUM: ['3::BIGNUM', "'-123456789012345678901234567890123456789012'::BIGNUM", '0::BIGNUM'],
  FLOAT: ['1.5::FLOAT', "'nan'::FLOAT", "'inf'::FLOAT", "'-inf'::FLOAT", '3.4e38::FLOAT', '(-0.0)::FLOAT'],
  DOUBLE: [
    '0.5::DOUBLE',
    '0::DOUBLE',
    '(-2.5)::DOUBLE',
    "'nan'::DOUBLE",
    "'inf'::DOUBLE",
    "'-inf'::DOUBLE",
    '1.7976931348623157e308::DOUBLE',
    '5e-324::DOUBLE',
  ],
  DECIMAL: [
    '1.5::DECIMAL(4,1)',
    '(-99999.9999)::DECIMAL(9,4)',
    '123456789012.345::DECIMAL(18,3)',
    '99999999999999999999999999999999.999999::DECIMAL(38,6)',
    '0::DECIMAL(38,0)',
  ],
  VARCHAR: [
    "'Hello world'",
    "''",
    "'2'",
    "'2024-02-29 12:34:56'",
    "'ÄÖ é 🦆 \u0301'",
    "'%a_\\'",
    "'[1, 2]'",
    "repeat('long ', 40)",
  ],
  BLOB: ["'ab\\x00\\xFF'::BLOB", "''::BLOB", "repeat('x', 40)::BLOB"],
  BIT: ["'0110101'::BIT", "'0'::BIT", "repeat('01', 40)::BIT"],
  UUID: ["'6f4ac6b2-9f2c-4b0e-8a5e-1f2d3c4b5a69'::UUID", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID"],
  DATE: [
    "DATE '2024-02-29'",
    "DATE '1969-12-31'",
    "DATE '0044-03-15 (BC)'",
    "DATE '5877642-06-25 (BC)'",
    "DATE '5881580-07-10'",
    "'infinity'::DATE",
    "'-infinity'::DATE",
  ],
  TIME: ["TIME '12:34:56.789'", "TIME '00:00:00'", "TIME '23:59:59.999999'", "TIME '24:00:00'"],
  TIME_NS: ["'12:34:56.123456789'::TIME_NS", "'00:00:00'::TIME_NS"],
  'TIME WITH TIME ZONE': ["'12:34:56+02'::TIMETZ", "'00:00:00-15:59:59'::TIMETZ", "'23:59:59+00'::TIMETZ"],
  TIMESTAMP: [
    "TIMESTAMP '2024-02-29 12:34:56.789'",
    "TIMESTAMP '2024-03-31 00:00:00'",
    "TIMESTAMP '1969-12-31 23:59:59.999999'",
    "TIMESTAMP '0044-03-15 (BC) 00:00:00'",
    "TIMESTAMP '290309-12-22 (BC) 00:00:00'",
    "TIMESTAMP '294247-01-10 04:00:54.775806'",
    "'infinity'::TIMESTAMP",
    "'-infinity'::TIMESTAMP",
  ],
  TIMESTAMP_S: ["'2024-02-29 12:34:56'::TIMESTAMP_S", "'infinity'::TIMESTAMP_S"],
  TIMESTAMP_MS: ["'2024-02-29 12:34:56.789'::TIMESTAMP_MS", "'-infinity'::TIMESTAMP_MS"],
  TIMESTAMP_NS: ["'2024-02-29 12:34:56.123456789'::TIMESTAMP_NS", "'1677-09-22 00:00:00'::TIMESTAMP_NS"],
  'TIMESTAMP WITH TIME ZONE': [
    "TIMESTAMPTZ '2024-02-29 12:34:56.789+00'",
    "TIMESTAMPTZ '2024-03-31 00:00:00+02'",
    "TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'",
    "TIMESTAMPTZ '0044-03-15 (BC) 00:00:00+00'",
    "TIMESTAMPTZ '294247-01-10 04:00:54.775806+00'",
    "'infinity'::TIMESTAMPTZ",
    "'-infinity'::TIMESTAMPTZ",
  ],
  INTERVAL: [
    "INTERVAL '1 month 2 days 03:04:05.6'",
    "INTERVAL '1 day'",
    "INTERVAL '0 days'",
    "INTERVAL '-1 year -1 day'",
    "INTERVAL '178956970 years'",
  ],
  JSON: [`'{"a": [1, {"b": null}], "c": "x"}'::JSON`, "'[]'::JSON", "'1e400'::JSON", `'"text"'::JSON`],
  ENUM: ["'b'::ENUM('a', 'b', 'c')"],
  LAMBDA: ['lambda x: x', 'lambda x, y: x', 'lambda x: x IS NULL', 'lambda x: error(x::VARCHAR)'],
  STRUCT: ["{'a': 1, 'b': 'x'}", 'row(1, 2)', "{'a': {'c': [NULL]}}"],
  'MAP(K, V)': ["MAP {'a': 1, 'b': NULL}", 'MAP {}', 'MAP {1: [1, 2], 2: NULL}'],
  UNION: ["union_value(k := 'x')"],
  GEOMETRY: ["'POINT (1 2)'::GEOMETRY", "'POLYGON ((0 0, 0 1, 1 1, 0 0))'::GEOMETRY"],
  VARIANT: ['1::VARIANT', "{'a': [1, 2]}::VARIANT", "'x'::VARIANT"],
};

const LISTS: { readonly [type: string]: readonly string[] } = {
  'ANY[]': [
    '[1, 2, NULL, 3]',
    '[]',
    "['b', 'a', NULL]",
    '[[1], [2, 3]]',
    "[DATE '2024-02-29', 'infinity'::DATE]",
  ],
  'VARCHAR[]': ["['a', 'b', NULL]", "['%Y-%m-%d', '%d.%m.%Y']", '[]::VARCHAR[]'],
  'DOUBLE[]': ['[1.0, 2.0, 3.0]::DOUBLE[]', "['nan', 'inf', NULL]::DOUBLE[]", '[]::DOUBLE[]'],
  'DOUBLE[ANY]': [
    '[1, 2, 3]::DOUBLE[3]',
    '[0, 0, 0]::DOUBLE[3]',
    "['nan', 1, 2]::DOUBLE[3]",
    '[1]::DOUBLE[1]',
  ],
  'BIGINT[]': ['[1, 2]::BIGINT[]', '[0, -1, 9223372036854775807]::BIGINT[]'],
  'BOOLEAN[]': ['[true, false]', '[NULL]::BOOLEAN[]'],
  'STRUCT(K, V)[]': ["[{'k': 'a', 'v': 1}]", "[{'k': 1, 'v': NULL}, {'k': 1, 'v': 2}]"],
  '[][]': ['[[1, 2], [3], []]', '[NULL, [NULL]]'],
};

/** A value of each kind, for parameters that take any type. */
const ANY = [
  ...['INTEGER', 'VARCHAR', 'DOUBLE', 'DECIMAL', 'BOOLEAN', 'BLOB', 'DATE', 'TIMESTAMP', 'JSON'],
  ...[
    'TIMESTAMP WITH TIME ZONE',
    'INTERVAL',
    'UUID',
    'HUGEINT',
    'ENUM',
    'STRUCT',
    'MAP(K, V)',
    'UNION',
    'TIME',
  ],
  ...['BIT', 'UBIGINT', 'FLOAT', 'BIGNUM', 'TIME_NS', 'TIME WITH TIME ZONE', 'GEOMETRY', 'VARIANT'],
].flatMap((type) => SAMPLES[type]?.[0] ?? []);

/** The expressions for a parameter of a type, as `duckdb_functions()` writes it; the first is an ordinary one. */
export function samplesOf(type: string): readonly string[] {
  return [...(SAMPLES[type] ?? listsOf(type) ?? [...ANY, '[1, 2]']), 'NULL'];
}

function listsOf(type: string): readonly string[] | undefined {
  if (type.endsWith('[][]')) return LISTS['[][]'];
  if (/\[(?:ANY|\d+)\]$/.test(type)) {
    return LISTS['DOUBLE[ANY]']?.map((sample) => sample.replace('DOUBLE', type.replace(/\[.*/, '')));
  }
  if (type === 'FLOAT[]') return LISTS['DOUBLE[]']?.map((sample) => sample.replace('DOUBLE', 'FLOAT'));
  return LISTS[type] ?? (type.endsWith('[]') ? LISTS['ANY[]'] : undefined);
}

/** All types that have samples without parts, each with its first sample. */
export const TYPED: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(SAMPLES));
