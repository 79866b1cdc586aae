import { SvcError } from '../errors.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import { SCHEMA_PROFILES, type SchemaProfile } from '../project/site-model.ts';
import type { Catalog, ToolEntry } from './model.ts';

/** Each profile rewrites the schema of a tool's arguments. Calls are checked against the tool's own types. */
const REWRITES: { readonly [Profile in SchemaProfile]: (schema: JsonObject) => JsonObject } = {
  gemini: toGeminiSchema,
};

/** Parses the name of a profile. Throws `request_invalid` for an unknown one. */
export function parseSchemaProfile(text: string): SchemaProfile {
  const found = SCHEMA_PROFILES.find((name) => name === text);
  if (found !== undefined) return found;
  throw new SvcError(
    'request_invalid',
    `There is no schema profile ${text.slice(0, 64)}. Use ${SCHEMA_PROFILES.join(' or ')}, or leave it out.`,
  );
}

/** Returns the catalog with the schemas of a profile; without one, the catalog itself. */
export function withSchemaProfile<Part extends Pick<Catalog, 'tools'>>(
  catalog: Part,
  profile: SchemaProfile | null,
): Part {
  if (profile === null) return catalog;
  const tools = Object.entries(catalog.tools).map(
    ([name, entry]) => [name, rewritten(entry, profile)] as const,
  );
  return { ...catalog, tools: Object.fromEntries(tools) };
}

/** Writes the schema of a tool's arguments in the form of a profile. */
export function toProfileSchema(schema: JsonObject, profile: SchemaProfile): JsonObject {
  return REWRITES[profile](schema);
}

function rewritten(entry: ToolEntry, profile: SchemaProfile): ToolEntry {
  const { inputSchema } = entry.wire;
  if (!isObject(inputSchema)) return entry;
  return { ...entry, wire: { ...entry.wire, inputSchema: toProfileSchema(inputSchema, profile) } };
}

/**
 * Writes a schema for the converters of Google's SDKs. They fail on a boolean `additionalProperties`, and their `enum`
 * holds texts only, so other allowed values go to the description.
 */
function toGeminiSchema({ additionalProperties: _, enum: allowed, ...schema }: JsonObject): JsonObject {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(isObject(properties) ? { properties: mapValues(properties, nested) } : {}),
    ...(items === undefined ? {} : { items: nested(items) }),
    ...(isList(allowed) ? toTexts(allowed, schema) : {}),
  };
}

const nested = (value: JsonValue): JsonValue => (isObject(value) ? toGeminiSchema(value) : value);

function mapValues(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** `type` already says whether null is allowed. */
function toTexts(allowed: readonly JsonValue[], { description }: JsonObject): JsonObject {
  const values = allowed.filter((value) => value !== null);
  if (values.every((value) => typeof value === 'string')) return { enum: values };
  const sentence = `Allowed: ${values.map((value) => JSON.stringify(value)).join(', ')}.`;
  return { description: typeof description === 'string' ? `${description} ${sentence}` : sentence };
}
