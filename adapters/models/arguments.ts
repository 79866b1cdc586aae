import { isObject, type JsonObject, tryJson } from '../../src/json.ts';

/** The arguments of a model's tool call: as an object, or null if they are not an object, and as text. */
export interface SentArguments {
  readonly args: JsonObject | null;
  readonly raw: string;
}

/** Parses arguments that come as JSON text; an empty text is an empty object. */
export function fromText(raw: string): SentArguments {
  if (raw.trim() === '') return { args: {}, raw };
  const parsed = tryJson(raw);
  return { args: isObject(parsed) ? parsed : null, raw };
}

/** Converts arguments that come as data. */
export function fromData(data: unknown): SentArguments {
  return { args: isObject(data) ? data : null, raw: JSON.stringify(data) ?? '' };
}
