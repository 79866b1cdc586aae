import type { Budget } from './budget.ts';
import {
  isDict,
  isTemplateList,
  kindNameOf,
  payFor,
  sizeOf,
  templateError,
  toNumber,
  toTemplateText,
  type Value,
} from './value.ts';

type Operator = (left: Value, right: Value, budget: Budget) => Value;

const OPERATORS: { readonly [symbol: string]: Operator } = {
  '==': isEqual,
  '!=': (left, right, budget) => !isEqual(left, right, budget),
  '<': (left, right, budget) => compare(left, right, budget) < 0,
  '<=': (left, right, budget) => compare(left, right, budget) <= 0,
  '>': (left, right, budget) => compare(left, right, budget) > 0,
  '>=': (left, right, budget) => compare(left, right, budget) >= 0,
  in: (left, right, budget) => contains(right, left, budget),
  'not in': (left, right, budget) => !contains(right, left, budget),
  '~': (left, right, budget) => concat(toTemplateText(left, budget), toTemplateText(right, budget), budget),
  '+': add,
  '-': (left, right) => toNumber(left) - toNumber(right),
  '*': multiply,
  '/': (left, right) => toNumber(left) / divisor(right),
  '//': (left, right) => Math.floor(toNumber(left) / divisor(right)),
  '%': (left, right) => modulo(toNumber(left), divisor(right)),
  '**': (left, right) => toNumber(left) ** toNumber(right),
};

/** Applies an operator to two values. `and` and `or` are not here, because they may need only the first. */
export function operate(symbol: string, left: Value, right: Value, budget: Budget): Value {
  const operator = Object.hasOwn(OPERATORS, symbol) ? OPERATORS[symbol] : undefined;
  if (operator === undefined) throw templateError(`there is no operator ${symbol}`);
  const result = operator(left, right, budget);
  if (typeof result === 'number' && !Number.isFinite(result))
    throw templateError(`the result of ${symbol} is not a finite number`);
  return result;
}

function concat(left: string, right: string, budget: Budget): string {
  budget.text(left.length + right.length);
  return left + right;
}

function add(left: Value, right: Value, budget: Budget): Value {
  if (typeof left === 'string' || typeof right === 'string')
    return concat(toTemplateText(left, budget), toTemplateText(right, budget), budget);
  if (!isTemplateList(left) || !isTemplateList(right)) return toNumber(left) + toNumber(right);
  budget.step(left.length + right.length);
  return [...left, ...right];
}

function multiply(left: Value, right: Value, budget: Budget): Value {
  if (typeof left !== 'string') return toNumber(left) * toNumber(right);
  const times = Math.max(0, Math.floor(toNumber(right)));
  budget.text(left.length * times);
  return left.repeat(times);
}

function divisor(value: Value): number {
  const number = toNumber(value);
  if (number === 0) throw templateError('it divides by zero');
  return number;
}

/** Returns the remainder with the sign of the divisor, as Python does. */
function modulo(left: number, right: number): number {
  return left - right * Math.floor(left / right);
}

/** Compares two values as Python does, except that a boolean never equals a number. */
export function isEqual(left: Value, right: Value, budget: Budget): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    budget.read(left.length);
  }
  if (left === right) return true;
  if (isTemplateList(left) && isTemplateList(right)) {
    if (left.length !== right.length) return false;
    payForPair(left, budget);
    return left.every((item, index) => isEqual(item, right[index], budget));
  }
  if (!isDict(left) || !isDict(right) || sizeOf(left) !== sizeOf(right)) return false;
  payForPair(left, budget);
  return Object.keys(left).every(
    (key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], budget),
  );
}

function payForPair(value: Value, budget: Budget): void {
  budget.step();
  payFor(value, budget);
}

/** Orders two numbers, texts or lists: negative, zero or positive. Throws `internal` for other types. */
export function compare(left: Value, right: Value, budget: Budget): number {
  if (isTemplateList(left) && isTemplateList(right)) return compareLists(left, right, budget);
  if (typeof left === 'string' && typeof right === 'string') {
    budget.read(Math.min(left.length, right.length));
    return left < right ? -1 : Number(left > right);
  }
  if (typeof left === 'string' || typeof right === 'string') {
    throw templateError(`${kindNameOf(left)} and ${kindNameOf(right)} cannot be ordered`);
  }
  return toNumber(left) - toNumber(right);
}

/** The first items that differ decide, or else the lengths. */
function compareLists(left: readonly Value[], right: readonly Value[], budget: Budget): number {
  payForPair(left, budget);
  const at = left.findIndex((item, index) => index >= right.length || !isEqual(item, right[index], budget));
  if (at === -1 || at >= right.length) return left.length - right.length;
  return compare(left[at], right[at], budget);
}

/** Tells whether a list, a text or an object contains a value. */
export function contains(whole: Value, part: Value, budget: Budget): boolean {
  if (whole === undefined || whole === null) return false;
  if (isTemplateList(whole)) {
    payFor(whole, budget);
    return whole.some((item) => isEqual(item, part, budget));
  }
  if (isDict(whole)) return typeof part === 'string' && Object.hasOwn(whole, part);
  if (typeof whole !== 'string')
    throw templateError(`in needs a list, a text or an object, not ${kindNameOf(whole)}`);
  const text = toTemplateText(part, budget);
  budget.search(whole.length, text.length);
  return whole.includes(text);
}
