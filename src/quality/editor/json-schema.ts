import type { GenericSchema } from 'valibot';
import type { JsonObject, JsonValue } from '../../json.ts';

/** The texts and names of an editor schema. */
interface EditorWords {
  readonly title: string;
  /** The meaning of a key. Keys have the form `tool.name`, `parameters[].type`, `profiles.<name>.audit`. */
  readonly describe: (key: string) => string | undefined;
  /**
   * The name of the definition that a map at a key becomes, which
   * also begins the keys inside it; null keeps the map in place.
   */
  readonly partAt: (key: string) => string | null;
}

interface Walk extends EditorWords {
  /** Definitions by their map; null while a definition is being made. */
  readonly parts: Map<object, { readonly name: string; schema: JsonObject | null }>;
}

/** Converts the schema of a file to JSON Schema 2020-12, with a description of every key. */
export function toEditorSchema(schema: GenericSchema, words: EditorWords): JsonObject {
  const walk: Walk = { ...words, parts: new Map() };
  const root = schemaOf(openSchema(schema), '', walk);
  const parts = [...walk.parts.values()].map(({ name, schema: part }) => [name, part ?? {}] as const);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: words.title,
    ...root,
    ...(parts.length === 0 ? {} : { $defs: Object.fromEntries(parts) }),
  };
}

function schemaOf(open: OpenSchema, key: string, walk: Walk): JsonObject {
  const schema = ownSchemaOf(open, key, walk);
  const or = open.said.or && schemaOf(openSchema(open.said.or), key, walk);
  const either = or === undefined ? schema : { anyOf: [schema, or] };
  return open.presence === 'nullish' ? orNull(either) : either;
}

function ownSchemaOf(open: OpenSchema, key: string, walk: Walk): JsonObject {
  const { entries, values, json = {} } = open.said;
  if (values)
    return { type: 'object', additionalProperties: schemaOf(openSchema(values), `${key}.<name>`, walk) };
  if (entries === undefined) return { ...leafOf(open, key, walk), ...json };
  const name = walk.partAt(key);
  return name === null ? { ...mapOf(open, key, walk), ...json } : { $ref: refTo(name, open, walk) };
}

function refTo(name: string, open: OpenSchema, walk: Walk): string {
  const known = walk.parts.get(open.heart);
  if (known === undefined) {
    const part: { readonly name: string; schema: JsonObject | null } = { name, schema: null };
    walk.parts.set(open.heart, part);
    part.schema = { ...mapOf(open, name, walk), ...open.said.json };
  }
  return `#/$defs/${known?.name ?? name}`;
}

function mapOf({ said: { entries = {} } }: OpenSchema, key: string, walk: Walk): JsonObject {
  const opened = Object.entries(entries).map(([name, entry]) => [name, openSchema(entry)] as const);
  const required = opened.filter(([, { presence }]) => presence === 'required').map(([name]) => name);
  const properties = opened.map(([name, open]) => {
    const path = key === '' ? name : `${key}.${name}`;
    const description = walk.describe(path);
    return [
      name,
      { ...(description === undefined ? {} : { description }), ...schemaOf(open, path, walk) },
    ] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function leafOf({ heart }: OpenSchema, key: string, walk: Walk): JsonObject {
  if (heart.item) return { type: 'array', items: schemaOf(openSchema(heart.item), `${key}[]`, walk) };
  if (heart.options) return { enum: heart.options };
  if (heart.literal !== undefined) return { const: heart.literal };
  return ['string', 'number', 'boolean'].includes(heart.type) ? { type: heart.type } : {};
}

/** Allows null, because a key without a value counts as absent. */
function orNull(schema: JsonObject): JsonObject {
  const { type, enum: allowed, const: only, anyOf } = schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (Array.isArray(allowed)) return { ...schema, enum: [...allowed, null] };
  if (only !== undefined) return { enum: [only, null] };
  if (Array.isArray(anyOf)) return { anyOf: [...anyOf, NULL] };
  return schema.$ref === undefined ? schema : { anyOf: [schema, NULL] };
}

const NULL: { readonly [key: string]: JsonValue } = { type: 'null' };

/** The properties of a valibot schema that can be inspected. */
interface Inside extends GenericSchema {
  readonly pipe?: readonly unknown[];
  readonly wrapped?: GenericSchema;
  readonly getter?: (input: unknown) => GenericSchema;
  readonly item?: GenericSchema;
  readonly options?: readonly string[];
  readonly literal?: string | number | boolean;
}

/** Metadata of schemas (see project/schema/shape.ts). */
interface Said {
  readonly json?: JsonObject;
  readonly entries?: { readonly [key: string]: GenericSchema };
  readonly values?: GenericSchema;
  readonly or?: GenericSchema;
}

/** An unwrapped schema: its core, and the metadata of all wrappers. */
interface OpenSchema {
  /** The same object for every use of the same map. */
  readonly heart: Inside;
  readonly said: Said;
  /** `optional` keys may be absent, `nullish` keys may also be empty. */
  readonly presence: 'required' | 'optional' | 'nullish';
}

/** Unwraps wrappers and pipes. */
function openSchema(schema: GenericSchema): OpenSchema {
  const inside: Inside = schema;
  if (inside.wrapped !== undefined) {
    return { ...openSchema(inside.wrapped), presence: inside.type === 'nullish' ? 'nullish' : 'optional' };
  }
  if (inside.getter !== undefined) return openSchema(inside.getter(undefined));
  const own = saidIn(inside.pipe ?? []);
  const within = (inside.pipe ?? []).filter(isSchema).at(-1);
  // A pipe begins with a copy of its first schema. A map is identified by the pipe that declares its entries.
  if (within === undefined || own.entries !== undefined || own.values !== undefined || isLeaf(inside)) {
    return { heart: inside, said: own, presence: 'required' };
  }
  const inner = openSchema(within);
  return { ...inner, said: { ...inner.said, ...own } };
}

function isLeaf(schema: Inside): boolean {
  const schemas = (schema.pipe ?? []).filter(isSchema);
  return schemas.length === 1 && schemas[0]?.pipe === undefined;
}

function isSchema(item: unknown): item is Inside {
  return typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'schema';
}

function saidIn(pipe: readonly unknown[]): Said {
  return Object.assign({}, ...pipe.flatMap((item) => (isMetadata(item) ? [item.metadata] : [])));
}

function isMetadata(item: unknown): item is { readonly metadata: Said } {
  return typeof item === 'object' && item !== null && 'kind' in item && item.kind === 'metadata';
}
