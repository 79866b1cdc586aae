/** A bound parameter. `bigint` is an integer, `number` a DOUBLE; other SQL types travel as text with their type. */
export type SqlValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | { readonly sqlType: 'DATE' | 'TIME' | 'TIMESTAMP' | 'TIMESTAMPTZ' | 'INTERVAL'; readonly text: string }
  | { readonly list: readonly SqlValue[] }
  | { readonly struct: { readonly [field: string]: SqlValue } };

export function isNumber(value: SqlValue | undefined): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

export function isSqlList(value: SqlValue): value is { readonly list: readonly SqlValue[] } {
  return typeof value === 'object' && value !== null && 'list' in value;
}
