import { isList, isObject, type JsonObject, type JsonValue } from '../../src/json.ts';

/* The subsets of JSON Schema that vendors document for schemas which only their servers check. */

/** Returns the first keyword outside of a subset, with its value; null if the whole schema is inside. */
export type FindOutside = (schema: JsonObject) => string | null;

const OPENAI_KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'title',
    'description',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'const',
  ],
  ...['anyOf', '$ref', '$defs', 'pattern', 'format', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['exclusiveMaximum', 'minItems', 'maxItems'],
]);
const OPENAI_FORMATS: ReadonlySet<JsonValue> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
]);

/** OpenAI's structured outputs (strict mode), as documented in "Supported schemas". */
export const outsideOpenai: FindOutside = (schema) =>
  findIn(schema, (part) => {
    const unknown = Object.keys(part).find((key) => !OPENAI_KEYWORDS.has(key));
    if (unknown !== undefined) return unknown;
    if (part.format !== undefined && !OPENAI_FORMATS.has(part.format)) return `format ${part.format}`;
    if (!isObject(part.properties)) return null;
    if (part.additionalProperties !== false) return 'an open object';
    const required = isList(part.required) ? part.required : [];
    return Object.keys(part.properties).every((name) => required.includes(name))
      ? null
      : 'an optional property';
  });

/** Google's `Schema` of function declarations: its `enum` holds texts. */
export const outsideGoogle: FindOutside = (schema) =>
  findIn(schema, ({ enum: allowed }) =>
    isList(allowed) && allowed.some((value) => typeof value !== 'string')
      ? 'an enum of other than texts'
      : null,
  );

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Anthropic's tools: JSON Schema 2020-12 of an object, whose properties have short plain names. */
export const outsideAnthropic: FindOutside = (schema) => {
  if (schema.type !== 'object') return 'no object';
  return findIn(schema, ({ properties }) => {
    const odd = Object.keys(isObject(properties) ? properties : {}).find((name) => !PROPERTY_NAME.test(name));
    return odd === undefined ? null : `the property name ${odd}`;
  });
};

/** Looks at a schema and at those in it. */
function findIn(schema: JsonObject, look: FindOutside): string | null {
  const { properties, items, anyOf, $defs } = schema;
  const inner = [
    ...Object.values(isObject(properties) ? properties : {}),
    ...Object.values(isObject($defs) ? $defs : {}),
    ...(items === undefined ? [] : [items]),
    ...(isList(anyOf) ? anyOf : []),
  ];
  return (
    look(schema) ??
    inner
      .filter(isObject)
      .map((part) => findIn(part, look))
      .find((found) => found !== null) ??
    null
  );
}
