import { isList, isObject, type JsonValue } from '../json.ts';
import type { TypeNode } from '../types/node.ts';

/** What a masked value shows, whatever its type. */
export const MASK = '****';

type Entries = [string, JsonValue][];

/*
 * In SQL `salary` and `Salary` are one column, and rows come with the name that the table gives it. What a policy hides is
 * therefore hidden in any case of letters.
 */

/** A copy without the field at a dotted path; arrays on the way are walked through. */
export function filterField(value: JsonValue, path: string): JsonValue {
  return editField(value, path.toLowerCase(), (entries, key) =>
    entries.filter(([name]) => name.toLowerCase() !== key),
  );
}

/** A copy with the field at a dotted path masked. */
export function maskField(value: JsonValue, path: string): JsonValue {
  return editField(value, path.toLowerCase(), (entries, key) =>
    entries.map(([name, item]) => [name, name.toLowerCase() === key ? MASK : item]),
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
      .map(
        ([name, item]) =>
          [name, item, propertyOf(node, name) ?? lettersOf(node).get(name.toLowerCase())] as const,
      )
      .filter(([, , property]) => !property?.sensitive)
      .map(([name, item, property]) => [name, dropSensitive(item, property)]),
  );
}

const letters = new WeakMap<TypeNode, ReadonlyMap<string, TypeNode>>();

/** The declared properties of a node by their names in small letters; of several, one that is sensitive. */
function lettersOf(node: TypeNode): ReadonlyMap<string, TypeNode> {
  const known = letters.get(node);
  if (known) return known;
  const properties = Object.entries(node.properties ?? {});
  const sorted = properties.toSorted(
    ([, one], [, other]) => Number(one.sensitive ?? false) - Number(other.sensitive ?? false),
  );
  const made = new Map(sorted.map(([name, property]) => [name.toLowerCase(), property]));
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
