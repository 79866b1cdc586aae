import { isList, type JsonValue } from '../json.ts';
import { isSame, toCanonicalText } from './canonical.ts';
import { isMultipleOf, parseDecimal } from './decimal.ts';
import { formatOf } from './formats.ts';
import type { TypeNode } from './node.ts';
import { compilePattern } from './pattern.ts';
import { PatternRejection } from './pattern-tree.ts';
import type { Work } from './validate.ts';

/** Checks a value that already has its node's type. Returns the violation, or null. Never repeats the value. */
export type Constraint = (value: JsonValue) => string | null;

/** Every constraint of a node itself; children are checked elsewhere. */
export function constraintsOf(node: TypeNode, work: Work): readonly Constraint[] {
  const own = {
    string: ofString,
    number: ofNumber,
    integer: ofNumber,
    boolean: none,
    array: ofArray,
    object: none,
  };
  return [...enumOf(node), ...own[node.type](node, work)];
}

const none = (): readonly Constraint[] => [];

function enumOf({ enum: allowed }: TypeNode): readonly Constraint[] {
  if (allowed === undefined) return [];
  const message = `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  return [(value) => (allowed.some((candidate) => isSame(candidate, value)) ? null : message)];
}

function ofString(node: TypeNode, work: Work): readonly Constraint[] {
  const { minLength, maxLength, format, pattern } = node;
  return [
    ...whenSet(minLength, (least) => (value) => {
      const length = lengthOf(value);
      return length < least ? `must have at least ${count(least, 'character')}, has ${length}` : null;
    }),
    ...whenSet(maxLength, (most) => (value) => {
      const length = lengthOf(value);
      return length > most ? `must have at most ${count(most, 'character')}, has ${length}` : null;
    }),
    ...whenSet(
      format,
      (name) => (value) => (formatOf(name).accepts(String(value)) ? null : `must be ${formatOf(name).text}`),
    ),
    ...whenSet(pattern, (source) => patternConstraint(source, work, maxLength)),
  ];
}

function patternConstraint(source: string, work: Work, maxLength = Number.POSITIVE_INFINITY): Constraint {
  const pattern = compilePattern(source);
  // Such a project does not load. A catalog from another source rejects every value.
  if (pattern instanceof PatternRejection) return () => `cannot be checked: its pattern ${pattern.message}`;
  return (value) => {
    const text = String(value);
    // `maxLength` has reported this text already, so the pattern need not read it.
    if (text.length > 2 * maxLength) return null;
    const matches = pattern.test(text, work.patterns);
    if (matches === null) return work.patterns.left > 0 ? TOO_LONG : TOGETHER_TOO_LONG;
    return matches ? null : `must match the pattern ${source}`;
  };
}

const TOO_LONG = 'is too long to be checked against its pattern';
const TOGETHER_TOO_LONG = `${TOO_LONG} after the texts before it`;

function ofNumber(node: TypeNode): readonly Constraint[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  return [
    ...whenSet(
      minimum,
      (bound) => (value) => (comparable(value) < bound ? `must be at least ${bound}` : null),
    ),
    ...whenSet(
      maximum,
      (bound) => (value) => (comparable(value) > bound ? `must be at most ${bound}` : null),
    ),
    ...whenSet(
      exclusiveMinimum,
      (bound) => (value) => (comparable(value) <= bound ? `must be more than ${bound}` : null),
    ),
    ...whenSet(
      exclusiveMaximum,
      (bound) => (value) => (comparable(value) >= bound ? `must be less than ${bound}` : null),
    ),
    ...whenSet(multipleOf, multipleConstraint),
  ];
}

function multipleConstraint(step: number): Constraint {
  const divisor = parseDecimal(String(step));
  const message = `must be a multiple of ${step}`;
  if (divisor === null || divisor.coefficient <= 0n) return () => message;
  return (value) => (isMultipleOf(comparableText(value), divisor) ? null : message);
}

function ofArray({ minItems, maxItems, uniqueItems }: TypeNode): readonly Constraint[] {
  return [
    ...whenSet(minItems, (least) => (value) => {
      const size = sizeOf(value);
      return size < least ? `must have at least ${count(least, 'item')}, has ${size}` : null;
    }),
    ...whenSet(maxItems, (most) => (value) => {
      const size = sizeOf(value);
      return size > most ? `must have at most ${count(most, 'item')}, has ${size}` : null;
    }),
    ...(uniqueItems ? [repeated] : []),
  ];
}

function repeated(value: JsonValue): string | null {
  const seen = new Map<string, number>();
  for (const [index, item] of (isList(value) ? value : []).entries()) {
    const text = toCanonicalText(item);
    const first = seen.get(text);
    if (first !== undefined) return `must not repeat an item: items ${first} and ${index} are equal`;
    seen.set(text, index);
  }
  return null;
}

function whenSet<T>(setting: T | undefined, create: (setting: T) => Constraint): readonly Constraint[] {
  return setting === undefined ? [] : [create(setting)];
}

/** JavaScript compares a bigint with a number exactly, so digits beyond 2^53 keep their order. */
function comparable(value: JsonValue): number | bigint {
  return typeof value === 'string' ? BigInt(value) : Number(value);
}

function comparableText(value: JsonValue): number | string {
  return typeof value === 'string' ? value : Number(value);
}

/** Counts code points, as JSON Schema does. */
function lengthOf(value: JsonValue): number {
  const text = String(value);
  let length = text.length;
  for (let at = 0; at < text.length - 1; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) length -= 1;
  return length;
}

const sizeOf = (value: JsonValue): number => (isList(value) ? value.length : 0);
const count = (size: number, noun: string): string => `${size} ${noun}${size === 1 ? '' : 's'}`;
