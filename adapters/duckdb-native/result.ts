import type { DuckDBMaterializedResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { JsonObject } from '../../src/json.ts';
import type { SqlResult } from '../../src/ports.ts';
import { uniqueNames } from '../../src/sql/forms.ts';
import { type Decode, nameFieldsByPosition, unknownType } from './decode.ts';
import { typeName } from './type-name.ts';

/** The first rows of a result in their exact JSON form. */
export function toResult(result: DuckDBMaterializedResult, decode: Decode, maxRows: number): SqlResult {
  const names = uniqueNames(result.columnNames());
  const types = names.map((name, index) => columnType(result, name, index));
  const rows: JsonObject[] = [];
  for (let chunk = 0; chunk < result.chunkCount && rows.length < maxRows; chunk += 1) {
    const columns = columnsOf(result, chunk);
    const count = Math.min(columns[0]?.length ?? 0, maxRows - rows.length);
    for (let row = 0; row < count; row += 1) {
      const values = names.map(
        (name, index) => [name, decodeCell(columns[index]?.[row], types[index], decode)] as const,
      );
      rows.push(Object.fromEntries(values));
    }
  }
  return {
    columns: names.map((name, index) => ({ name, type: types[index] ? typeName(types[index]) : '' })),
    rows,
    truncated: result.rowCount > rows.length,
  };
}

function decodeCell(value: DuckDBValue | undefined, type: DuckDBType | undefined, decode: Decode) {
  return value === undefined || type === undefined ? null : decode(value, type);
}

function columnType(result: DuckDBMaterializedResult, name: string, index: number): DuckDBType {
  try {
    return result.columnType(index);
  } catch {
    throw unknownType(name);
  }
}

function columnsOf(result: DuckDBMaterializedResult, index: number): readonly (readonly DuckDBValue[])[] {
  const chunk = result.getChunk(index);
  return Array.from({ length: chunk.columnCount }, (_, column) => {
    const vector = chunk.getColumnVector(column);
    nameFieldsByPosition(vector.type);
    return vector.toArray();
  });
}
