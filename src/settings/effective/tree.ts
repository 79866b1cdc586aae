import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type Path, toPointer } from '../../project/yaml/position.ts';

/** One text, number, word or empty place of a tree. */
export interface Leaf {
  readonly path: Path;
  readonly value: Exclude<JsonValue, readonly JsonValue[] | JsonObject>;
}

/** Every leaf of a tree, in its order. */
export function leavesOf(value: JsonValue, path: Path = []): readonly Leaf[] {
  if (isList(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [{ path, value: value as Leaf['value'] }];
}

/** A copy with other leaves, by JSON pointer; leaves that are not named stay. */
export function replaceLeaves(
  value: JsonValue,
  leaves: ReadonlyMap<string, JsonValue>,
  path: Path = [],
): JsonValue {
  if (isList(value)) return value.map((item, index) => replaceLeaves(item, leaves, [...path, index]));
  if (!isObject(value)) return leaves.get(toPointer(path)) ?? value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, replaceLeaves(item, leaves, [...path, key])]));
}

/** What stands at a path; undefined where nothing does. */
export function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((around, key) => {
    if (isList(around)) return typeof key === 'number' ? around[key] : undefined;
    return isObject(around) && Object.hasOwn(around, key) ? around[key] : undefined;
  }, value);
}

/** A copy with a value at a path of keys; the maps on the way are made where they are missing. */
export function withValue(value: JsonValue | undefined, path: readonly string[], leaf: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  const around = isObject(value) ? value : {};
  return { ...around, [key]: withValue(around[key], rest, leaf) };
}

/** A path as people write it: `auth.clients[0].name`. */
export function toKey(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text ? '.' : ''}${key}`),
    '',
  );
}
