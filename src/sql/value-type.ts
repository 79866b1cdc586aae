import type { SqlValue } from '../sql-value.ts';

/** The SQL type under which a parameter's value is bound; the same on every engine. */
export type ValueType =
  | { readonly kind: 'scalar'; readonly name: ScalarName }
  | { readonly kind: 'list'; readonly items: ValueType }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, ValueType> };

/** The scalar types of bound values, in DuckDB's spelling of its type ids. */
export type ScalarName =
  | 'SQLNULL'
  | 'BOOLEAN'
  | 'VARCHAR'
  | (typeof NUMBERS)[number]
  | (typeof TIMES)[number];

/** From narrow to wide: a list has the widest type of its items. */
const NUMBERS = ['INTEGER', 'BIGINT', 'HUGEINT', 'DOUBLE'] as const;
const NUMBER_NAMES: readonly string[] = NUMBERS;
const TIMES = ['DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP_TZ', 'INTERVAL'] as const;

const NULL_TYPE: ValueType = { kind: 'scalar', name: 'SQLNULL' };

/** The type of a value as a literal. A list has the one type that all its items fit. */
export function valueTypeOf(value: SqlValue): ValueType {
  if (value === null || typeof value !== 'object') return { kind: 'scalar', name: scalarName(value) };
  if ('sqlType' in value) {
    return { kind: 'scalar', name: value.sqlType === 'TIMESTAMPTZ' ? 'TIMESTAMP_TZ' : value.sqlType };
  }
  if ('list' in value) {
    const empty = value.items === undefined ? NULL_TYPE : valueTypeOf(value.items);
    return { kind: 'list', items: value.list.map(valueTypeOf).reduce(unify, empty) };
  }
  const fields = Object.entries(value.struct).map(([name, part]) => [name, valueTypeOf(part)] as const);
  return { kind: 'struct', fields: new Map(fields) };
}

function scalarName(value: null | boolean | bigint | number | string): ScalarName {
  if (value === null) return 'SQLNULL';
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (typeof value === 'number') return 'DOUBLE';
  if (typeof value === 'string') return 'VARCHAR';
  if (BigInt.asIntN(32, value) === value) return 'INTEGER';
  return BigInt.asIntN(64, value) === value ? 'BIGINT' : 'HUGEINT';
}

function unify(left: ValueType, right: ValueType): ValueType {
  if (isNull(left)) return right;
  if (isNull(right)) return left;
  if (left.kind === 'list' && right.kind === 'list')
    return { kind: 'list', items: unify(left.items, right.items) };
  if (left.kind === 'struct' && right.kind === 'struct') return unifyFields(left.fields, right.fields);
  if (left.kind === 'scalar' && right.kind === 'scalar') {
    return { kind: 'scalar', name: unifyScalars(left.name, right.name) };
  }
  return { kind: 'scalar', name: 'VARCHAR' };
}

function isNull(type: ValueType): boolean {
  return type.kind === 'scalar' && type.name === 'SQLNULL';
}

function unifyScalars(left: ScalarName, right: ScalarName): ScalarName {
  if (left === right) return left;
  const widths = [left, right].map((name) => NUMBER_NAMES.indexOf(name));
  return widths.includes(-1) ? 'VARCHAR' : (NUMBERS[Math.max(...widths)] ?? 'VARCHAR');
}

function unifyFields(left: ReadonlyMap<string, ValueType>, right: ReadonlyMap<string, ValueType>): ValueType {
  const names = new Set([...left.keys(), ...right.keys()]);
  const fields = [...names].map(
    (name) => [name, unify(left.get(name) ?? NULL_TYPE, right.get(name) ?? NULL_TYPE)] as const,
  );
  return { kind: 'struct', fields: new Map(fields) };
}
