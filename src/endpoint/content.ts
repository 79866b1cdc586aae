import type { ResourceEntry, ToolEntry } from '../catalog/model.ts';
import { SvcError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { SqlResult } from '../ports.ts';
import { shapeResult } from './shape.ts';

/** A result in the form that `return` and the media type give it. */
export interface Content {
  readonly value: JsonValue;
  /** The value is one BLOB, as base64. */
  readonly binary: boolean;
}

/** Media types whose content is the JSON of a value. */
export const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** A value as `return` declares it; of a picture, a sound or a document without `return`, the one value itself. */
export function shapeContent(result: SqlResult, entry: ToolEntry | ResourceEntry): Content {
  const { returns, name, mimeType } = entry;
  if (mimeType === undefined || JSON_TYPE.test(mimeType)) {
    return { value: shapeResult(result, returns, name), binary: false };
  }
  const single = result.rows.length < 2 && result.columns.length === 1;
  const shape = returns ?? (single ? SINGLE : null);
  const value = shapeResult(result, shape, name);
  if (shape === SINGLE && value === null) {
    throw new SvcError('not_found', `Nothing was found: the query of ${name} returned NULL.`);
  }
  const binary = shape?.type === 'string' && result.columns[0]?.type === 'BLOB' && value !== null;
  if (entry.kind === 'tool' && !binary)
    throw noBlob(name, mimeType, 'its query did not give one row with one BLOB');
  return { value, binary };
}

const SINGLE = { type: 'string' } as const;

/** Of a tool whose result is none of what its media type says. */
export function noBlob(name: string, mimeType: string, why: string): SvcError {
  return new SvcError('result_invalid', `${name} declares mime_type ${mimeType}, but ${why}.`);
}
