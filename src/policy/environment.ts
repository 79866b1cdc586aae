import {
  type CelEnv,
  type CelFunc,
  type CelInput,
  CelScalar,
  celEnv,
  celFunc,
  celList,
  celMethod,
  listType,
} from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { RE2JS } from '@bufbuild/re2';
import { APPEND, TICK } from './instrument.ts';
import { TIME_METHODS, TIMESTAMP } from './time.ts';

/** What one evaluation may cost, in units of about a microsecond, and what time it is. */
export interface Meter {
  /** Throws when the evaluation has used up its budget. */
  spend(units: number): void;
  now(): number;
}

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);
const TEXT_PER_UNIT = 1000;
const ITEMS_PER_UNIT = 20;

/** Standard CEL, with `now()`, arithmetic across int and double, and a price on whatever grows with its input. */
export function createEnvironment(meter: Meter): CelEnv {
  return celEnv({
    funcs: [...ARITHMETIC, ...TIME_METHODS, ...meteredFunctions(meter), ...loopFunctions(meter)],
  });
}

/** JSON numbers are doubles and literals are ints: `amount * 2` must not depend on which is which. */
const ARITHMETIC: readonly CelFunc[] = (
  [
    ['_+_', (left, right) => left + right],
    ['_-_', (left, right) => left - right],
    ['_*_', (left, right) => left * right],
    ['_/_', (left, right) => left / right],
  ] as const satisfies readonly [string, (left: number, right: number) => number][]
).flatMap(([name, apply]) => [
  celFunc(name, [INT, DOUBLE], DOUBLE, (left, right) => apply(Number(left), right)),
  celFunc(name, [DOUBLE, INT], DOUBLE, (left, right) => apply(left, Number(right))),
]);

const STANDARD = celEnv().funcs;

function meteredFunctions(meter: Meter): readonly CelFunc[] {
  const spendText = (text: string): void => meter.spend(text.length / TEXT_PER_UNIT);
  const matchers = new Map<string, RE2JS>();
  return [
    celFunc('now', [], TIMESTAMP, () => timestampFromMs(meter.now())),
    celFunc('@in', [DYN, LIST], BOOL, (value, list) => {
      meter.spend(list.size / ITEMS_PER_UNIT);
      return STANDARD.find('@in')?.call(0, undefined, [value, list]) === true;
    }),
    celFunc('_+_', [STRING, STRING], STRING, (left, right) => {
      spendText(right);
      return left + right;
    }),
    celMethod('contains', STRING, [STRING], BOOL, function (part) {
      spendText(this);
      return this.includes(part);
    }),
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      spendText(this);
      return matcherOf(matchers, pattern).test(this);
    }),
  ];
}

/** Patterns are literals of the condition, so there are as many as the author wrote. */
function matcherOf(matchers: Map<string, RE2JS>, pattern: string): RE2JS {
  const known = matchers.get(pattern);
  if (known) return known;
  const matcher = RE2JS.compile(pattern);
  matchers.set(pattern, matcher);
  return matcher;
}

function loopFunctions(meter: Meter): readonly CelFunc[] {
  const grown = new WeakMap<object, CelInput[]>();
  return [
    celFunc(TICK, [], BOOL, () => {
      meter.spend(1);
      return true;
    }),
    celFunc(APPEND, [LIST, LIST], LIST, (list, added) => {
      const known = grown.get(list);
      const items = known ?? [...list];
      for (const item of added) items.push(item);
      if (known) return list;
      const result = celList(items);
      grown.set(result, items);
      return result;
    }),
  ];
}
