import { isList, isObject, type JsonValue } from '../json.ts';
import type { TypeNode } from '../types/node.ts';

/** The replacement of a masked value of any type. */
export const MASK = '****';

type Entries = [string, JsonValue][];

/*
 * In SQL `salary` and `Salary` are one column, and a row has the
 * spelling of its table. Policies therefore ignore the case of letters.
 */

/** Copies a value without the field at a dotted path. Applies to each item of arrays on the way. */
export function filterField(value: JsonValue, path: string): JsonValue {
  return editField(value, path.toLowerCase(), (entries, key) =>
    entries.filter(([name]) => name.toLowerCase() !== key),
  );
}

/** Copies a value and masks the field at a dotted path. */
export function maskField(value: JsonValue, path: string): JsonValue {
  return editField(value, path.toLowerCase(), (entries, key) =>
    entries.map(([name, item]) => [name, name.toLowerCase() === key ? MASK : item]),
  );
}

/** Whether a value has the field at a dotted path, in any item of lists on the way. Null and empty lists hide nothing. */
export function hasField(value: JsonValue, path: string): boolean {
  if (value === null) return true;
  if (isList(value)) return value.length === 0 || value.some((item) => hasField(item, path));
  if (!isObject(value)) return false;
  const key = path.toLowerCase();
  return Object.entries(value).some(([name, item]) => {
    const start = `${name.toLowerCase()}.`;
    return name.toLowerCase() === key || (key.startsWith(start) && hasField(item, key.slice(start.length)));
  });
}

/** Whether `return` declares the field at a dotted path; a result may lack it if it is optional. */
export function declaresField(node: TypeNode | null, path: string): boolean {
  if (node === null) return false;
  if (node.items) return declaresField(node.items, path);
  const key = path.toLowerCase();
  return Object.entries(node.properties ?? {}).some(([name, child]) => {
    const start = `${name.toLowerCase()}.`;
    return (
      name.toLowerCase() === key || (key.startsWith(start) && declaresField(child, key.slice(start.length)))
    );
  });
}

/** Copies a value without the parts that `return` declares sensitive, at any depth. A sensitive root becomes null. */
export function dropSensitive(value: JsonValue, node: TypeNode | undefined): JsonValue {
  if (node === undefined) return value;
  if (node.sensitive) return null;
  if (isList(value)) return node.items?.sensitive ? [] : value.map((item) => dropSensitive(item, node.items));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(
        ([name, item]) =>
          [name, item, propertyOf(node, name) ?? lettersOf(node).get(name.toLowerCase())] as const,
      )
      .filter(([, , property]) => !property?.sensitive)
      .map(([name, item, property]) => [name, dropSensitive(item, property)]),
  );
}

const letters = new WeakMap<TypeNode, ReadonlyMap<string, TypeNode>>();

/** The declared properties by their names in lower case. A sensitive one wins over others with the same name. */
function lettersOf(node: TypeNode): ReadonlyMap<string, TypeNode> {
  const known = letters.get(node);
  if (known) return known;
  const properties = Object.entries(node.properties ?? {}).map(
    ([name, property]) => [name.toLowerCase(), property] as const,
  );
  const made = new Map([...properties, ...properties.filter(([, { sensitive }]) => sensitive)]);
  letters.set(node, made);
  return made;
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
  return Object.fromEntries(
    edit(Object.entries(value), path).map(([name, item]) => {
      const start = `${name.toLowerCase()}.`;
      return [name, path.startsWith(start) ? editField(item, path.slice(start.length), edit) : item];
    }),
  );
}
