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
import { CONVERSIONS } from './conversions.ts';
import { equalityOfDigits } from './digits.ts';
import { APPEND, TICK } from './instrument.ts';
import { type Meter, meteredFunctions } from './meter.ts';
import { patternPrice } from './pattern-price.ts';
import { TIMESTAMP, timeMethods } from './time.ts';

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);
const MAX_MATCHERS = 1000;

/**
 * Standard CEL with `now()`, with arithmetic across int and double, with equality of long numbers and their digits, and
 * with prices for functions whose cost grows with their input. Later functions replace earlier ones.
 */
export function createEnvironment(meter: Meter): CelEnv {
  const metered = meteredFunctions(meter);
  return celEnv({
    funcs: [
      ...metered,
      ...equalityOfDigits(metered),
      ...ARITHMETIC,
      ...CONVERSIONS,
      ...timeMethods(meter),
      ...ownFunctions(meter),
      ...loopFunctions(meter),
    ],
  });
}

/** JSON numbers are doubles and literals are ints. `amount * 2` must work with either. */
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

function ownFunctions(meter: Meter): readonly CelFunc[] {
  const matchers = new Map<string, Matcher>();
  return [
    celFunc('now', [], TIMESTAMP, () => timestampFromMs(meter.now())),
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      const { matcher, price } = matcherOf(matchers, pattern);
      meter.spend(this.length * price);
      return matcher.test(this);
    }),
  ];
}

interface Matcher {
  readonly matcher: RE2JS;
  /** The price of each character of the tested text. */
  readonly price: number;
}

/** Caches compiled patterns. Patterns are literals of conditions; the limit is for servers that reload for months. */
function matcherOf(matchers: Map<string, Matcher>, pattern: string): Matcher {
  const known = matchers.get(pattern);
  if (known) return known;
  if (matchers.size >= MAX_MATCHERS) matchers.clear();
  const matcher = { matcher: RE2JS.compile(pattern), price: patternPrice(pattern) };
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
