import { isObject, type JsonObject } from '../json.ts';
import type { Policies, PolicyRule } from '../project/model.ts';
import type { TypeNode } from '../types/node.ts';
import { MASK } from './fields.ts';
import { declarationsOf, type Pointer } from './paths.ts';

/** The possible effects of policies on a declared part of a result. */
export interface SchemaEffect {
  readonly pointer: Pointer;
  readonly effect: 'absent' | 'masked' | 'null' | 'empty';
}

/** The differences that policies may make between results and `return`, deepest part first. */
export function policySchemaEffects(policies: Policies, returns: TypeNode | null): readonly SchemaEffect[] {
  if (returns === null) return [];
  const effects = policies.output.flatMap((rule) => effectsOf(rule, returns));
  const unique = new Map(effects.map((effect) => [JSON.stringify(effect), effect]));
  return [...unique.values()].sort((one, other) => other.pointer.length - one.pointer.length);
}

/** Adjusts the JSON Schema of `return`, so that edited results are still valid for clients. */
export function adjustSchema(schema: JsonObject, effects: readonly SchemaEffect[]): JsonObject {
  return effects.reduce((adjusted, { pointer, effect }) => {
    if (effect !== 'absent') return editAt(adjusted, pointer, EDITS[effect]);
    const name = pointer.at(-1) ?? '';
    return editAt(adjusted, pointer.slice(0, -2), (parent) => withoutRequired(parent, name));
  }, schema);
}

function effectsOf({ action, fields = [] }: PolicyRule, returns: TypeNode): readonly SchemaEffect[] {
  switch (action) {
    case 'deny':
      return [];
    case 'filter_sensitive_fields':
      return sensitiveEffects(returns, []);
    case 'filter_fields':
      return fieldEffects(fields, returns, 'absent');
    case 'mask_fields':
      return fieldEffects(fields, returns, 'masked');
  }
}

function fieldEffects(
  fields: readonly string[],
  returns: TypeNode,
  effect: 'absent' | 'masked',
): readonly SchemaEffect[] {
  return fields.flatMap((field) => declarationsOf(returns, field).map((pointer) => ({ pointer, effect })));
}

function sensitiveEffects(node: TypeNode, pointer: Pointer): readonly SchemaEffect[] {
  if (node.sensitive) return [{ pointer, effect: pointer.length === 0 ? 'null' : 'absent' }];
  if (node.items?.sensitive) return [{ pointer, effect: 'empty' }];
  const items = node.items ? sensitiveEffects(node.items, [...pointer, 'items']) : [];
  const properties = Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    sensitiveEffects(property, [...pointer, 'properties', name]),
  );
  return [...items, ...properties];
}

const EDITS = {
  masked: (schema) => orElse(schema, { type: 'string', const: MASK }),
  null: (schema) => orElse(schema, { type: 'null' }),
  empty: ({ minItems: _, ...schema }) => schema,
} as const satisfies Record<Exclude<SchemaEffect['effect'], 'absent'>, (schema: JsonObject) => JsonObject>;

function orElse({ title, description, ...schema }: JsonObject, other: JsonObject): JsonObject {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    anyOf: [schema, other],
  };
}

function withoutRequired(schema: JsonObject, name: string): JsonObject {
  const { required, ...rest } = schema;
  if (!Array.isArray(required)) return schema;
  const left = required.filter((key) => key !== name);
  return left.length === 0 ? rest : { ...rest, required: left };
}

/** Copies a schema with one part edited. Constraints on whole values above it (`enum`, `uniqueItems`) are removed. */
function editAt(schema: JsonObject, pointer: Pointer, edit: (part: JsonObject) => JsonObject): JsonObject {
  const [key, name = '', ...rest] = pointer;
  if (key === undefined) return edit(schema);
  const { enum: _, uniqueItems: __, ...open } = schema;
  const part = open[key];
  if (!isObject(part)) return schema;
  if (key === 'items') return { ...open, items: editAt(part, pointer.slice(1), edit) };
  const property = Object.hasOwn(part, name) ? part[name] : undefined;
  if (!isObject(property)) return schema;
  return { ...open, properties: { ...part, [name]: editAt(property, rest, edit) } };
}
