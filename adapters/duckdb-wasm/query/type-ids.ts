/** DuckDB's numbers of its types (`duckdb_type` of the C API). */
export const TYPE = {
  BOOLEAN: 1,
  TINYINT: 2,
  SMALLINT: 3,
  INTEGER: 4,
  BIGINT: 5,
  UTINYINT: 6,
  USMALLINT: 7,
  UINTEGER: 8,
  UBIGINT: 9,
  FLOAT: 10,
  DOUBLE: 11,
  TIMESTAMP: 12,
  DATE: 13,
  TIME: 14,
  INTERVAL: 15,
  HUGEINT: 16,
  VARCHAR: 17,
  BLOB: 18,
  DECIMAL: 19,
  TIMESTAMP_S: 20,
  TIMESTAMP_MS: 21,
  TIMESTAMP_NS: 22,
  ENUM: 23,
  LIST: 24,
  STRUCT: 25,
  MAP: 26,
  UUID: 27,
  UNION: 28,
  BIT: 29,
  TIME_TZ: 30,
  TIMESTAMP_TZ: 31,
  UHUGEINT: 32,
  ARRAY: 33,
  BIGNUM: 35,
  SQLNULL: 36,
  TIME_NS: 39,
  GEOMETRY: 40,
  VARIANT: 41,
} as const;

/** The types of whole numbers that JSON can hold. */
export const INTEGERS: ReadonlySet<number> = new Set([
  ...[TYPE.TINYINT, TYPE.SMALLINT, TYPE.INTEGER, TYPE.BIGINT, TYPE.HUGEINT],
  ...[TYPE.UTINYINT, TYPE.USMALLINT, TYPE.UINTEGER, TYPE.UBIGINT, TYPE.UHUGEINT],
]);

/** DuckDB's spelling of types, if it differs from the name above. */
const SPELLING: { readonly [id: number]: string } = {
  [TYPE.TIME_TZ]: 'TIME WITH TIME ZONE',
  [TYPE.TIMESTAMP_TZ]: 'TIMESTAMP WITH TIME ZONE',
  [TYPE.SQLNULL]: '"NULL"',
};

const NAMES = new Map<number, string>(Object.entries(TYPE).map(([name, id]) => [id, SPELLING[id] ?? name]));

/** Returns DuckDB's name of a type without parts; undefined for an unknown type. */
export function nameOfId(id: number): string | undefined {
  return NAMES.get(id);
}
