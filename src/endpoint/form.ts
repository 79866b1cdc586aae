import type { JsonObject } from '../json.ts';
import type { Field } from '../project/ask-model.ts';
import { hasDefault } from '../types/nullable.ts';
import { toJsonSchema } from '../types/schema.ts';

/** Formats that forms know (MCP, "Elicitation"). */
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];

/** Fields as the restricted JSON Schema of a form: one level, and only what every client can show. */
export function toFormSchema(fields: readonly Field[]): JsonObject {
  const properties = fields.map((field) => [field.name, toProperty(field)] as const);
  const required = fields.filter((field) => !hasDefault(field)).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function toProperty(field: Field): JsonObject {
  const { type, items, enum: allowed, titles, enumNames } = field;
  const { default: given, ...schema } = toJsonSchema(field, 'input');
  const shared = {
    type,
    ...pick(schema, ['title', 'description']),
    ...(given === undefined || given === null ? {} : { default: given }),
  };
  if (type === 'array') {
    return {
      ...shared,
      ...pick(schema, ['minItems', 'maxItems']),
      items: toItems(items?.enum ?? [], titles),
    };
  }
  if (allowed !== undefined && type === 'string') {
    const names = enumNames ? { enumNames } : {};
    return titles ? { ...shared, oneOf: titled(allowed, titles) } : { ...shared, enum: allowed, ...names };
  }
  const format = FORMATS.includes(schema.format) ? pick(schema, ['format']) : {};
  return { ...shared, ...pick(schema, ['minLength', 'maxLength', 'minimum', 'maximum']), ...format };
}

function toItems(allowed: NonNullable<Field['enum']>, titles: Field['titles']): JsonObject {
  return titles ? { anyOf: titled(allowed, titles) } : { type: 'string', enum: allowed };
}

function titled(allowed: NonNullable<Field['enum']>, titles: readonly string[]): readonly JsonObject[] {
  return allowed.map((value, index) => ({ const: value, title: titles[index] ?? String(value) }));
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (schema[key] === undefined ? [] : [[key, schema[key]]])));
}
