import type { DuckDBDataChunk, DuckDBMaterializedResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { SqlResult } from '../../../src/ports.ts';
import { uniqueNames } from '../../../src/sql/forms.ts';
import type { Driver, VectorOf } from '../driver/driver.ts';
import { createDecoders, isNested, nameFieldsByPosition, typeName, unsendable } from './decode.ts';

/** Converts the first rows of a result to their exact JSON form. */
export type ToResult = (result: DuckDBMaterializedResult, maxRows: number) => SqlResult;

/** Creates the converter of a driver's results. */
export function createToResult(driver: Driver): ToResult {
  const decoderOf = createDecoders(driver);
  return (result, maxRows) => {
    const names = uniqueNames(result.columnNames());
    const types = names.map((name, index) => columnType(result, name, index));
    const decoders = types.map(decoderOf);
    const toRow = rowMaker(names);
    const rows: JsonObject[] = [];
    const { chunkCount } = result;
    for (let index = 0; index < chunkCount && rows.length < maxRows; index += 1) {
      const read = columnsOf(result.getChunk(index), types, driver.vectorOf);
      const columns = read.map((values, column) => values.map(decoders[column] ?? toNull));
      const count = Math.min(columns[0]?.length ?? 0, maxRows - rows.length);
      for (let row = 0; row < count; row += 1) rows.push(toRow(names, columns, row));
    }
    return {
      columns: types.map((type, index) => ({ name: names[index] ?? '', type: typeName(type) })),
      rows,
      truncated: result.rowCount > rows.length,
    };
  };
}

type Column = readonly JsonValue[];

/** Makes the row at an index from the values of the columns. */
type ToRow = (names: readonly string[], columns: readonly Column[], row: number) => JsonObject;

/** Returns the function that makes rows with these names. */
export function rowMaker(names: readonly string[]): ToRow {
  return names.includes('__proto__') ? toOddRow : toPlainRow;
}

const toNull = () => null;

function toPlainRow(names: readonly string[], columns: readonly Column[], row: number): JsonObject {
  const values: Record<string, JsonValue> = {};
  for (let index = 0; index < names.length; index += 1) {
    values[names[index] ?? ''] = columns[index]?.[row] ?? null;
  }
  return values;
}

/** Makes a row with a column called `__proto__`, which assignment cannot set. */
function toOddRow(names: readonly string[], columns: readonly Column[], row: number): JsonObject {
  return Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? null]));
}

function columnType(result: DuckDBMaterializedResult, name: string, index: number): DuckDBType {
  try {
    return result.columnType(index);
  } catch {
    throw unsendable(`UNKNOWN, ${name}`);
  }
}

function columnsOf(
  chunk: DuckDBDataChunk,
  types: readonly DuckDBType[],
  vectorOf: VectorOf,
): readonly (readonly DuckDBValue[])[] {
  return types.map((type, column) => {
    if (!isNested(type)) return vectorOf(chunk, column, type).toArray();
    const vector = chunk.getColumnVector(column);
    nameFieldsByPosition(vector.type);
    return vector.toArray();
  });
}
