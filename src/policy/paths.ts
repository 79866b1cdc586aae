import type { TypeNode } from '../types/node.ts';
import { propertyOf } from './fields.ts';

/** A path from a node to a descendant, with the keys that types and JSON Schemas share: `items`, `properties`, a name. */
export type Pointer = readonly string[];

/** Finds the declaration of the field at a dotted path. `open` means that the type allows undeclared fields there. */
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

function locateProperty(node: TypeNode, path: string): Pointer | 'open' | null {
  if (propertyOf(node, path) !== undefined) return ['properties', path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const property = propertyOf(node, name);
    const found = property && locateField(property, path.slice(dot + 1));
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
