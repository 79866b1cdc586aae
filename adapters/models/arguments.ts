import type { JsonObject, JsonValue } from '../../src/json.ts';
import { isObject } from '../../src/types/coerce.ts';

/** What a model sent as arguments: an object, or null; as text in any case. */
export interface SentArguments {
  readonly args: JsonObject | null;
  readonly raw: string;
}

/** Arguments that come as JSON text; none at all is an empty object. */
export function fromText(raw: string): SentArguments {
  if (raw.trim() === '') return { args: {}, raw };
  try {
    const parsed: JsonValue = JSON.parse(raw);
    return { args: isObject(parsed) ? parsed : null, raw };
  } catch {
    return { args: null, raw };
  }
}

/** Arguments that come as data. */
export function fromData(data: unknown): SentArguments {
  return { args: isObject(data) ? data : null, raw: JSON.stringify(data) ?? '' };
}
