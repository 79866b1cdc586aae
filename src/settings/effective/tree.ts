import { isList, isObject, type JsonObject, type JsonValue } from '../../json.ts';
import { type Path, toPointer } from '../../project/yaml/position.ts';

/** One scalar value of a tree and its path. */
interface Leaf {
  readonly path: Path;
  readonly value: Exclude<JsonValue, readonly JsonValue[] | JsonObject>;
}

/** Every leaf of a tree, in order. */
export function leavesOf(value: JsonValue, path: Path = []): readonly Leaf[] {
  if (isList(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [{ path, value: value as Leaf['value'] }];
}

/** Copies a tree and replaces leaves, by JSON pointer. Other leaves stay. */
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

/** The value at a path; undefined if there is none. */
export function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((around, key) => {
    if (isList(around)) return typeof key === 'number' ? around[key] : undefined;
    return isObject(around) && Object.hasOwn(around, key) ? around[key] : undefined;
  }, value);
}

/** Copies a tree with a value at a path of keys. Missing maps on the way are created. */
export function withValue(value: JsonValue | undefined, path: readonly string[], leaf: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  const around = isObject(value) ? value : {};
  return { ...around, [key]: withValue(around[key], rest, leaf) };
}

/** A path in the notation of the documentation: `auth.clients[0].name`. */
export function toKey(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text ? '.' : ''}${key}`),
    '',
  );
}
