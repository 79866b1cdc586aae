import { isList, isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import type { PolicyRule } from '../../../src/project/model.ts';
import { compilePattern } from '../../../src/types/pattern.ts';
import { PatternRejection } from '../../../src/types/pattern-tree.ts';

/** A parameter of a tool, converted. */
export interface ConvertedParameter {
  /** Its name in the tools file. */
  readonly name: string;
  /** The SQL that stands for it in the statement. */
  readonly sql: string;
  /** The parameter of the endpoint; null if callers do not send it. */
  readonly parameter: JsonObject | null;
  readonly rules: readonly PolicyRule[];
  /** The parts that the conversion left out or changed. */
  readonly remarks: readonly string[];
}

/** Types of MCP Toolbox and the type of the endpoint language. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  float: 'number',
  boolean: 'boolean',
  array: 'array',
  map: 'object',
};

/** The functions of svc that give a claim of the person who calls. */
const CLAIMS: Readonly<Record<string, string>> = {
  email: 'get_user_email()',
  preferred_username: 'get_username()',
  username: 'get_username()',
};

const KEYS = new Set([
  'name',
  'type',
  'description',
  'required',
  'default',
  'items',
  'valueType',
  'minValue',
  'maxValue',
  'allowedValues',
  'excludedValues',
  'authServices',
  'valueFromParam',
  'secure',
  'embeddedBy',
]);

/** The reason why the tool of a parameter cannot be converted. */
interface Refused {
  readonly refused: string;
}

/** Converts one parameter. A parameter that must not become an ordinary argument refuses its whole tool. */
export function convertParameter(value: JsonValue): ConvertedParameter | Refused {
  if (!isObject(value) || typeof value.name !== 'string') return { refused: 'A parameter has no name.' };
  const { name, secure, embeddedBy, valueFromParam, authServices } = value;
  const refuse = (why: string) => ({ refused: `Its parameter ${name} ${why}` });
  if (secure === true) {
    return refuse(
      'is `secure`: the application sends it, and no model may see it. svc has no such arguments.',
    );
  }
  if (embeddedBy !== undefined) return refuse('becomes a vector by `embeddedBy`, which svc does not do.');
  if (typeof valueFromParam === 'string') return silent(name, `$${toValueName(valueFromParam)}`);
  if (isList(authServices) && authServices.length > 0) {
    const fields = authServices.flatMap((one) => (isObject(one) ? String(one.field) : []));
    const call =
      fields.length > 0 && fields.every((field) => field === fields[0]) ? CLAIMS[fields[0] ?? ''] : undefined;
    if (call !== undefined) return silent(name, call);
    return refuse(
      `is the claim ${fields.join(' or ')} of the caller. SQL in svc has get_user_email() and get_username() of the caller only.`,
    );
  }
  const node = toNode(value);
  return node === null
    ? refuse(`has the type ${JSON.stringify(value.type ?? null)}, which is unknown.`)
    : argument(value, name, node);
}

function silent(name: string, sql: string): ConvertedParameter {
  return { name, sql, parameter: null, rules: [], remarks: [] };
}

function argument(value: JsonObject, written: string, node: JsonObject): ConvertedParameter {
  const name = toValueName(written);
  const { required, default: given } = value;
  const hasDefault = given !== undefined && given !== null;
  const optional = hasDefault || required === false;
  const allowed = allowedOf(name, value);
  const excluded = excludedOf(name, value);
  const each = itemsOf(name, value);
  const unknown = Object.keys(value).filter((key) => !KEYS.has(key));
  return {
    name: written,
    sql: `$${name}`,
    parameter: {
      name,
      ...node,
      ...(optional && !hasDefault ? { nullable: true } : {}),
      ...(optional ? { default: hasDefault ? defaultFor(node.type, given) : null } : {}),
      ...allowed.node,
    },
    rules: [...allowed.rules, ...excluded.rules, ...each.rules],
    remarks: [
      ...(name === written ? [] : [`The parameter ${written} is now ${name}, because SQL needs a word.`]),
      ...unknown.map((key) => `\`${key}\` of the parameter ${written} has no counterpart.`),
      ...[...allowed.remarks, ...excluded.remarks, ...each.remarks],
    ],
  };
}

/** A default in its type: `default: 5` of a string is text. */
export function defaultFor(type: JsonValue | undefined, given: JsonValue): JsonValue {
  return type === 'string' && (typeof given === 'number' || typeof given === 'boolean')
    ? String(given)
    : given;
}

/** The type of a value; null for an unknown one. */
function toNode({ type, description, items, valueType, minValue, maxValue }: JsonObject): JsonObject | null {
  const known = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (known === undefined) return null;
  const inner = isObject(items) ? toNode(items) : null;
  if (known === 'array' && inner === null) return null;
  const words = typeof description === 'string' ? { description: description.trim() } : {};
  return {
    type: known,
    ...words,
    ...(known === 'array' && inner !== null ? { items: inner } : {}),
    ...(known === 'object' && valueType === undefined ? { additionalProperties: true } : {}),
    ...(typeof minValue === 'number' ? { minimum: minValue } : {}),
    ...(typeof maxValue === 'number' ? { maximum: maxValue } : {}),
  };
}

interface Constraint {
  readonly node: JsonObject;
  readonly rules: readonly PolicyRule[];
  readonly remarks: readonly string[];
}

const NO_CONSTRAINT: Constraint = { node: {}, rules: [], remarks: [] };

/**
 * `allowedValues` are regular expressions that match anywhere in a text. Plain words become an `enum`, which is stricter;
 * others a `pattern`, or a rule if the pattern is not one that svc checks.
 */
function allowedOf(name: string, { type, allowedValues }: JsonObject): Constraint {
  if (!isList(allowedValues) || allowedValues.length === 0) return NO_CONSTRAINT;
  if (type === 'array' || type === 'map') return notChecked(name, 'allowedValues');
  if (allowedValues.every((one) => isPlain(one, type)))
    return { ...NO_CONSTRAINT, node: { enum: allowedValues } };
  const pattern = toAlternatives(allowedValues);
  if (type === 'string' && !(compilePattern(pattern) instanceof PatternRejection)) {
    return { ...NO_CONSTRAINT, node: { pattern } };
  }
  return {
    ...NO_CONSTRAINT,
    rules: [toRule(name, `!${matches(name, type, pattern)}`, 'is not an allowed value')],
  };
}

function excludedOf(name: string, { type, excludedValues }: JsonObject): Constraint {
  if (!isList(excludedValues) || excludedValues.length === 0) return NO_CONSTRAINT;
  if (type === 'array' || type === 'map') return notChecked(name, 'excludedValues');
  const condition = matches(name, type, toAlternatives(excludedValues));
  return { ...NO_CONSTRAINT, rules: [toRule(name, condition, 'is an excluded value')] };
}

function notChecked(name: string, key: string): Constraint {
  return {
    ...NO_CONSTRAINT,
    remarks: [`\`${key}\` of the parameter ${name}, which is a list or a map, is not checked.`],
  };
}

/** The constraints of the items of a list, as rules about each item. */
function itemsOf(name: string, { type, items }: JsonObject): Constraint {
  if (type !== 'array' || !isObject(items)) return NO_CONSTRAINT;
  const { type: own, allowedValues: allowed, excludedValues: excluded } = items;
  const asText = own === 'string' ? 'item' : 'string(item)';
  const of = (values: JsonValue | undefined, not: string, why: string): readonly PolicyRule[] =>
    isList(values) && values.length > 0
      ? [
          toRule(
            name,
            `${name}.exists(item, ${not}${asText}.matches(${JSON.stringify(toAlternatives(values))}))`,
            why,
          ),
        ]
      : [];
  if (own === 'array' || own === 'map') {
    const inner = [allowedOf(name, items), excludedOf(name, items), itemsOf(name, items)];
    return inner.some(({ rules, remarks }) => rules.length > 0 || remarks.length > 0)
      ? notChecked(name, 'items')
      : NO_CONSTRAINT;
  }
  return {
    ...NO_CONSTRAINT,
    rules: [
      ...of(allowed, '!', 'has an item that is not an allowed value'),
      ...of(excluded, '', 'has an item that is an excluded value'),
    ],
  };
}

/** Whether a value means only itself. */
function isPlain(value: JsonValue, type: JsonValue | undefined): boolean {
  if (type !== 'string') return typeof value === 'number' || typeof value === 'boolean';
  return typeof value === 'string' && /^[\w -]+$/.test(value);
}

function toAlternatives(values: readonly JsonValue[]): string {
  return values
    .map((value) => (typeof value === 'string' ? value : `^${String(value)}$`))
    .map((one) => `(?:${one})`)
    .join('|');
}

function matches(name: string, type: JsonValue | undefined, pattern: string): string {
  const text = type === 'string' ? name : `string(${name})`;
  return `${text}.matches(${JSON.stringify(pattern)})`;
}

/** A rule about an argument that may be null. */
function toRule(name: string, condition: string, why: string): PolicyRule {
  return { condition: `${name} != null && ${condition}`, action: 'deny', reason: `${name} ${why}` };
}

/** The name of a value in SQL. */
export function toValueName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_]+/gu, '_').replace(/^(?=\p{N})/u, '_');
}
