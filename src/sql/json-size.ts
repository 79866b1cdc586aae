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

/** Returns how many of the first rows have texts of at most so many bytes. It reads their lengths and no text. */
export function rowsWithin(bytes: number, count: number, lengths: readonly LengthOf[]): number {
  if (lengths.length === 0) return count;
  let left = bytes;
  for (let row = 0; row < count; row += 1) {
    for (const lengthOf of lengths) left -= lengthOf(row);
    if (left < 0) return row;
  }
  return count;
}

/** Returns the bytes of the text or the BLOB of a row; 0 for NULL. */
export type LengthOf = (row: number) => number;
