import type { Budget } from './budget.ts';
import { compare, isDict, isEqual, isTemplateList, toNumber, type Value } from './value.ts';

/** What `value is name` asks; `other` is for select() and its like. */
type Test = (value: Value, other: Value, budget: Budget) => boolean;

const TESTS: { readonly [name: string]: Test } = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  true: (value) => value === true,
  false: (value) => value === false,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  float: (value) => typeof value === 'number' && !Number.isInteger(value),
  string: (value) => typeof value === 'string',
  mapping: (value) => isDict(value),
  sequence: (value) => isTemplateList(value) || typeof value === 'string',
  iterable: (value) => isTemplateList(value) || isDict(value) || typeof value === 'string',
  callable: (value) => typeof value === 'function',
  odd: (value) => Math.abs(toNumber(value) % 2) === 1,
  even: (value) => toNumber(value) % 2 === 0,
  lower: (value) => typeof value === 'string' && value === value.toLowerCase(),
  upper: (value) => typeof value === 'string' && value === value.toUpperCase(),
  equalto: (value, other, budget) => isEqual(value, other, budget),
  ne: (value, other, budget) => !isEqual(value, other, budget),
  lt: (value, other) => compare(value, other) < 0,
  le: (value, other) => compare(value, other) <= 0,
  gt: (value, other) => compare(value, other) > 0,
  ge: (value, other) => compare(value, other) >= 0,
  in: (value, other, budget) => isTemplateList(other) && other.some((item) => isEqual(item, value, budget)),
};

const ALIASES: { readonly [name: string]: string } = { eq: 'equalto', '==': 'equalto', '!=': 'ne' };

/** The test of a name. */
export function testOf(name: string): Test | undefined {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(TESTS, own) ? TESTS[own] : undefined;
}

/** Every name that can follow `is`. */
export const TEST_NAMES: readonly string[] = Object.keys(TESTS);
