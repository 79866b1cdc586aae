import type { JsonObject, JsonValue } from '../json.ts';
import { isObject } from '../types/coerce.ts';
import { type Content, JSON_TYPE, noBlob } from './content.ts';
import type { PythonEntry, Returned } from './python-entry.ts';
import { shapeResult } from './shape.ts';

/**
 * What a function returned in its declared shape. Rows are shaped like those of a statement, so that a function may
 * return what `db.execute` gave it; anything else is taken as it is.
 */
export function shapeReturned(returned: Returned, entry: PythonEntry): Content {
  const { returns, name, mimeType, kind } = entry;
  const media = mimeType !== undefined && !JSON_TYPE.test(mimeType);
  if (media && returned.binary) return { value: returned.value, binary: true };
  if (media && kind === 'tool') throw noBlob(name, mimeType, 'its function did not return bytes');
  const rows = toRows(returned.value);
  if (rows === null || returns === null) return { value: returned.value, binary: false };
  const columns = Object.keys(rows[0] ?? {}).map((column) => ({ name: column, type: '' }));
  return {
    value: shapeResult({ columns, rows, truncated: returned.truncated }, returns, name),
    binary: false,
  };
}

function toRows(value: JsonValue): readonly JsonObject[] | null {
  return Array.isArray(value) && value.every((item: JsonValue) => isObject(item)) ? value : null;
}
