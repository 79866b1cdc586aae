import type { JsonObject, JsonValue } from '../json.ts';
import { formatOf } from './formats.ts';
import { acceptsNull, hasDefault, type Parameter, type TypeNode } from './node.ts';
import type { Mode } from './validate.ts';

const CONSTRAINTS = [
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
] as const;

/** Converts a type to JSON Schema 2020-12. `input` describes what a client should send, `output` what it will receive. */
export function toJsonSchema(node: TypeNode, mode: Mode): JsonObject {
  return schemaOf(node, mode, acceptsNull(node));
}

/** Converts a parameter list to the schema of a tool's arguments. */
export function toInputSchema(parameters: readonly Parameter[]): JsonObject {
  return {
    type: 'object',
    properties: toFields(parameters.map((node) => [node.name, toJsonSchema(node, 'input')])),
    required: parameters.filter((node) => !hasDefault(node)).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Converts a `return` type to the schema of a tool's result. */
export function toOutputSchema(returns: TypeNode): JsonObject {
  return toJsonSchema(returns, 'output');
}

function schemaOf(node: TypeNode, mode: Mode, nullable: boolean): JsonObject {
  return {
    type: typeOf(node, nullable),
    ...picked(node, ['title', 'description']),
    ...enumOf(node, nullable),
    ...formatKeywords(node, mode),
    ...picked(mode === 'output' ? withoutInexactStep(node) : node, CONSTRAINTS),
    ...(node.items ? { items: toJsonSchema(node.items, mode) } : {}),
    ...(node.type === 'object' ? objectOf(node, mode) : {}),
    ...picked(node, ['default', 'examples']),
  };
}

/** A whole number beyond 2^53 is a text of its digits, so the values of an `integer` may be texts. */
function typeOf(node: TypeNode, nullable: boolean): JsonValue {
  const { type, enum: allowed = [], examples = [], default: given } = node;
  const hasText =
    type === 'integer' && [...allowed, ...examples, given].some((value) => typeof value === 'string');
  const types = [type, ...(hasText ? ['string'] : []), ...(nullable ? ['null'] : [])];
  return types.length === 1 ? type : types;
}

/** Clients divide doubles: 19.99 by 0.01 is no whole number for them, and they refuse the whole result. */
function withoutInexactStep({ multipleOf, ...node }: TypeNode): TypeNode {
  const isExact = multipleOf !== undefined && Number.isInteger(multipleOf * 1024);
  return isExact ? { ...node, multipleOf } : node;
}

function picked(node: TypeNode, keys: readonly (keyof TypeNode)[]): JsonObject {
  const present = keys.flatMap((key) => (node[key] === undefined ? [] : [[key, node[key]] as const]));
  return Object.fromEntries(present) as JsonObject;
}

function enumOf({ enum: allowed }: TypeNode, nullable: boolean): JsonObject {
  if (allowed === undefined) return {};
  return { enum: nullable && !allowed.includes(null) ? [...allowed, null] : allowed };
}

function formatKeywords({ type, format }: TypeNode, mode: Mode): JsonObject {
  if (format === undefined || type !== 'string') return {};
  return (mode === 'output' && formatOf(format).output) || { format };
}

function objectOf(node: TypeNode, mode: Mode): JsonObject {
  const properties = Object.entries(node.properties ?? {});
  const required = requiredOf(node, mode);
  const fields = properties.map(([name, property]): [string, JsonObject] => {
    const optional = mode === 'output' && !required.includes(name);
    return [name, schemaOf(property, mode, optional || acceptsNull(property))];
  });
  return {
    ...(node.properties ? { properties: toFields(fields) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(node.additionalProperties === undefined ? {} : { additionalProperties: node.additionalProperties }),
  };
}

/** On input, clients may omit a property that has a default. */
function requiredOf({ required = [], properties = {} }: TypeNode, mode: Mode): readonly string[] {
  if (mode === 'output') return required;
  return required.filter((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return property === undefined || !hasDefault(property);
  });
}

function toFields(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}
