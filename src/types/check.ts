import type { JsonValue } from '../json.ts';
import { isSame, toCanonicalText } from './canonical.ts';
import { COERCE, EXACT } from './coerce.ts';
import { suggestName } from './nearest.ts';
import { acceptsNull, type TypeName, type TypeNode } from './node.ts';
import { compilePattern } from './pattern.ts';
import { PatternRejection } from './pattern-tree.ts';
import { checkWritten, createValidator, MAX_TYPE_DEPTH } from './validate.ts';

/** A contradiction in a type: its place, the reason and the fix. */
export interface TypeIssue {
  /** Keys and indexes, starting with the path that the caller passed. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly fix: string;
}

type Path = readonly (string | number)[];
type Key = keyof TypeNode;

const MAX_NODES = 10_000;

const APPLIES: { readonly [key in Key]?: readonly TypeName[] } = {
  format: ['string'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  exclusiveMinimum: ['number', 'integer'],
  exclusiveMaximum: ['number', 'integer'],
  multipleOf: ['number', 'integer'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
  items: ['array'],
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
};

/** Lower bound, upper bound, and whether the two may be equal. */
const PAIRS: readonly (readonly [Key, Key, boolean])[] = [
  ['minLength', 'maxLength', true],
  ['minItems', 'maxItems', true],
  ['minimum', 'maximum', true],
  ['minimum', 'exclusiveMaximum', false],
  ['exclusiveMinimum', 'maximum', false],
  ['exclusiveMinimum', 'exclusiveMaximum', false],
];

const COUNTS: readonly Key[] = ['minLength', 'maxLength', 'minItems', 'maxItems'];

/** Finds contradictions in a type and constraints that no value can meet. */
export function checkTypeNode(node: TypeNode, path: Path = []): readonly TypeIssue[] {
  return isBounded(node) ? checkNode(node, path) : [endless(path)];
}

function checkNode(node: TypeNode, path: Path): readonly TypeIssue[] {
  const own = [...checkApplies(node, path), ...checkBounds(node, path), ...checkPattern(node, path)];
  const below = [...checkItems(node, path), ...checkProperties(node, path)];
  // Values are checked only against a type that is valid itself.
  const values = own.length + below.length === 0 ? checkValues(node, path) : [];
  return [...own, ...below, ...values];
}

/** A YAML alias can make a type contain itself, or one line expand to millions of nodes. */
function isBounded(root: TypeNode): boolean {
  let level: readonly TypeNode[] = [root];
  for (let depth = 1, total = 1; level.length > 0; depth += 1, total += level.length) {
    if (depth > MAX_TYPE_DEPTH || total > MAX_NODES) return false;
    level = level.flatMap(({ items, properties }) => [
      ...(items ? [items] : []),
      ...Object.values(properties ?? {}),
    ]);
  }
  return true;
}

function endless(path: Path): TypeIssue {
  const message = `This type is nested deeper than ${MAX_TYPE_DEPTH} levels or has more than ${MAX_NODES} parts.`;
  return issue(path, message, 'Flatten the type, and remove YAML aliases that contain themselves.');
}

function checkApplies(node: TypeNode, path: Path): readonly TypeIssue[] {
  return keysOf(APPLIES).flatMap((key) => {
    const types = APPLIES[key] ?? [];
    if (node[key] === undefined || types.includes(node.type)) return [];
    const message = `\`${key}\` has no effect on type ${node.type}: it applies to ${types.join(' and ')}.`;
    return [issue([...path, key], message, `Remove \`${key}\`, or change the type.`)];
  });
}

function checkBounds(node: TypeNode, path: Path): readonly TypeIssue[] {
  const counts = COUNTS.filter((key) => node[key] !== undefined && !isCount(node[key])).map((key) =>
    issue([...path, key], `\`${key}\` must be a whole number of 0 or more.`, 'Write a count.'),
  );
  const pairs = PAIRS.flatMap(([least, most, equal]) => {
    const [low, high] = [node[least], node[most]];
    if (typeof low !== 'number' || typeof high !== 'number' || low < high || (equal && low === high))
      return [];
    const message = `No value can satisfy both \`${least}\` ${low} and \`${most}\` ${high}.`;
    return [issue([...path, least], message, `Make \`${least}\` smaller, or \`${most}\` larger.`)];
  });
  const step = node.multipleOf;
  if (step === undefined || (step > 0 && Number.isFinite(step))) return [...counts, ...pairs];
  return [
    ...counts,
    ...pairs,
    issue([...path, 'multipleOf'], '`multipleOf` must be more than 0.', 'Write the step.'),
  ];
}

function checkPattern({ type, pattern }: TypeNode, path: Path): readonly TypeIssue[] {
  const compiled = pattern === undefined || type !== 'string' ? null : compilePattern(pattern);
  if (!(compiled instanceof PatternRejection)) return [];
  const fix =
    'Write JavaScript syntax (flag u) without needless backslashes, look-arounds and back-references.';
  return [issue([...path, 'pattern'], `This pattern ${compiled.message}.`, fix)];
}

function checkItems({ type, items }: TypeNode, path: Path): readonly TypeIssue[] {
  return type === 'array' && items ? checkNode(items, [...path, 'items']) : [];
}

function checkProperties(node: TypeNode, path: Path): readonly TypeIssue[] {
  if (node.type !== 'object') return [];
  const properties = Object.entries(node.properties ?? {});
  const names = properties.map(([name]) => name);
  const unknown = (node.required ?? []).flatMap((name, index) => {
    if (names.includes(name)) return [];
    const fix = suggestName(name, names, 'Declare it under `properties`.');
    return [issue([...path, 'required', index], `${name} is required but not declared.`, fix)];
  });
  const nested = properties.flatMap(([name, property]) => {
    const at = [...path, 'properties', name];
    if (name !== '__proto__') return checkNode(property, at);
    return [issue(at, 'No property can be named __proto__.', 'Rename it.')];
  });
  return [...unknown, ...nested];
}

function checkValues(node: TypeNode, path: Path): readonly TypeIssue[] {
  const { default: given, enum: allowed, examples, ...bare } = node;
  const enumIssues = checkEnum(allowed, { ...bare, ...(acceptsNull(node) ? { nullable: true } : {}) }, path);
  if (enumIssues.length > 0) return enumIssues;
  const check = (value: JsonValue, at: Path, what: string): readonly TypeIssue[] => {
    const reasons = checkWritten(node, value).map(({ path: inside, message }) =>
      inside ? `${inside} ${message}` : message,
    );
    if (reasons.length === 0) return [];
    return [issue(at, `${what} is not of this type: ${reasons.join('; ')}.`, 'Change it, or the type.')];
  };
  return [
    ...(given === undefined ? [] : check(given, [...path, 'default'], 'The default')),
    ...(examples ?? []).flatMap((value, index) => check(value, [...path, 'examples', index], 'This example')),
  ];
}

function checkEnum(allowed: TypeNode['enum'], node: TypeNode, path: Path): readonly TypeIssue[] {
  if (allowed === undefined) return [];
  if (allowed.length === 0) {
    return [issue([...path, 'enum'], 'An empty `enum` allows nothing.', 'List its values, or remove it.')];
  }
  const [exact, convert] = [createValidator(node, 'output'), createValidator(node, 'input')];
  const isValid = (value: JsonValue): boolean => {
    const converted = convert(value);
    return exact(value).ok || (converted.ok && isSame(converted.value, value));
  };
  const seen = new Set<string>();
  return allowed.flatMap((value, index) => {
    const at = [...path, 'enum', index];
    const text = toCanonicalText(value);
    if (seen.has(text)) return [issue(at, `${text} is listed twice.`, 'Remove one.')];
    seen.add(text);
    if (value === null || isValid(value)) return [];
    const typed = isOfType(node.type, value);
    const reason = typed ? 'breaks the other constraints of this type' : `is not of type ${node.type}`;
    const fix = typed ? 'Remove it, or change the constraint.' : hintFor(node.type, value);
    return [issue(at, `${text} ${reason}.`, fix)];
  });
}

/** Whether a value has a type exactly. An integer beyond 2^53 is a text of its digits, as it is among arguments. */
function isOfType(type: TypeName, value: JsonValue): boolean {
  const converted = COERCE[type](value);
  return 'value' in EXACT[type](value) || ('value' in converted && converted.value === value);
}

function hintFor(type: TypeName, value: JsonValue): string {
  if (type === 'number' && isOfType('integer', value)) {
    return 'Use type integer, which keeps all digits of whole numbers beyond 2^53.';
  }
  return type === 'string'
    ? 'Put it in quotes, or change the type.'
    : 'Write it without quotes, or change the type.';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function keysOf<T extends object>(record: T): readonly (keyof T)[] {
  return Object.keys(record) as (keyof T)[];
}

function issue(path: Path, message: string, fix: string): TypeIssue {
  return { path, message, fix };
}
