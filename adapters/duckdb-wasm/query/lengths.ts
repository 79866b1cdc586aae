import {
  type LengthOf,
  leastBignumBytes,
  leastBitBytes,
  lengthOfEntry,
  lengthOfFields,
  lengthOfItems,
} from '../../../src/sql/json-size.ts';
import type { Instance } from '../engine/instance.ts';
import { orNull, partOf, rangesOf } from './decode.ts';
import { type ColumnType, TYPE } from './types.ts';

/** A vector, and the bytes beyond which its lengths do not matter. */
interface Column {
  readonly instance: Instance;
  readonly vector: number;
  readonly most: number;
}

/**
 * Returns the reader of a column's lengths, which adds up no more than is needed to exceed `most` bytes. Null for a type
 * whose values are all short, and for JSON, which may lose blanks.
 */
export function lengthsOf(column: Column, type: ColumnType): LengthOf | null {
  if (type.alias === 'JSON') return null;
  const lengthOf = LENGTHS[type.id]?.(column, type);
  return lengthOf === undefined ? null : orNull(column.instance, column.vector, lengthOf, 1);
}

type Lengths = (column: Column, type: ColumnType) => LengthOf;

const LENGTHS: { readonly [id: number]: Lengths } = {
  [TYPE.VARCHAR]: ofTexts,
  [TYPE.BLOB]: ofTexts,
  [TYPE.BIT]: (column) => ofBytes(column, leastBitBytes),
  [TYPE.BIGNUM]: (column) => ofBytes(column, leastBignumBytes),
  [TYPE.LIST]: ofLists,
  [TYPE.ARRAY]: ofArrays,
  [TYPE.STRUCT]: (column, { parts }) =>
    lengthOfFields(parts.map((part, index) => ofField(column, part, index))),
  [TYPE.MAP]: ofMaps,
  [TYPE.UNION]: ofUnions,
};

function ofTexts({ instance: { call, heap }, vector }: Column): LengthOf {
  const at = call.duckdb_vector_get_data(vector);
  return (row) => heap.stringLength(at, row);
}

function ofBytes(column: Column, leastOf: (bytes: number) => number): LengthOf {
  const bytesOf = ofTexts(column);
  return (row) => leastOf(bytesOf(row));
}

function ofLists(column: Column, type: ColumnType): LengthOf {
  return ofRanges(column, lengthsOf(itemsOf(column), partOf(type, 0)));
}

function ofMaps(column: Column, type: ColumnType): LengthOf {
  const [key, value] = [0, 1].map((index) => ofField(itemsOf(column), partOf(type, index), index));
  return ofRanges(column, lengthOfEntry(key ?? null, value ?? null));
}

function itemsOf(column: Column): Column {
  return { ...column, vector: column.instance.call.duckdb_list_vector_get_child(column.vector) };
}

function ofRanges({ instance, vector, most }: Column, item: LengthOf | null): LengthOf {
  const [range, lengthOf] = [rangesOf(instance, vector), lengthOfItems(item, most)];
  return (row) => lengthOf(range(row));
}

function ofArrays(column: Column, type: ColumnType): LengthOf {
  const vector = column.instance.call.duckdb_array_vector_get_child(column.vector);
  const lengthOf = lengthOfItems(lengthsOf({ ...column, vector }, partOf(type, 0)), column.most);
  return (row) => lengthOf({ start: row * type.size, length: type.size });
}

/** A union is a struct whose first child is the tag of the member that counts. */
function ofUnions(column: Column, { parts }: ColumnType): LengthOf {
  const { call, heap } = column.instance;
  const tags = call.duckdb_vector_get_data(call.duckdb_struct_vector_get_child(column.vector, 0, 0));
  const members = parts.map((part, index) => ofField(column, part, index + 1));
  return (row) => members[heap.bytes[tags + row] ?? 0]?.(row) ?? 0;
}

function ofField(column: Column, part: ColumnType, index: number): LengthOf | null {
  const vector = column.instance.call.duckdb_struct_vector_get_child(column.vector, index, 0);
  return lengthsOf({ ...column, vector }, part);
}
