import type { DuckDBMaterializedResult, DuckDBType, DuckDBValue, DuckDBVector } from '@duckdb/node-api';
import type { JsonObject } from '../../../src/json.ts';
import type { SqlRequest, SqlResult } from '../../../src/ports.ts';
import { repeatedNames, uniqueNames } from '../../../src/sql/forms.ts';
import { enforceColumnText, leastRowBytes, nestedTooDeeply, rowsWithin } from '../../../src/sql/json-size.ts';
import { rowMaker } from '../../../src/sql/row-maker.ts';
import type { Driver } from '../driver/driver.ts';
import { lengthReader } from '../driver/texts.ts';
import { completeType, createDecoders, nameFieldsByPosition, typeName, unsendable } from './decode.ts';
import { createLengths } from './lengths.ts';

/** Converts the first rows of a result to their exact JSON form. */
export type ToResult = (result: DuckDBMaterializedResult, limits: ResultLimits) => SqlResult;

/** The most rows of a result, and the most bytes of their JSON. */
export type ResultLimits = Pick<SqlRequest, 'maxRows' | 'maxBytes'>;

/** Creates the converter of a driver's results. It throws `sql_failed` for a value that the driver cannot read for its depth. */
export function createToResult(driver: Driver): ToResult {
  const convert = createConvert(driver);
  return (result, limits) => {
    try {
      return convert(result, limits);
    } catch (thrown) {
      throw thrown instanceof RangeError ? nestedTooDeeply(thrown) : thrown;
    }
  };
}

function createConvert(driver: Driver): ToResult {
  const decoderOf = createDecoders(driver);
  const lengthsOf = createLengths(driver);
  return (result, { maxRows, maxBytes = Number.POSITIVE_INFINITY }) => {
    const { given, types, typeNames } = readColumns(driver, result);
    const repeated = repeatedNames(given);
    const names = uniqueNames(given);
    const columns = names.map((name, index) => ({ name, type: typeNames[index] ?? '' }));
    const decoders = types.map(decoderOf);
    // The names of columns and decoders are those that the statement gave.
    types.forEach(nameFieldsByPosition);
    const toRow = rowMaker(names);
    const rows: JsonObject[] = [];
    const { chunkCount } = result;
    let left = maxBytes;
    for (let index = 0; index < chunkCount && rows.length < maxRows && left >= 0; index += 1) {
      const chunk = result.getChunk(index);
      const vectors = types.map((type, column) => ({ type, vector: driver.vectorOf(chunk, column, type) }));
      const most = Math.min(chunk.rowCount, maxRows - rows.length);
      const lengths = vectors.flatMap(({ vector, type }) => lengthsOf(vector, type, left) ?? []);
      const count = rowsWithin(left, most, lengths);
      const cells = vectors.map(({ vector }, column) => {
        const read = readerOf(driver, vector, { count, bytes: left });
        const decode = decoders[column] ?? toNull;
        return (row: number) => decode(read(row));
      });
      for (let at = 0; at < count && left >= 0; at += 1) {
        const row = toRow(cells, at);
        left -= leastRowBytes(row, names);
        if (left >= 0) rows.push(row);
      }
      if (count < most) left = -1;
    }
    return {
      columns,
      rows,
      truncated: result.rowCount > rows.length,
      ...(repeated.length > 0 ? { repeated } : {}),
      ...(left < 0 ? { beyondBytes: true as const } : {}),
    };
  };
}

const toNull = () => null;

/** Reads the names of columns as the statement gave them, their types, and the types' names. */
function readColumns(driver: Driver, result: DuckDBMaterializedResult) {
  const [given, types, typeNames]: [string[], DuckDBType[], string[]] = [[], [], []];
  let length = 0;
  for (let index = 0; index < result.columnCount; index += 1) {
    const name = result.columnName(index);
    const type = completeType(driver, columnType(result, name, index));
    const named = typeName(type);
    length += name.length + named.length;
    enforceColumnText(length);
    given.push(name);
    types.push(type);
    typeNames.push(named);
  }
  return { given, types, typeNames };
}

function columnType(result: DuckDBMaterializedResult, name: string, index: number): DuckDBType {
  try {
    return result.columnType(index);
  } catch {
    throw unsendable(`UNKNOWN, ${name}`);
  }
}

/** Returns the reader of a column's first rows. It reads texts together if they have at most so many bytes. */
function readerOf(
  { api }: Driver,
  vector: DuckDBVector,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): (row: number) => DuckDBValue {
  const together =
    vector instanceof api.DuckDBVarCharVector && rowsWithin(bytes, count, [lengthReader(vector)]) === count;
  if (!together) return (row) => vector.getItem(row);
  const texts = vector.slice(0, count).toArray();
  return (row) => texts[row] ?? null;
}
