import type { CallLimits, ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { ResultColumns } from '../policy/columns.ts';
import type { PythonResult, SqlResult } from '../ports.ts';
import type { TypeNode } from '../types/node.ts';
import { validatorOf } from '../types/validate.ts';
import { toLines } from './arguments.ts';
import type { PythonEntry } from './python.ts';
import type { Outcome, Truncation } from './runtime.ts';

/** A result in the form that `return` and the media type ask for. */
export interface Content {
  readonly value: JsonValue;
  /** Whether the value is one BLOB, as base64. */
  readonly binary: boolean;
}

/** The value that output policies look at, in its declared shape. */
export interface Produced extends Content {
  /** The number of rows that the statement or the function returned. */
  readonly count: number;
  readonly truncated: boolean;
  /** Whether the engine left out rows because the result is larger than it may be. */
  readonly beyondBytes?: boolean;
  /** The columns of a statement; null for other results. */
  readonly columns: ResultColumns | null;
}

/** Media types whose content is the JSON of a value. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/**
 * Shapes the rows of a statement as `return` declares. A media type other than JSON without `return` takes the one
 * value of the one row. Throws result_invalid for rows that do not fit, not_found for a single row that is missing.
 */
export function shapeRows(result: SqlResult, entry: ToolEntry | ResourceEntry): Content {
  const { returns, name, mimeType } = entry;
  if (mimeType === undefined || JSON_TYPE.test(mimeType)) {
    return { value: shapeResult(result, returns, entry), binary: false };
  }
  const rows = result.rows.length + (result.beyondBytes ? 1 : 0);
  const single = rows < 2 && result.columns.length === 1;
  const shape = returns ?? (single ? SINGLE : null);
  const value = shapeResult(result, shape, entry);
  if (shape === SINGLE && value === null) {
    throw new SvcError('not_found', `Nothing was found: the query of ${name} returned NULL.`);
  }
  const binary = shape?.type === 'string' && result.columns[0]?.type === 'BLOB' && value !== null;
  if (entry.kind === 'tool' && !binary)
    throw noBlob(name, mimeType, 'its query did not give one row with one BLOB');
  return { value, binary };
}

const SINGLE = { type: 'string' } as const;

/** The error of a tool that returns something else than its media type. */
function noBlob(name: string, mimeType: string, why: string): SvcError {
  return new SvcError('result_invalid', `${name} declares mime_type ${mimeType}, but ${why}.`);
}

/** The name of an endpoint and its limits. */
type Limited = Pick<ToolEntry | ResourceEntry, 'name' | 'limits'>;

/** Gives rows the shape that `return` declares: all of them, the one row, or the one value. */
function shapeResult(result: SqlResult, returns: TypeNode | null, endpoint: Limited): JsonValue {
  if (returns === null) return result.rows;
  if (returns.type === 'array') return toItems(result, returns.items);
  const row = onlyRow(result, returns, endpoint);
  if (row === null || returns.type === 'object') return row;
  return onlyValue(row, result, returns.type, endpoint.name);
}

/** An array of scalars takes the one column's values; anything else takes the rows as they are. */
function toItems(result: SqlResult, items: TypeNode | undefined): JsonValue {
  const column = result.columns[0];
  const scalar = items !== undefined && items.type !== 'object' && result.columns.length === 1;
  return scalar && column ? result.rows.map((row) => row[column.name] ?? null) : result.rows;
}

function onlyRow(result: SqlResult, returns: TypeNode, { name, limits }: Limited): JsonObject | null {
  const [row, more] = result.rows;
  if (row === undefined) {
    if (result.beyondBytes) throw tooLarge(limits);
    if (returns.nullable) return null;
    throw new SvcError('not_found', `Nothing was found: the query of ${name} returned no row.`);
  }
  if (more === undefined && !result.truncated) return row;
  throw new SvcError(
    'result_invalid',
    `${name} returned more than one row, but \`return\` declares type ${returns.type}. Add LIMIT 1 or a narrower WHERE, or declare type array.`,
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

/**
 * Shapes the return value of a function. A list of rows is shaped like the rows of a statement, so that a function may
 * return what `db.execute` gave it; any other value stays as it is.
 */
export function shapeReturned(returned: PythonResult, entry: PythonEntry): Content {
  const { returns, name, mimeType, kind } = entry;
  const media = mimeType !== undefined && !JSON_TYPE.test(mimeType);
  if (media && returned.binary) return { value: returned.value, binary: true };
  if (media && kind === 'tool') throw noBlob(name, mimeType, 'its function did not return bytes');
  const rows = toRows(returned.value);
  if (rows === null || returns === null) return { value: returned.value, binary: false };
  const columns = Object.keys(rows[0] ?? {}).map((column) => ({ name: column, type: '' }));
  return {
    value: shapeResult({ columns, rows, truncated: returned.truncated }, returns, entry),
    binary: false,
  };
}

function toRows(value: JsonValue): readonly JsonObject[] | null {
  return Array.isArray(value) && value.every((item: JsonValue) => isObject(item)) ? value : null;
}

/** Throws result_invalid for a value that `return` does not allow. */
export function checkResult({ name, returns }: ToolEntry | ResourceEntry, value: JsonValue): void {
  if (returns === null) return;
  const checked = validatorOf(returns, 'output')(value);
  if (checked.ok) return;
  throw new SvcError(
    'result_invalid',
    `${name} returned what \`return\` does not allow:\n${toLines(checked.issues)}`,
  );
}

const encoder = new TextEncoder();

/**
 * Holds a value to its limits: a list is cut after the last item that fits and says so. Throws result_too_large for
 * any other value.
 */
export function enforceLimits(
  value: JsonValue,
  { truncated: rowsTruncated, beyondBytes = false }: Pick<Produced, 'truncated' | 'beyondBytes'>,
  limits: CallLimits,
): Outcome {
  const all = rowsTruncated ? rowTruncation(limits) : null;
  if (!beyondBytes && !hasLongNames(value, limits.bytes)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (fits(text, limits.bytes)) return { value, text, truncated: all };
  }
  if (!isList(value)) throw tooLarge(limits);
  const items = cutToBytes(value, limits.bytes);
  const isCut = beyondBytes || items.length < value.length;
  const truncated = isCut ? byteTruncation(limits, items.length) : all;
  return { value: items, text: JSON.stringify(items), truncated };
}

function tooLarge({ bytes }: CallLimits): SvcError {
  return new SvcError(
    'result_too_large',
    `The result is larger than the ${bytes} bytes this endpoint may return.`,
  );
}

/** Whether the names of the first row, if each row has them, have more bytes. The engine counts no name of a single column. */
function hasLongNames(value: JsonValue, bytes: number): boolean {
  const [row] = isList(value) ? value : [];
  if (!isList(value) || !isObject(row)) return false;
  return Object.keys(row).reduce((sum, name) => sum + name.length, 0) * value.length > bytes;
}

/** A UTF-16 unit takes at most three bytes, so most results are settled without encoding them. */
function fits(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return true;
  return text.length <= bytes && encoder.encode(text).length <= bytes;
}

function cutToBytes(items: readonly JsonValue[], bytes: number): readonly JsonValue[] {
  let left = bytes - 2;
  const end = items.findIndex((item) => {
    left -= encoder.encode(JSON.stringify(item)).length + 1;
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

function rowTruncation(limits: CallLimits): Truncation {
  return {
    reason: 'rows',
    limit: limits.rows,
    hint: `Only the first ${limits.rows} rows are shown. Narrow the arguments, or ask for less at a time.`,
  };
}

function byteTruncation(limits: CallLimits, shown: number): Truncation {
  return {
    reason: 'bytes',
    limit: limits.bytes,
    hint: `Only the first ${shown} items are shown: the result is larger than ${limits.bytes} bytes. Narrow the arguments, or ask for less at a time.`,
  };
}
