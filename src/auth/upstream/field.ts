import { isObject, type JsonObject, type JsonValue } from '../../json.ts';

/** A field's own text; null where it is missing, empty or something else. */
export function textOf(object: JsonObject, key: string): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : null;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The texts of a list, or the only one. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** The objects of a list. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
