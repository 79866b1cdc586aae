import { isObject, type JsonObject, tryJson } from '../../src/json.ts';

/** What a model sent as arguments: an object, or null; as text in any case. */
export interface SentArguments {
  readonly args: JsonObject | null;
  readonly raw: string;
}

/** Arguments that come as JSON text; none at all is an empty object. */
export function fromText(raw: string): SentArguments {
  if (raw.trim() === '') return { args: {}, raw };
  const parsed = tryJson(raw);
  return { args: isObject(parsed) ? parsed : null, raw };
}

/** Arguments that come as data. */
export function fromData(data: unknown): SentArguments {
  return { args: isObject(data) ? data : null, raw: JSON.stringify(data) ?? '' };
}
