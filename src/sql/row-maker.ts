import type { JsonObject, JsonValue } from '../json.ts';

/** Reads a column's value of one row. */
export type Cell = (row: number) => JsonValue;

/** Makes the row at an index from its columns. */
export type ToRow = (cells: readonly Cell[], row: number) => JsonObject;

/** Returns the function that makes rows with these names. */
export function rowMaker(names: readonly string[]): ToRow {
  return names.includes('__proto__') ? toOddRow(names) : toPlainRow(names);
}

function toPlainRow(names: readonly string[]): ToRow {
  return (cells, row) => {
    const values: Record<string, JsonValue> = {};
    for (let index = 0; index < names.length; index += 1) {
      values[names[index] ?? ''] = cells[index]?.(row) ?? null;
    }
    return values;
  };
}

/** Makes a row with a column called `__proto__`, which assignment cannot set. */
function toOddRow(names: readonly string[]): ToRow {
  return (cells, row) => Object.fromEntries(names.map((name, index) => [name, cells[index]?.(row) ?? null]));
}
