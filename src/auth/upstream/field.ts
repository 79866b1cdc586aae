import { isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** Reads a text field; null if it is missing, empty or not text. */
export function textOf(object: JsonObject, key: string): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : null;
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
