import { isObject, type JsonObject, type JsonValue, tryJson } from '../../src/json.ts';

/**
 * Converts the texts of a command line to the types of a tool's schema. A text that fits no type stays a text, and
 * the server refuses it.
 */
export function toArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = mapOf(schema.properties);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, toArgument(value, typesOf(mapOf(properties[name])))]),
  );
}

function toArgument(value: JsonValue, types: readonly string[]): JsonValue {
  if (typeof value !== 'string' || types.includes('string')) return value;
  const parsed = tryJson(value);
  return parsed !== undefined && types.includes(typeOf(parsed)) ? parsed : value;
}

function typesOf({ type, anyOf, oneOf }: JsonObject): readonly string[] {
  if (typeof type === 'string') return withInteger([type]);
  if (Array.isArray(type)) return withInteger(type.map(String));
  const branches = anyOf ?? oneOf;
  return Array.isArray(branches) ? branches.flatMap((branch) => typesOf(mapOf(branch))) : [];
}

function withInteger(types: readonly string[]): readonly string[] {
  return types.map((type) => (type === 'integer' ? 'number' : type));
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function mapOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
