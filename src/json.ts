/** A value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether a value is an object that is neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a list. Unlike `Array.isArray`, it keeps the element type of readonly JSON. */
export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Parses a JSON text; undefined for a text that is not JSON. */
export function tryJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text as it is, any other value as JSON. */
export function toTextOrJson(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
