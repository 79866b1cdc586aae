import type { JsonObject } from '../../../src/json.ts';
import type { SqlColumn, SqlRequest, SqlResult } from '../../../src/ports.ts';
import { repeatedNames, uniqueNames } from '../../../src/sql/forms.ts';
import { enforceColumnText, type LengthOf, leastRowBytes, rowsWithin } from '../../../src/sql/json-size.ts';
import { type Cell, rowMaker } from '../../../src/sql/row-maker.ts';
import type { Instance } from '../engine/instance.ts';
import { memoryError } from '../errors.ts';
import { cellsOf } from './decode.ts';
import { lengthsOf } from './lengths.ts';
import { type ColumnType, takeType } from './types.ts';

/** A result: its columns, and its rows in their exact JSON form. */
export interface ResultRows {
  readonly columns: readonly SqlColumn[];
  readonly rows: readonly JsonObject[];
}

/** Reads all rows of a result. */
export function readResult(instance: Instance, result: number): ResultRows {
  const { columns, rows } = toResult(instance, result, { maxRows: Number.POSITIVE_INFINITY });
  return { columns, rows };
}

/** Reads the first rows of a result, as many as its limits allow. `truncated` says whether there were more. */
export function toResult(
  instance: Instance,
  result: number,
  { maxRows, maxBytes = Number.POSITIVE_INFINITY }: Pick<SqlRequest, 'maxRows' | 'maxBytes'>,
): SqlResult {
  const { given, types } = readColumns(instance, result);
  const repeated = repeatedNames(given);
  const names = uniqueNames(given);
  const toRow = rowMaker(names);
  const rows: JsonObject[] = [];
  let left = maxBytes;
  for (const chunk of chunksOf(instance, result)) {
    const { cells, lengths, size } = columnsOf(instance, chunk, { types, left });
    const most = Math.min(size, maxRows - rows.length);
    const count = rowsWithin(left, most, lengths);
    for (let at = 0; at < count && left >= 0; at += 1) {
      const row = toRow(cells, at);
      left -= leastRowBytes(row, names);
      if (left >= 0) rows.push(row);
    }
    if (count < most) left = -1;
    if (left < 0 || rows.length >= maxRows) break;
  }
  return {
    columns: names.map((name, index) => ({ name, type: types[index]?.name ?? '' })),
    rows,
    truncated: instance.call.duckdb_row_count(result) > rows.length,
    ...(repeated.length > 0 ? { repeated } : {}),
    ...(left < 0 ? { beyondBytes: true as const } : {}),
  };
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

/** Reads the names of columns as the statement gave them, and their types. */
function readColumns(instance: Instance, result: number) {
  const { call, heap } = instance;
  const [given, types]: [string[], ColumnType[]] = [[], []];
  const count = call.duckdb_column_count(result);
  let length = 0;
  for (let index = 0; index < count; index += 1) {
    const name = heap.cString(call.duckdb_column_name(result, index, 0));
    const type = takeType(instance, call.duckdb_column_logical_type(result, index, 0));
    length += name.length + type.name.length;
    enforceColumnText(length);
    given.push(name);
    types.push(type);
  }
  return { given, types };
}

interface Columns {
  readonly cells: readonly Cell[];
  /** The lengths of texts and nested values. */
  readonly lengths: readonly LengthOf[];
  /** The number of rows. */
  readonly size: number;
}

function columnsOf(
  instance: Instance,
  chunk: number,
  { types, left }: { readonly types: readonly ColumnType[]; readonly left: number },
): Columns {
  const { call } = instance;
  const vectors = types.map((_, index) => call.duckdb_data_chunk_get_vector(chunk, index, 0));
  return {
    cells: types.map((type, index) => cellsOf(instance, vectors[index] ?? 0, type)),
    lengths: types.flatMap(
      (type, index) => lengthsOf({ instance, vector: vectors[index] ?? 0, most: left }, type) ?? [],
    ),
    size: call.duckdb_data_chunk_get_size(chunk),
  };
}
