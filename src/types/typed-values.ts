import { isList, isObject, type JsonValue, own } from '../json.ts';
import { COERCE } from './coerce.ts';
import type { TypeNode } from './node.ts';

/** Converts the defaults and the examples of a type to the type, at any depth: `default: 1` of a boolean is true. */
export function withTypedValues<Node extends TypeNode>(node: Node): Node {
  const { default: given, examples, items, properties } = node;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, withTypedValues(field)]);
  return {
    ...node,
    ...(given === undefined ? {} : { default: toTyped(node, given) }),
    ...(examples && { examples: examples.map((example) => toTyped(node, example)) }),
    ...(items && { items: withTypedValues(items) }),
    ...(properties && { properties: Object.fromEntries(fields) }),
  };
}

function toTyped(node: TypeNode, written: JsonValue): JsonValue {
  const coerced = written === null ? { value: written } : COERCE[node.type](written);
  const value = 'value' in coerced ? coerced.value : written;
  const { items, properties = {} } = node;
  if (isList(value)) return items === undefined ? value : value.map((item) => toTyped(items, item));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, item]) => {
    const property = own(properties, name);
    return [name, property === undefined ? item : toTyped(property, item)];
  });
  return Object.fromEntries(fields);
}
