import { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import { mapForm, structForm } from '../../../src/sql/forms.ts';
import type { Instance } from '../engine/instance.ts';
import type { ColumnType } from './column-type.ts';
import { cellReader } from './decode-scalar.ts';
import { TYPE } from './type-ids.ts';

/** Reads the value of one row out of a vector. */
export type Cell = (row: number) => JsonValue;

/** Returns a reader of a vector's values in their exact JSON form, valid until the chunk is destroyed. */
export function cellsOf(instance: Instance, vector: number, type: ColumnType): Cell {
  const { call, heap } = instance;
  const valid = call.duckdb_vector_get_validity(vector);
  const read = valuesOf(instance, vector, type);
  if (valid === 0) return read;
  return (row) => {
    const bits = heap.bytes[valid + (row >> 3)] ?? 0;
    return (bits & (1 << (row & 7))) === 0 ? null : read(row);
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

function partOf({ parts }: ColumnType, index: number): ColumnType {
  const part = parts[index];
  if (part === undefined) throw new SvcError('internal', `a nested type has no part ${index}`);
  return part;
}

interface Range {
  readonly start: number;
  readonly length: number;
}

function rangesOf({ call, heap }: Instance, vector: number): (row: number) => Range {
  const at = call.duckdb_vector_get_data(vector);
  return (row) => ({ start: heap.u32(at + row * 16), length: heap.u32(at + row * 16 + 8) });
}

const items = (cell: Cell, { start, length }: Range): JsonValue[] =>
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
  const keys = childCells(instance, entries, { part: partOf(type, 0), index: 0 });
  const values = childCells(instance, entries, { part: partOf(type, 1), index: 1 });
  return (row) => {
    const { start, length } = range(row);
    return mapForm(
      Array.from({ length }, (_, index) => [keys(start + index), values(start + index)] as const),
    );
  };
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
