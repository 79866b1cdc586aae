import type { JsonObject, JsonValue } from '../cli/workbench/model.ts';

/** The parts of a JSON Schema that a form reads. */
export interface Schema {
  readonly type: string;
  readonly nullable: boolean;
  readonly description: string | null;
  readonly format: string | null;
  readonly choices: readonly JsonValue[] | null;
  /** The choices in words; null if they have none. */
  readonly titles: readonly string[] | null;
  readonly fields: readonly SchemaField[];
  readonly items: Schema | null;
  readonly fallback: JsonValue | undefined;
  readonly examples: readonly JsonValue[];
  /** The limits in words. */
  readonly limits: readonly string[];
  readonly long: boolean;
}

/** A property of an object. */
export interface SchemaField {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** Whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a schema as the server makes it from an endpoint's parameters. */
export function readSchema(json: JsonValue | undefined): Schema {
  const given = isObject(json) ? json : {};
  const types = [given.type].flat().filter((type) => typeof type === 'string');
  const required = Array.isArray(given.required) ? given.required : [];
  const properties = isObject(given.properties) ? Object.entries(given.properties) : [];
  const { description, format, maxLength } = given;
  const titled = Array.isArray(given.oneOf) ? given.oneOf.filter(isObject) : null;
  return {
    type: types.find((type) => type !== 'null') ?? 'any',
    nullable: types.includes('null'),
    description: typeof description === 'string' ? description : null,
    format: typeof format === 'string' ? format : null,
    choices: Array.isArray(given.enum) ? given.enum : (titled?.map((one) => one.const ?? null) ?? null),
    titles: titled?.map((one) => String(one.title ?? one.const)) ?? null,
    fields: properties.map(([name, schema]) => ({
      name,
      required: required.includes(name),
      schema: readSchema(schema),
    })),
    items: given.items === undefined ? null : readSchema(given.items),
    fallback: given.default,
    examples: Array.isArray(given.examples) ? given.examples : [],
    limits: LIMITS.flatMap(([key, word]) =>
      given[key] === undefined ? [] : [`${word} ${String(given[key])}`],
    ),
    long: typeof maxLength === 'number' && maxLength > 200,
  };
}

const LIMITS: readonly (readonly [string, string])[] = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'a multiple of'],
  ['minLength', 'characters at least'],
  ['maxLength', 'characters at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
  ['pattern', 'pattern'],
];

/** A value to begin with: an example, the first choice, or the fields that are required. */
export function exampleOf(schema: Schema): JsonValue {
  const [example] = schema.examples;
  if (example !== undefined) return example;
  if (schema.choices?.[0] !== undefined) return schema.choices[0];
  if (schema.type === 'object') return requiredExamples(schema);
  if (schema.type === 'array') return [];
  if (schema.type === 'boolean') return false;
  return schema.type === 'integer' || schema.type === 'number' ? 0 : '';
}

/** Examples for the required fields of an object. */
export function requiredExamples({ fields }: Schema): JsonObject {
  const required = fields.filter((field) => field.required);
  return Object.fromEntries(required.map(({ name, schema }) => [name, exampleOf(schema)]));
}
