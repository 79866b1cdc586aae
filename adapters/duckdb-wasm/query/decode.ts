import { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import {
  bignumForm,
  bitForm,
  blobForm,
  dateForm,
  decimalForm,
  doubleForm,
  floatForm,
  floatingKey,
  integerForm,
  intervalForm,
  mapForm,
  structForm,
  type TimeUnit,
  timeForm,
  timestampForm,
  timeTzForm,
} from '../../../src/sql/forms.ts';
import { jsonForm } from '../../../src/sql/json-form.ts';
import type { ItemRange } from '../../../src/sql/json-size.ts';
import type { Cell } from '../../../src/sql/row-maker.ts';
import type { Heap } from '../engine/heap.ts';
import type { Instance } from '../engine/instance.ts';
import { type ColumnType, TYPE } from './types.ts';

/** Returns a reader of a vector's values in their exact JSON form, valid until the chunk is destroyed. */
export function cellsOf(instance: Instance, vector: number, type: ColumnType): Cell {
  return orNull(instance, vector, valuesOf(instance, vector, type), null);
}

/** Returns a reader that gives something else for NULL, under which a vector may hold anything. */
export function orNull<T>(
  { call, heap }: Instance,
  vector: number,
  read: (row: number) => T,
  ofNull: T,
): (row: number) => T {
  const valid = call.duckdb_vector_get_validity(vector);
  if (valid === 0) return read;
  return (row) => {
    const bits = heap.bytes[valid + (row >> 3)] ?? 0;
    return (bits & (1 << (row & 7))) === 0 ? ofNull : read(row);
  };
}

function valuesOf(instance: Instance, vector: number, type: ColumnType): Cell {
  const nested = NESTED[type.id];
  if (nested !== undefined) return nested(instance, vector, type);
  const read = cellReader(type);
  const at = instance.call.duckdb_vector_get_data(vector);
  return (row) => read(instance.heap, at, row);
}

type Nested = (instance: Instance, vector: number, type: ColumnType) => Cell;

const NESTED: { readonly [id: number]: Nested } = {
  [TYPE.LIST]: listCells,
  [TYPE.ARRAY]: arrayCells,
  [TYPE.STRUCT]: structCells,
  [TYPE.MAP]: mapCells,
  [TYPE.UNION]: unionCells,
};

export function partOf({ parts }: ColumnType, index: number): ColumnType {
  const part = parts[index];
  if (part === undefined) throw new SvcError('internal', `a nested type has no part ${index}`);
  return part;
}

export function rangesOf({ call, heap }: Instance, vector: number): (row: number) => ItemRange {
  const at = call.duckdb_vector_get_data(vector);
  return (row) => ({ start: heap.u32(at + row * 16), length: heap.u32(at + row * 16 + 8) });
}

const items = (cell: Cell, { start, length }: ItemRange): JsonValue[] =>
  Array.from({ length }, (_, index) => cell(start + index));

function listCells(instance: Instance, vector: number, type: ColumnType): Cell {
  const range = rangesOf(instance, vector);
  const cell = cellsOf(instance, instance.call.duckdb_list_vector_get_child(vector), partOf(type, 0));
  return (row) => items(cell, range(row));
}

function arrayCells(instance: Instance, vector: number, type: ColumnType): Cell {
  const cell = cellsOf(instance, instance.call.duckdb_array_vector_get_child(vector), partOf(type, 0));
  return (row) => items(cell, { start: row * type.size, length: type.size });
}

function structCells(instance: Instance, vector: number, type: ColumnType): Cell {
  const cells = type.parts.map((part, index) => childCells(instance, vector, { part, index }));
  return (row) =>
    structForm(
      type.labels,
      cells.map((cell) => cell(row)),
    );
}

function mapCells(instance: Instance, vector: number, type: ColumnType): Cell {
  const range = rangesOf(instance, vector);
  const entries = instance.call.duckdb_list_vector_get_child(vector);
  const keys = keyCells(instance, entries, partOf(type, 0));
  const values = childCells(instance, entries, { part: partOf(type, 1), index: 1 });
  return (row) => {
    const { start, length } = range(row);
    return mapForm(
      Array.from({ length }, (_, index) => [keys(start + index), values(start + index)] as const),
    );
  };
}

/** Reads the keys of a map. One that from_json could not convert is NULL. */
function keyCells(instance: Instance, entries: number, part: ColumnType): Cell {
  const read = FLOATING[part.id];
  if (read === undefined) return childCells(instance, entries, { part, index: 0 });
  const { call, heap } = instance;
  const vector = call.duckdb_struct_vector_get_child(entries, 0, 0);
  const at = call.duckdb_vector_get_data(vector);
  return orNull<JsonValue>(instance, vector, (row) => read(heap, at, row), null);
}

/** Reads a union: a struct whose first child is the tag of the member that counts. */
function unionCells(instance: Instance, vector: number, type: ColumnType): Cell {
  const tags = instance.call.duckdb_vector_get_data(
    instance.call.duckdb_struct_vector_get_child(vector, 0, 0),
  );
  const cells = type.parts.map((part, index) => childCells(instance, vector, { part, index: index + 1 }));
  return (row) => cells[instance.heap.bytes[tags + row] ?? 0]?.(row) ?? null;
}

function childCells(
  instance: Instance,
  vector: number,
  { part, index }: { readonly part: ColumnType; readonly index: number },
): Cell {
  return cellsOf(instance, instance.call.duckdb_struct_vector_get_child(vector, index, 0), part);
}

/** Reads a row's value at a vector's data address, in its exact JSON form. */
type ReadCell = (heap: Heap, at: number, row: number) => JsonValue;

/** Returns the reader of a type without parts. */
export function cellReader(type: ColumnType): ReadCell {
  if (type.alias === 'JSON') return (heap, at, row) => jsonForm(text(heap, at, row));
  if (type.id === TYPE.DECIMAL) return decimalReader(type);
  if (type.id === TYPE.ENUM) return enumReader(type);
  const read = PLAIN[type.id];
  if (read !== undefined) return read;
  // A column of nothing but NULL can be sent all the same.
  return () => {
    throw new SvcError(
      'sql_failed',
      `The result has a column of type ${type.name}, which cannot be sent. Cast it to VARCHAR.`,
    );
  };
}

const i64 = (heap: Heap, at: number, row: number): bigint => heap.view.getBigInt64(at + row * 8, true);
const u64 = (heap: Heap, at: number, row: number): bigint => heap.view.getBigUint64(at + row * 8, true);
const i128 = (heap: Heap, at: number, row: number): bigint =>
  (i64(heap, at, row * 2 + 1) << 64n) | u64(heap, at, row * 2);
const u128 = (heap: Heap, at: number, row: number): bigint =>
  (u64(heap, at, row * 2 + 1) << 64n) | u64(heap, at, row * 2);

const text = (heap: Heap, at: number, row: number): string => heap.string(at, row);

/** Reads a BIGINT. Most are small, and two halves are then faster than one BigInt. */
function bigint(heap: Heap, at: number, row: number): number | string {
  const value = heap.view.getInt32(at + row * 8 + 4, true) * 2 ** 32 + heap.u32(at + row * 8);
  return Number.isSafeInteger(value) ? value : integerForm(i64(heap, at, row));
}

const timestamp =
  (unit: TimeUnit, zoned = false): ReadCell =>
  (heap, at, row) =>
    timestampForm(i64(heap, at, row), unit, zoned);

const MAX_OFFSET_SECONDS = 16 * 60 * 60 - 1;

/** Time in the upper 40 bits; below, how far the offset is from its greatest. */
function timeTz(heap: Heap, at: number, row: number): string {
  const packed = u64(heap, at, row);
  return timeTzForm(packed >> 24n, MAX_OFFSET_SECONDS - Number(packed & 0xffffffn));
}

/** Stored with the sign bit turned, so that it sorts. */
function uuid(heap: Heap, at: number, row: number): string {
  const digits = (u128(heap, at, row) ^ (1n << 127n)).toString(16).padStart(32, '0');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const PLAIN: { readonly [id: number]: ReadCell } = {
  [TYPE.BOOLEAN]: (heap, at, row) => heap.bytes[at + row] !== 0,
  [TYPE.TINYINT]: (heap, at, row) => heap.view.getInt8(at + row),
  [TYPE.SMALLINT]: (heap, at, row) => heap.view.getInt16(at + row * 2, true),
  [TYPE.INTEGER]: (heap, at, row) => heap.view.getInt32(at + row * 4, true),
  [TYPE.BIGINT]: bigint,
  [TYPE.UTINYINT]: (heap, at, row) => heap.view.getUint8(at + row),
  [TYPE.USMALLINT]: (heap, at, row) => heap.view.getUint16(at + row * 2, true),
  [TYPE.UINTEGER]: (heap, at, row) => heap.u32(at + row * 4),
  [TYPE.UBIGINT]: (heap, at, row) => integerForm(u64(heap, at, row)),
  [TYPE.HUGEINT]: (heap, at, row) => integerForm(i128(heap, at, row)),
  [TYPE.UHUGEINT]: (heap, at, row) => integerForm(u128(heap, at, row)),
  [TYPE.FLOAT]: (heap, at, row) => floatForm(heap.view.getFloat32(at + row * 4, true)),
  [TYPE.DOUBLE]: (heap, at, row) => doubleForm(heap.view.getFloat64(at + row * 8, true)),
  [TYPE.VARCHAR]: text,
  [TYPE.BLOB]: (heap, at, row) => blobForm(heap.stringBytes(at, row)),
  [TYPE.BIT]: (heap, at, row) => bitForm(heap.stringBytes(at, row)),
  [TYPE.BIGNUM]: (heap, at, row) => bignumForm(heap.stringBytes(at, row)),
  [TYPE.UUID]: uuid,
  [TYPE.DATE]: (heap, at, row) => dateForm(heap.view.getInt32(at + row * 4, true)),
  [TYPE.TIME]: (heap, at, row) => timeForm(i64(heap, at, row)),
  [TYPE.TIME_NS]: (heap, at, row) => timeForm(i64(heap, at, row), 'ns'),
  [TYPE.TIME_TZ]: timeTz,
  [TYPE.TIMESTAMP]: timestamp('us'),
  [TYPE.TIMESTAMP_S]: timestamp('s'),
  [TYPE.TIMESTAMP_MS]: timestamp('ms'),
  [TYPE.TIMESTAMP_NS]: timestamp('ns'),
  [TYPE.TIMESTAMP_TZ]: timestamp('us', true),
  [TYPE.INTERVAL]: (heap, at, row) =>
    intervalForm(
      heap.view.getInt32(at + row * 16, true),
      heap.view.getInt32(at + row * 16 + 4, true),
      i64(heap, at, row * 2 + 1),
    ),
  [TYPE.SQLNULL]: () => null,
};

/** The readers of keys that may be NaN or infinite. */
const FLOATING: { readonly [id: number]: ReadCell } = {
  [TYPE.FLOAT]: (heap, at, row) => floatingKey(heap.view.getFloat32(at + row * 4, true), floatForm),
  [TYPE.DOUBLE]: (heap, at, row) => floatingKey(heap.view.getFloat64(at + row * 8, true), doubleForm),
};

/** The integer types in which DuckDB stores decimals and enum positions. */
const INTEGERS: { readonly [id: number]: (heap: Heap, at: number, row: number) => bigint } = {
  [TYPE.SMALLINT]: (heap, at, row) => BigInt(heap.view.getInt16(at + row * 2, true)),
  [TYPE.INTEGER]: (heap, at, row) => BigInt(heap.view.getInt32(at + row * 4, true)),
  [TYPE.BIGINT]: i64,
  [TYPE.HUGEINT]: i128,
  [TYPE.UTINYINT]: (heap, at, row) => BigInt(heap.view.getUint8(at + row)),
  [TYPE.USMALLINT]: (heap, at, row) => BigInt(heap.view.getUint16(at + row * 2, true)),
  [TYPE.UINTEGER]: (heap, at, row) => BigInt(heap.u32(at + row * 4)),
};

function decimalReader({ size, storage }: ColumnType): ReadCell {
  const stored = INTEGERS[storage] ?? i128;
  return (heap, at, row) => decimalForm(stored(heap, at, row), size);
}

function enumReader({ labels, storage }: ColumnType): ReadCell {
  const stored = INTEGERS[storage] ?? u64;
  return (heap, at, row) => labels[Number(stored(heap, at, row))] ?? null;
}
