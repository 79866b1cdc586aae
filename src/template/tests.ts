import type { Budget } from './budget.ts';
import { compare, contains, isEqual } from './operators.ts';
import { isDict, isTemplateList, payFor, templateError, toNumber, type Value } from './value.ts';

/** Answers `value is name`. Only filters such as `select()` give `other`. */
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
  lower: (value, _, budget) => isText(value, budget) && value === value.toLowerCase(),
  upper: (value, _, budget) => isText(value, budget) && value === value.toUpperCase(),
  equalto: isEqual,
  ne: (value, other, budget) => !isEqual(value, other, budget),
  lt: (value, other, budget) => compare(value, other, budget) < 0,
  le: (value, other, budget) => compare(value, other, budget) <= 0,
  gt: (value, other, budget) => compare(value, other, budget) > 0,
  ge: (value, other, budget) => compare(value, other, budget) >= 0,
  in: (value, other, budget) => isTemplateList(other) && contains(other, value, budget),
};

const ALIASES: { readonly [name: string]: string } = { eq: 'equalto', '==': 'equalto', '!=': 'ne' };

/** Every name that can follow `is`. */
export const TEST_NAMES: readonly string[] = Object.keys(TESTS);

/** Tells whether there is a test of this name. */
export function isTest(name: string): boolean {
  return testOf(name) !== undefined;
}

/** Tells whether a value passes a test. Throws `internal` when there is no test of this name. */
export function passes(value: Value, name: string, other: Value, budget: Budget): boolean {
  const test = testOf(name);
  if (test === undefined) throw templateError(`there is no test ${name}`);
  return test(value, other, budget);
}

function testOf(name: string): Test | undefined {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(TESTS, own) ? TESTS[own] : undefined;
}

function isText(value: Value, budget: Budget): value is string {
  payFor(value, budget);
  return typeof value === 'string';
}
