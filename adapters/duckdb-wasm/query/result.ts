import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { SqlColumn, SqlResult } from '../../../src/ports.ts';
import { uniqueNames } from '../../../src/sql/forms.ts';
import type { Instance } from '../engine/instance.ts';
import { memoryError } from '../errors.ts';
import { type Cell, cellsOf } from './decode.ts';
import { type ColumnType, takeType } from './types.ts';

/** A result: its columns, and its rows in their exact JSON form. */
export interface ResultRows {
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly JsonObject[];
}

/** Reads all rows of a result. */
export function readResult(instance: Instance, result: number): ResultRows {
  const types = readTypes(instance, result);
  const names = readNames(instance, result, types.length);
  const rows: JsonObject[] = [];
  for (const chunk of chunksOf(instance, result)) appendRows(instance, chunk, { names, types }, rows);
  return { columns: names.map((name, index) => ({ name, type: types[index]?.name ?? '' })), rows };
}

/** Reads a result and returns at most `maxRows` of its rows. `truncated` says whether there were more. */
export function toResult(instance: Instance, result: number, maxRows: number): SqlResult {
  const { columns, rows } = readResult(instance, result);
  return { columns, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
}

/**
 * Yields each chunk of rows, which is destroyed when the next one is requested. We count the rows, because the C API
 * reports "out of memory" and "no more rows" identically. Throws `memory_exceeded`.
 */
export function* chunksOf({ call, heap, scratch }: Instance, result: number): Generator<number> {
  let left = call.duckdb_row_count(result);
  for (let chunk = call.duckdb_fetch_chunk(result); chunk !== 0; chunk = call.duckdb_fetch_chunk(result)) {
    left -= call.duckdb_data_chunk_get_size(chunk);
    try {
      yield chunk;
    } finally {
      heap.setU32(scratch, chunk);
      call.duckdb_destroy_data_chunk(scratch);
    }
  }
  if (left > 0) throw memoryError(`no memory for the last ${left} rows`);
}

function readTypes(instance: Instance, result: number): ColumnType[] {
  const { call } = instance;
  return Array.from({ length: call.duckdb_column_count(result) }, (_, index) =>
    takeType(instance, call.duckdb_column_logical_type(result, index, 0)),
  );
}

function readNames({ call, heap }: Instance, result: number, count: number): readonly string[] {
  return uniqueNames(
    Array.from({ length: count }, (_, index) => heap.cString(call.duckdb_column_name(result, index, 0))),
  );
}

interface Columns {
  readonly names: readonly string[];
  readonly types: readonly ColumnType[];
}

function appendRows(instance: Instance, chunk: number, { names, types }: Columns, rows: JsonObject[]): void {
  const { call } = instance;
  const cells = types.map((type, index) =>
    cellsOf(instance, call.duckdb_data_chunk_get_vector(chunk, index, 0), type),
  );
  const count = call.duckdb_data_chunk_get_size(chunk);
  const toRow = names.includes('__proto__') ? toOddRow : toPlainRow;
  for (let row = 0; row < count; row += 1) rows.push(toRow(names, cells, row));
}

function toPlainRow(names: readonly string[], cells: readonly Cell[], row: number): JsonObject {
  const values: Record<string, JsonValue> = {};
  names.forEach((name, index) => {
    values[name] = cells[index]?.(row) ?? null;
  });
  return values;
}

/** Makes a row with a column called `__proto__`, which assignment cannot set. */
function toOddRow(names: readonly string[], cells: readonly Cell[], row: number): JsonObject {
  return Object.fromEntries(names.map((name, index) => [name, cells[index]?.(row) ?? null]));
}
