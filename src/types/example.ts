import type { JsonValue } from '../json.ts';
import { formatOf } from './formats.ts';
import { acceptsNull, type TypeNode } from './node.ts';
import { compilePattern, createMatcher } from './pattern.ts';
import { PatternRejection, type PatternTree } from './pattern-tree.ts';
import { validatorOf } from './validate.ts';

const CANDIDATES = 'aA0-_. @/:bB1éß\t\n';
const MAX_LENGTH = 1000;

/**
 * Returns a value that a type accepts: its first example, default or
 * enum value, else a generated one. Returns undefined if none fits.
 */
export function exampleOf(node: TypeNode): JsonValue | undefined {
  const check = validatorOf(node, 'input');
  for (const candidate of candidatesOf(node)) {
    if (candidate === undefined) continue;
    const checked = check(candidate);
    if (checked.ok) return checked.value;
  }
  return undefined;
}

/** Generated lazily, so nothing is built if the author gave an example. */
function* candidatesOf(node: TypeNode): Generator<JsonValue | undefined> {
  yield* node.examples ?? [];
  if (node.default !== null) yield node.default;
  yield* node.enum?.filter((value) => value !== null) ?? [];
  yield* builtOf(node);
  if (acceptsNull(node)) yield null;
}

function builtOf(node: TypeNode): Iterable<JsonValue | undefined> {
  switch (node.type) {
    case 'string':
      return textsOf(node);
    case 'boolean':
      return [true];
    case 'array':
      return [arrayOf(node)];
    case 'object':
      return objectsOf(node);
    default:
      return numbersOf(node);
  }
}

function textsOf({ format, pattern, minLength = 0, maxLength = 1000 }: TypeNode): readonly string[] {
  const compiled = pattern === undefined ? null : compilePattern(pattern);
  const matching =
    compiled === null || compiled instanceof PatternRejection ? null : exampleText(compiled.tree);
  const plain = 'text'
    .repeat(Math.ceil(Math.max(minLength, 4) / 4))
    .slice(0, Math.min(Math.max(minLength, 4), maxLength));
  return [
    ...(format === undefined ? [] : [formatOf(format).example]),
    ...(matching === null ? [] : [matching, matching.padEnd(minLength, matching.at(-1) ?? 'x')]),
    plain,
  ];
}

function numbersOf(node: TypeNode): readonly number[] {
  const { multipleOf: step = node.type === 'integer' ? 1 : 0.5 } = node;
  const least = Math.max(node.minimum ?? -Infinity, node.exclusiveMinimum ?? -Infinity);
  const most = Math.min(node.maximum ?? Infinity, node.exclusiveMaximum ?? Infinity);
  const above = Math.ceil(least / step) * step;
  const below = Math.floor(most / step) * step;
  const inside = [step, 1, 0, above, above + step, below, below - step, (least + most) / 2, least, most];
  // 3 * 0.1 is 0.30000000000000004; the intended number has fewer digits.
  return inside.filter(Number.isFinite).flatMap((number) => [Number(number.toPrecision(15)), number]);
}

function arrayOf({ items, minItems = 1, maxItems = minItems, uniqueItems }: TypeNode): JsonValue | undefined {
  const size = Math.min(Math.max(minItems, 1), maxItems, 1000);
  if (size === 0 || items === undefined)
    return Array.from({ length: size }, (_, index) => `item ${index + 1}`);
  if (!uniqueItems || size === 1) {
    const item = exampleOf(items);
    return item === undefined ? undefined : Array.from({ length: size }, () => item);
  }
  return distinctItems(items, size);
}

function distinctItems(items: TypeNode, size: number): JsonValue {
  const check = validatorOf(items, 'input');
  const first = exampleOf(items);
  const counted = Array.from({ length: size * 2 }, (_, index) => [
    index,
    `${first ?? 'item'} ${index + 1}`,
  ]).flat();
  const candidates: JsonValue[] = [
    ...(items.examples ?? []),
    ...(items.enum ?? []),
    first ?? null,
    true,
    false,
    ...counted,
  ];
  const fitting = candidates.filter((candidate) => {
    const checked = check(candidate);
    return checked.ok && checked.value === candidate;
  });
  return [...new Set(fitting)].slice(0, size);
}

/** Yields an object with all properties, then one with the required properties. Each property's example is made once. */
function* objectsOf({ properties = {}, required = [] }: TypeNode): Generator<JsonValue> {
  const fields = Object.entries(properties).flatMap(([name, property]): [string, JsonValue][] => {
    const value = exampleOf(property);
    return value === undefined ? [] : [[name, value]];
  });
  yield Object.fromEntries(fields);
  yield Object.fromEntries(fields.filter(([name]) => required.includes(name)));
}

/** Builds a short text that a pattern probably matches, or returns null. It ignores `^`, `$`, `\b` and `\B`. */
export function exampleText(tree: PatternTree): string | null {
  switch (tree.kind) {
    case 'char':
      return String.fromCodePoint(tree.code);
    case 'class':
      return classText(tree.source);
    case 'edge':
      return '';
    case 'choice':
      return tree.options.map(exampleText).find((text) => text !== null) ?? null;
    case 'repeat':
      return repeated(exampleText(tree.part), Math.min(tree.max, Math.max(tree.min, 1)));
    case 'sequence':
      return joined(tree.parts.map(exampleText));
  }
}

function classText(source: string): string | null {
  const matches = createMatcher(source);
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  return [...CANDIDATES, ...printable].find((char) => matches(char.codePointAt(0) ?? 0)) ?? null;
}

function repeated(text: string | null, times: number): string | null {
  return text === null || text.length * times > MAX_LENGTH ? null : text.repeat(times);
}

function joined(texts: readonly (string | null)[]): string | null {
  const text = texts.join('');
  return texts.includes(null) || text.length > MAX_LENGTH ? null : text;
}
