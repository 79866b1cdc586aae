import { SvcError } from '../errors.ts';
import { isList, type JsonObject, type JsonValue } from '../json.ts';

/** The deepest nesting of a result's values. Beyond it, the functions that read values would exhaust the stack. */
const MAX_DEPTH = 1_000;

/**
 * Returns a number of bytes that the JSON of a value surely has: the length of its texts and names, and a few bytes for
 * everything else. It takes a small part of the time of making the JSON.
 *
 *     leastBytes(['é', 1]) // 5, and the JSON has 8 bytes
 *
 * Throws `sql_failed` for a value that is nested too deeply.
 */
export function leastBytes(value: JsonValue, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth === MAX_DEPTH) throw nestedTooDeeply();
  let bytes = 1;
  // Loops, because this runs for every value of a result.
  if (isList(value)) for (const item of value) bytes += leastBytes(item, depth + 1) + 1;
  else
    for (const name of Object.keys(value))
      bytes += name.length + 4 + leastBytes(value[name] ?? null, depth + 1);
  return bytes;
}

/** The error for a value that is nested too deeply to be read. */
export function nestedTooDeeply(cause?: unknown): SvcError {
  const message = `The result has a value that is nested more than ${MAX_DEPTH} levels deep. Cast it to VARCHAR.`;
  return new SvcError('sql_failed', message, { cause });
}

/** Does the same for a row. Its names do not count if it has one column, because `return` may ask for bare values. */
export function leastRowBytes(row: JsonObject, names: readonly string[]): number {
  let bytes = 0;
  for (const name of names)
    bytes += leastBytes(row[name] ?? null) + (names.length === 1 ? 0 : name.length + 4);
  return bytes;
}

/** Returns how many of the first rows have values of at most so many bytes. It reads their lengths and no value. */
export function rowsWithin(bytes: number, count: number, lengths: readonly LengthOf[]): number {
  if (lengths.length === 0 || bytes === Number.POSITIVE_INFINITY) return count;
  let left = bytes;
  for (let row = 0; row < count; row += 1) {
    for (const lengthOf of lengths) left -= lengthOf(row);
    if (left < 0) return row;
  }
  return count;
}

/** The most characters of the names and types of a result's columns. */
const MOST_COLUMN_TEXT = 4_194_304;

/**
 * Throws `result_too_large` if the names and types of a result's columns have so many characters that they fill the memory.
 * A short statement can give one long type to thousands of columns, even without a row.
 */
export function enforceColumnText(length: number): void {
  if (length <= MOST_COLUMN_TEXT) return;
  const message = 'The names and types of the columns are too long. Select fewer columns.';
  throw new SvcError('result_too_large', message);
}

/**
 * Returns a number of bytes that the JSON of a row's value surely has. It reads the lengths of texts and lists, not the
 * value. Types whose values are all short have none.
 */
export type LengthOf = (row: number) => number;

/** The items of one list among those of all lists of a column. */
export interface ItemRange {
  readonly start: number;
  readonly length: number;
}

/** Returns the least bytes of a STRUCT, which counts as a list of its fields. A field without a length has one byte. */
export function lengthOfFields(fields: readonly (LengthOf | null)[]): LengthOf {
  const lengths = fields.filter((field) => field !== null);
  const others = 1 + 2 * fields.length - lengths.length;
  return (row) => {
    let bytes = others;
    for (const lengthOf of lengths) bytes += lengthOf(row);
    return bytes;
  };
}

/** Returns the least bytes of an entry of a MAP, whose key may be an empty text. */
export function lengthOfEntry(key: LengthOf | null, value: LengthOf | null): LengthOf {
  return lengthOfFields([key ?? (() => 0), value]);
}

/** Returns the least bytes of a list. It adds up items until they have more than `most` bytes. */
export function lengthOfItems(itemOf: LengthOf | null, most: number): (range: ItemRange) => number {
  return ({ start, length }) => {
    if (itemOf === null) return 1 + 2 * length;
    let bytes = 1 + length;
    for (let at = start; at < start + length && bytes <= most; at += 1) bytes += itemOf(at);
    return bytes;
  };
}

/** Returns the least bytes of a BIT of so many of DuckDB's bytes: one says how many bits of the next do not count. */
export const leastBitBytes = (bytes: number): number => Math.max(0, bytes - 2) * 8;

/** Returns the least bytes of a BIGNUM of so many of DuckDB's bytes: three are a header, and the next may be small. */
export const leastBignumBytes = (bytes: number): number => Math.max(0, bytes - 4) * 2;
