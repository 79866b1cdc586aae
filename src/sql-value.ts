/** A type of dates or times, in which NULL keeps its type: DuckDB has several functions `year`, for example. */
export type TimeType = 'DATE' | 'TIME' | 'TIMESTAMP' | 'TIMESTAMPTZ' | 'INTERVAL';

/** A bound parameter. `bigint` is an integer, `number` a DOUBLE; other SQL types travel as text with their type. */
export type SqlValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | { readonly sqlType: TimeType; readonly text: string | null }
  | {
      readonly list: readonly SqlValue[];
      /** A value of the type of the items, for an empty list. */
      readonly items?: SqlValue;
    }
  | { readonly struct: { readonly [field: string]: SqlValue } };

export function isNumber(value: SqlValue | undefined): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

export function isSqlList(value: SqlValue): value is Extract<SqlValue, { readonly list: unknown }> {
  return typeof value === 'object' && value !== null && 'list' in value;
}
