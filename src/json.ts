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

type Revive = (key: string, value: JsonValue, context: { readonly source?: string }) => JsonValue;

/**
 * Parses a JSON text with a reviver that also gets the text of each number, as it is written. Every engine passes this text;
 * TypeScript's library does not declare it yet.
 */
export const parseWithSources = JSON.parse as (text: string, revive: Revive) => JsonValue;

/** Whether a number is a whole one beyond 2^53. JSON has no integers, so its text may have been another number. */
export function isInexact(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** A text as it is, any other value as JSON. */
export function toTextOrJson(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value under a key of an object; undefined if the object itself does not have the key. */
export function own<Value>(object: { readonly [key: string]: Value }, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Reads a text field; null if it is missing, empty or not text. */
export function textOf(object: JsonObject, key: string): string | null {
  const value = own(object, key);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the texts of a list. A single text counts as a list of one. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Returns the objects of a list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
