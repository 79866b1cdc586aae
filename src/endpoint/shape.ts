import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { SqlResult } from '../ports.ts';
import type { TypeNode } from '../types/node.ts';

/** Rows in the shape that `return` declares: all of them, the one row, or the one value. */
export function shapeResult(result: SqlResult, returns: TypeNode | null, endpoint: string): JsonValue {
  if (returns === null) return result.rows;
  if (returns.type === 'array') return toItems(result, returns.items);
  const row = onlyRow(result, returns, endpoint);
  if (row === null || returns.type === 'object') return row;
  return onlyValue(row, result, returns.type, endpoint);
}

/** An array of scalars takes the one column's values; anything else takes the rows as they are. */
function toItems(result: SqlResult, items: TypeNode | undefined): JsonValue {
  const column = result.columns[0];
  const scalar = items !== undefined && items.type !== 'object' && result.columns.length === 1;
  return scalar && column ? result.rows.map((row) => row[column.name] ?? null) : result.rows;
}

function onlyRow(result: SqlResult, returns: TypeNode, endpoint: string): JsonObject | null {
  const [row, more] = result.rows;
  if (row === undefined) {
    if (returns.nullable) return null;
    throw new SvcError('not_found', `Nothing was found: the query of ${endpoint} returned no row.`);
  }
  if (more === undefined && !result.truncated) return row;
  throw new SvcError(
    'result_invalid',
    `${endpoint} returned more than one row, but \`return\` declares type ${returns.type}. Add LIMIT 1 or a narrower WHERE, or declare type array.`,
  );
}

function onlyValue(row: JsonObject, result: SqlResult, type: string, endpoint: string): JsonValue {
  const [column, more] = result.columns;
  if (column === undefined || more !== undefined) {
    throw new SvcError(
      'result_invalid',
      `${endpoint} returned ${result.columns.length} columns, but \`return\` declares type ${type}, which takes one. Select one column, or declare type object.`,
    );
  }
  return row[column.name] ?? null;
}
