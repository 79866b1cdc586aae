import type { JsonValue } from '../json.ts';
import { isList } from '../types/canonical.ts';
import { isObject } from '../types/coerce.ts';
import type { TypeNode } from '../types/node.ts';

/** What a masked value shows, whatever its type. */
export const MASK = '****';

type Entries = [string, JsonValue][];

/** A copy without the field at a dotted path; arrays on the way are walked through. */
export function filterField(value: JsonValue, path: string): JsonValue {
  return editField(value, path, (entries, key) => entries.filter(([name]) => name !== key));
}

/** A copy with the field at a dotted path masked. */
export function maskField(value: JsonValue, path: string): JsonValue {
  return editField(value, path, (entries, key) =>
    entries.map(([name, item]) => [name, name === key ? MASK : item]),
  );
}

/** A copy without what `return` declares sensitive, at any depth; a sensitive root is null. */
export function dropSensitive(value: JsonValue, node: TypeNode | undefined): JsonValue {
  if (node === undefined) return value;
  if (node.sensitive) return null;
  if (isList(value)) return node.items?.sensitive ? [] : value.map((item) => dropSensitive(item, node.items));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !propertyOf(node, name)?.sensitive)
      .map(([name, item]) => [name, dropSensitive(item, propertyOf(node, name))]),
  );
}

/** A declared property of a node. */
export function propertyOf(node: TypeNode, name: string): TypeNode | undefined {
  return node.properties && Object.hasOwn(node.properties, name) ? node.properties[name] : undefined;
}

function editField(
  value: JsonValue,
  path: string,
  edit: (entries: Entries, key: string) => Entries,
): JsonValue {
  if (isList(value)) return value.map((item) => editField(item, path, edit));
  if (!isObject(value)) return value;
  const here = Object.hasOwn(value, path) ? edit(Object.entries(value), path) : Object.entries(value);
  return Object.fromEntries(
    here.map(([name, item]) => {
      const below = path.startsWith(`${name}.`) ? path.slice(name.length + 1) : null;
      return [name, below === null ? item : editField(item, below, edit)];
    }),
  );
}
