import * as v from 'valibot';
import type { JsonValue } from '../json.ts';
import { FORMATS, TYPE_NAMES, type TypeNode } from '../types/node.ts';

/** Any value that JSON can carry. */
export const JSON_VALUE = v.custom<JsonValue>(isJson, 'must be a plain value');
const TEXT = v.pipe(v.string(), v.trim());
const NUMBER = v.pipe(v.number(), v.finite());
const COUNT = v.pipe(v.number(), v.integer(), v.minValue(0));

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'object' && Object.values(value).every(isJson);
}

/** The keys of a type, at any depth. */
const TYPE_ENTRIES = {
  type: v.picklist(TYPE_NAMES),
  format: v.optional(v.picklist(FORMATS)),
  title: v.optional(TEXT),
  description: v.optional(TEXT),
  default: v.optional(JSON_VALUE),
  examples: v.optional(v.array(JSON_VALUE)),
  enum: v.optional(v.array(JSON_VALUE)),
  nullable: v.optional(v.boolean()),
  sensitive: v.optional(v.boolean()),
  minLength: v.optional(COUNT),
  maxLength: v.optional(COUNT),
  pattern: v.optional(v.string()),
  minimum: v.optional(NUMBER),
  maximum: v.optional(NUMBER),
  exclusiveMinimum: v.optional(NUMBER),
  exclusiveMaximum: v.optional(NUMBER),
  multipleOf: v.optional(NUMBER),
  minItems: v.optional(COUNT),
  maxItems: v.optional(COUNT),
  uniqueItems: v.optional(v.boolean()),
  items: v.optional(v.lazy((): v.GenericSchema<unknown, TypeNode> => TYPE_NODE)),
  properties: v.optional(
    v.record(
      v.string(),
      v.lazy((): v.GenericSchema<unknown, TypeNode> => TYPE_NODE),
    ),
  ),
  required: v.optional(v.array(v.string())),
  additionalProperties: v.optional(v.boolean()),
};

/** A type node (spec, "Endpoint definition files": `return`, `properties`). */
export const TYPE_NODE: v.GenericSchema<unknown, TypeNode> = v.strictObject({
  name: v.optional(v.string()),
  ...TYPE_ENTRIES,
}) as v.GenericSchema<unknown, TypeNode>;

/** A parameter: a type with a name. */
export const PARAMETER = v.strictObject({ name: v.string(), ...TYPE_ENTRIES });

/** The keys that a type may have, for hints. */
export const TYPE_KEYS: readonly string[] = ['name', ...Object.keys(TYPE_ENTRIES)];
