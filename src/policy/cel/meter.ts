import {
  type CelFunc,
  CelScalar,
  type CelType,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  isCelError,
  isCelList,
} from '@bufbuild/cel';
import { SvcError } from '../../errors.ts';

/** The budget and the clock of one evaluation. A unit is one turn of a loop, 2 to 4 microseconds. */
export interface Meter {
  /** Throws if the evaluation exceeds its budget. */
  spend(units: number): void;
  now(): number;
}

/** The number of characters that cost one unit. */
const TEXT_PER_UNIT = 300;
const ITEMS_PER_UNIT = 8;
const WALKS_LISTS = ['@in', '_+_'];

/** The standard functions whose cost grows with their input, with prices. */
export function meteredFunctions(meter: Meter): readonly CelFunc[] {
  return METERED.map((func) => {
    const { name, target, result } = func;
    const call = (self: CelValue | undefined, args: CelValue[]): CelValue => {
      meter.spend(priceOf(name, self === undefined ? args : [self, ...args]));
      const answer = func.call(0, self, args);
      if (answer === undefined) throw new SvcError('internal', `${name} does not accept these arguments`);
      if (isCelError(answer)) throw answer;
      return answer;
    };
    return target === undefined
      ? celFunc(name, func.arguments, result, (...args: CelValue[]) => call(undefined, args))
      : celMethod(name, target, func.arguments, result, function (...args: CelValue[]) {
          return call(this, args);
        });
  });
}

const METERED = [...celEnv().funcs].filter(({ name, target, arguments: args }) => {
  const types = target === undefined ? args : [target, ...args];
  return types.some((type) => type === CelScalar.STRING || isWalkedList(name, type));
});

function isWalkedList(name: string, type: CelType): boolean {
  return type.kind === 'list' && WALKS_LISTS.includes(name);
}

function priceOf(name: string, values: readonly CelValue[]): number {
  return values.reduce<number>((price, value) => {
    if (typeof value === 'string') return price + value.length / TEXT_PER_UNIT;
    return isCelList(value) && WALKS_LISTS.includes(name) ? price + value.size / ITEMS_PER_UNIT : price;
  }, 0);
}
