import type { Budget } from './budget.ts';
import { templateError } from './errors.ts';
import {
  isDict,
  isTemplateList,
  kindNameOf,
  payFor,
  sizeOf,
  toNumber,
  toTemplateText,
  type Value,
} from './value.ts';

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

/** Orders two numbers or two texts: negative, zero or positive. Throws `internal` for other types. */
export function compare(left: Value, right: Value, budget: Budget): number {
  if (typeof left === 'string' && typeof right === 'string') {
    budget.read(Math.min(left.length, right.length));
    return left < right ? -1 : Number(left > right);
  }
  if (typeof left === 'string' || typeof right === 'string') {
    throw templateError(`${kindNameOf(left)} and ${kindNameOf(right)} cannot be ordered`);
  }
  return toNumber(left) - toNumber(right);
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
