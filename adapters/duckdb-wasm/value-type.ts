import type { SqlValue } from '../../src/ports.ts';
import type { TYPE } from './type-ids.ts';

/** The SQL type of a parameter's value. */
export type ValueType =
  | { readonly kind: 'scalar'; readonly name: keyof typeof TYPE }
  | { readonly kind: 'list'; readonly items: ValueType }
  | { readonly kind: 'struct'; readonly fields: ReadonlyMap<string, ValueType> };

const scalar = (name: keyof typeof TYPE): ValueType => ({ kind: 'scalar', name });

/** Numbers from narrow to wide: a list of both takes the wider. */
const NUMBERS: readonly string[] = ['BIGINT', 'HUGEINT', 'DOUBLE'];

/** The type a value has by itself; a list takes the one type that all its items fit. */
export function valueTypeOf(value: SqlValue): ValueType {
  if (value === null) return scalar('SQLNULL');
  if (typeof value === 'boolean') return scalar('BOOLEAN');
  if (typeof value === 'bigint') return scalar(BigInt.asIntN(64, value) === value ? 'BIGINT' : 'HUGEINT');
  if (typeof value === 'number') return scalar('DOUBLE');
  if (typeof value === 'string') return scalar('VARCHAR');
  if ('sqlType' in value) return scalar(value.sqlType === 'TIMESTAMPTZ' ? 'TIMESTAMP_TZ' : value.sqlType);
  if ('list' in value)
    return { kind: 'list', items: value.list.map(valueTypeOf).reduce(unify, scalar('SQLNULL')) };
  const fields = Object.entries(value.struct).map(([name, part]) => [name, valueTypeOf(part)] as const);
  return { kind: 'struct', fields: new Map(fields) };
}

function unify(left: ValueType, right: ValueType): ValueType {
  if (isNull(left)) return right;
  if (isNull(right)) return left;
  if (left.kind === 'list' && right.kind === 'list')
    return { kind: 'list', items: unify(left.items, right.items) };
  if (left.kind === 'struct' && right.kind === 'struct') return unifyFields(left.fields, right.fields);
  if (left.kind === 'scalar' && right.kind === 'scalar') return unifyScalars(left.name, right.name);
  return scalar('VARCHAR');
}

function isNull(type: ValueType): boolean {
  return type.kind === 'scalar' && type.name === 'SQLNULL';
}

function unifyScalars(left: keyof typeof TYPE, right: keyof typeof TYPE): ValueType {
  if (left === right) return scalar(left);
  const widest = Math.max(NUMBERS.indexOf(left), NUMBERS.indexOf(right));
  const numbers = NUMBERS.includes(left) && NUMBERS.includes(right);
  return numbers ? scalar(NUMBERS[widest] === 'DOUBLE' ? 'DOUBLE' : 'HUGEINT') : scalar('VARCHAR');
}

function unifyFields(left: ReadonlyMap<string, ValueType>, right: ReadonlyMap<string, ValueType>): ValueType {
  const names = new Set([...left.keys(), ...right.keys()]);
  const none = scalar('SQLNULL');
  const fields = [...names].map(
    (name) => [name, unify(left.get(name) ?? none, right.get(name) ?? none)] as const,
  );
  return { kind: 'struct', fields: new Map(fields) };
}
