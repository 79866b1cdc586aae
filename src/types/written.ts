import { isList, isObject, type JsonValue, own } from '../json.ts';
import { COERCE } from './coerce.ts';
import type { TypeNode } from './node.ts';
import { type Issue, validatorOf } from './validate.ts';

/**
 * Checks a value that an author wrote in YAML as if a client sent it, and reports numbers and booleans in place of text: YAML
 * reads `02134` as 2134 and `1.10` as 1.1, so the text would be another one. The seconds of a `timestamp` are a number.
 */
export function checkWritten(node: TypeNode, written: JsonValue): readonly Issue[] {
  const checked = validatorOf(node, 'input')(written);
  return checked.ok ? unquotedParts(node, written, { converted: checked.value, path: '' }) : checked.issues;
}

interface Converted {
  readonly converted: JsonValue | undefined;
  readonly path: string;
}

function unquotedParts(
  { format, items, properties = {} }: TypeNode,
  written: JsonValue,
  { converted, path }: Converted,
): readonly Issue[] {
  if (typeof converted === 'string' && (typeof written === 'number' || typeof written === 'boolean')) {
    if (format === 'timestamp') return [];
    const kind = typeof written === 'number' ? 'a number' : `the word ${written}`;
    return [{ path, message: `must be text, not ${kind}: put it in quotes` }];
  }
  if (items && isList(written) && isList(converted)) {
    return written.flatMap((item, index) =>
      unquotedParts(items, item, { converted: converted[index], path: `${path}[${index}]` }),
    );
  }
  if (!isObject(written) || !isObject(converted)) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const item = own(written, name);
    const below = { converted: own(converted, name), path: path === '' ? name : `${path}.${name}` };
    return item === undefined ? [] : unquotedParts(property, item, below);
  });
}

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
