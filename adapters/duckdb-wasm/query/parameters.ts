import { SvcError } from '../../../src/errors.ts';
import { own } from '../../../src/json.ts';
import { type ValueType, valueTypeOf } from '../../../src/sql/value-type.ts';
import type { SqlValue } from '../../../src/sql-value.ts';
import type { Instance } from '../engine/instance.ts';
import { TYPE } from './types.ts';

/** Casts text to a SQL type with DuckDB's cast; returns the address of the value. */
export type Cast = (sqlType: string, text: string) => number;

/** Creates a DuckDB value, which the caller destroys. */
export function createValue(instance: Instance, value: SqlValue, cast: Cast): number {
  const { call } = instance;
  if (value === null) return call.duckdb_create_null_value();
  if (typeof value === 'boolean') return call.duckdb_create_bool(value ? 1 : 0);
  if (typeof value === 'bigint') return createInteger(instance, value);
  if (typeof value === 'number') return call.duckdb_create_double(value);
  if (typeof value === 'string') {
    return instance.withText(value, (at, length) => call.duckdb_create_varchar_length(at, length, 0));
  }
  const type = valueTypeOf(value);
  if ('sqlType' in value) {
    return value.text === null ? createTypedNull(instance, type) : cast(value.sqlType, value.text);
  }
  if (type.kind === 'scalar') throw new SvcError('internal', 'a nested parameter has a scalar type');
  return createNested(instance, value, { type, cast });
}

/** Destroys values. */
export function destroyValues({ call, heap, scratch }: Instance, values: readonly number[]): void {
  for (const value of values) {
    heap.setU32(scratch, value);
    call.duckdb_destroy_value(scratch);
  }
}

/** Splits a 64-bit integer into its low and high 32 bits, as the engine takes it. */
function toHalves(value: bigint): [number, number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function createInteger({ call, heap, scratch }: Instance, value: bigint): number {
  if (BigInt.asIntN(32, value) === value) return call.duckdb_create_int32(Number(value));
  if (BigInt.asIntN(64, value) === value) return call.duckdb_create_int64(...toHalves(value));
  if (BigInt.asIntN(128, value) !== value) {
    throw new SvcError('sql_failed', `The integer ${value} is larger than a HUGEINT.`);
  }
  heap.words(scratch, [...toHalves(value), ...toHalves(value >> 64n)]);
  return call.duckdb_create_hugeint(scratch);
}

/** DuckDB gives the NULL among the items of a list their type. */
function createTypedNull(instance: Instance, type: ValueType): number {
  const { call } = instance;
  const untyped = call.duckdb_create_null_value();
  const list = withType(instance, type, (pointer) =>
    withWords(instance, [untyped], (at) => call.duckdb_create_list_value(pointer, at, 1, 0)),
  );
  const typed = call.duckdb_get_list_child(list, 0, 0);
  destroyValues(instance, [untyped, list]);
  return typed;
}

type NestedValue = Extract<SqlValue, { list: unknown } | { struct: unknown }>;
type NestedType = Exclude<ValueType, { kind: 'scalar' }>;

/** Creates a list or a struct with the parts that its type has: structs of one list have the same fields. */
function createNested(
  instance: Instance,
  value: NestedValue,
  { type, cast }: { readonly type: NestedType; readonly cast: Cast },
): number {
  const { call } = instance;
  const children: number[] = [];
  try {
    for (const part of partsOf(value, type)) children.push(createPart(instance, part, cast));
    return withType(instance, type.kind === 'list' ? type.items : type, (pointer) =>
      withWords(instance, children, (at) =>
        type.kind === 'list'
          ? call.duckdb_create_list_value(pointer, at, children.length, 0)
          : call.duckdb_create_struct_value(pointer, at),
      ),
    );
  } finally {
    destroyValues(instance, children);
  }
}

/** A part of a nested value, and the type that its place has. */
interface Part {
  readonly value: SqlValue;
  readonly type: ValueType;
}

function partsOf(value: NestedValue, type: NestedType): readonly Part[] {
  if ('list' in value && type.kind === 'list')
    return value.list.map((item) => ({ value: item, type: type.items }));
  if ('struct' in value && type.kind === 'struct')
    return [...type.fields].map(([name, field]) => ({ value: own(value.struct, name) ?? null, type: field }));
  throw new SvcError('internal', `a parameter is not of kind ${type.kind}`);
}

/** DuckDB casts a scalar, or a nested value among scalars, to the type of its place. */
function createPart(instance: Instance, { value, type }: Part, cast: Cast): number {
  if (!isNested(value) || type.kind === 'scalar') return createValue(instance, value, cast);
  return createNested(instance, value, { type, cast });
}

function isNested(value: SqlValue): value is NestedValue {
  return typeof value === 'object' && value !== null && !('sqlType' in value);
}

function withWords<T>(
  { call, heap, allocate }: Instance,
  words: readonly number[],
  use: (at: number) => T,
): T {
  const at = allocate(Math.max(4, words.length * 4));
  try {
    heap.words(at, words);
    return use(at);
  } finally {
    call.free(at);
  }
}

/** Runs with a logical type in the engine's memory, and destroys it afterwards. */
function withType<T>(instance: Instance, type: ValueType, use: (pointer: number) => T): T {
  const { call, heap, scratch } = instance;
  const pointer = createType(instance, type);
  try {
    return use(pointer);
  } finally {
    heap.setU32(scratch, pointer);
    call.duckdb_destroy_logical_type(scratch);
  }
}

function createType(instance: Instance, type: ValueType): number {
  const { call } = instance;
  if (type.kind === 'scalar') return call.duckdb_create_logical_type(TYPE[type.name]);
  if (type.kind === 'list')
    return withType(instance, type.items, (items) => call.duckdb_create_list_type(items));
  return createStructType(instance, type.fields);
}

function createStructType(instance: Instance, fields: ReadonlyMap<string, ValueType>): number {
  const { call } = instance;
  const names = [...fields.keys()];
  const types = [...fields.values()].map((type) => createType(instance, type));
  try {
    return withTexts(instance, names, (at) =>
      withWords(instance, types, (typesAt) => call.duckdb_create_struct_type(typesAt, at, types.length, 0)),
    );
  } finally {
    for (const type of types) {
      instance.heap.setU32(instance.scratch, type);
      call.duckdb_destroy_logical_type(instance.scratch);
    }
  }
}

/** Runs with an array of the addresses of texts in the engine's memory, and frees both afterwards. */
export function withTexts<T>(instance: Instance, texts: readonly string[], use: (at: number) => T): T {
  const gather = (rest: readonly string[], addresses: readonly number[]): T => {
    const [first, ...others] = rest;
    if (first === undefined) return withWords(instance, addresses, use);
    return instance.withText(first, (at) => gather(others, [...addresses, at]));
  };
  return gather(texts, []);
}

/** Runs a statement with one bound text, and passes the address of the first value of its result. */
export type ReadFirst = (sql: string, text: string, read: (at: number) => number) => number;

type Create = (instance: Instance, at: number) => number;

/** Creates a value of each type from its form in a vector. */
const CREATE: { readonly [sqlType: string]: Create } = {
  DATE: ({ call, heap }, at) => call.duckdb_create_date(heap.view.getInt32(at, true)),
  TIME: ({ call, heap }, at) => call.duckdb_create_time(...halvesAt(heap.view, at)),
  TIMESTAMP: ({ call, heap }, at) => call.duckdb_create_timestamp(...halvesAt(heap.view, at)),
  TIMESTAMPTZ: ({ call, heap }, at) => call.duckdb_create_timestamp_tz(...halvesAt(heap.view, at)),
  INTERVAL: ({ call }, at) => call.duckdb_create_interval(at),
};

function halvesAt(view: DataView, at: number): [number, number] {
  return toHalves(view.getBigInt64(at, true));
}

/** Creates a value of a date or time type from its text with DuckDB's cast. */
export function castText(instance: Instance, sqlType: string, text: string, readFirst: ReadFirst): number {
  const create = CREATE[sqlType];
  if (create === undefined) throw new SvcError('internal', `there are no parameters of type ${sqlType}`);
  return readFirst(`SELECT CAST($1 AS ${sqlType})`, text, (at) => create(instance, at));
}
