import type { TypeNode } from '../types/node.ts';

/** A path from a node to a descendant, with the keys that types and JSON Schemas share: `items`, `properties`, a name. */
export type Pointer = readonly string[];

/**
 * Finds the declaration of the field at a dotted path, whatever the case of letters. `open` means that the type allows
 * undeclared fields there.
 */
export function locateField(node: TypeNode, path: string): Pointer | 'open' | null {
  if (node.type === 'array') {
    return node.items === undefined ? 'open' : below(['items'], locateField(node.items, path));
  }
  if (node.type !== 'object') return null;
  if (node.properties === undefined || node.additionalProperties === true) {
    return locateProperty(node, path) ?? 'open';
  }
  return locateProperty(node, path);
}

function locateProperty({ properties = {} }: TypeNode, path: string): Pointer | 'open' | null {
  const key = path.toLowerCase();
  for (const [name, child] of Object.entries(properties)) {
    const start = `${name.toLowerCase()}.`;
    if (name.toLowerCase() === key) return ['properties', name];
    const found = key.startsWith(start) && locateField(child, key.slice(start.length));
    if (found) return below(['properties', name], found);
  }
  return null;
}

/** Finds every declaration that hiding a field changes: the case of letters does not count, and names may have dots. */
export function declarationsOf({ items, properties = {} }: TypeNode, path: string): readonly Pointer[] {
  const key = path.toLowerCase();
  const inItems = items === undefined ? [] : declarationsOf(items, key).map((found) => ['items', ...found]);
  const inProperties = Object.entries(properties).flatMap(([name, child]): readonly Pointer[] => {
    const [here, start] = [['properties', name], `${name.toLowerCase()}.`];
    if (name.toLowerCase() === key) return [here];
    if (!key.startsWith(start)) return [];
    return declarationsOf(child, key.slice(start.length)).map((found) => [...here, ...found]);
  });
  return [...inItems, ...inProperties];
}

function below(parent: Pointer, found: Pointer | 'open' | null): Pointer | 'open' | null {
  return found === null || found === 'open' ? found : [...parent, ...found];
}
