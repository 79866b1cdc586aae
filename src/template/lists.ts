import type { Budget } from './budget.ts';
import { templateError } from './failure.ts';
import { memberOf } from './methods.ts';
import { testOf } from './tests.ts';
import {
  argument,
  compare,
  isDict,
  isEqual,
  isTemplateList,
  isTrue,
  type TemplateCall,
  toItems,
  toNumber,
  toTemplateText,
  type Value,
} from './value.ts';

type Filter = (value: Value, call: TemplateCall, budget: Budget) => Value;

/** The filters that go through the items of a list. */
export const LIST_FILTERS: { readonly [name: string]: Filter } = {
  list: (value) => toItems(value),
  length: (value) => toItems(value).length,
  first: (value) => toItems(value)[0],
  last: (value) => toItems(value).at(-1),
  join: (value, call, budget) =>
    join(pick(value, call, 1, budget), toTemplateText(argument(call, 0, 'd')), budget),
  sort: (value, call, budget) => sort(value, call, budget),
  reverse: (value) =>
    typeof value === 'string' ? [...value].reverse().join('') : toItems(value).toReversed(),
  unique: (value, _, budget) => unique(toItems(value), budget),
  sum: (value, call, budget) =>
    pick(value, call, 0, budget).reduce<number>((total, item) => total + toNumber(item), 0),
  min: (value, _, budget) => inOrder(toItems(value), false, budget)[0],
  max: (value, _, budget) => inOrder(toItems(value), false, budget).at(-1),
  select: (value, call, budget) => toItems(value).filter((item) => passes(item, call.positional, budget)),
  reject: (value, call, budget) => toItems(value).filter((item) => !passes(item, call.positional, budget)),
  selectattr: (value, { positional: [path, ...test] }, budget) =>
    toItems(value).filter((item) => passes(attributeOf(item, path, budget), test, budget)),
  rejectattr: (value, { positional: [path, ...test] }, budget) =>
    toItems(value).filter((item) => !passes(attributeOf(item, path, budget), test, budget)),
};

/** With a test's name, whether it holds; without one, whether the value is true. */
function passes(value: Value, [name, other]: readonly Value[], budget: Budget): boolean {
  budget.step();
  if (name === undefined) return isTrue(value);
  const test = testOf(toTemplateText(name));
  if (test === undefined) throw templateError(`there is no test ${toTemplateText(name)}`);
  return test(value, other, budget);
}

/** `a.b.0`: keys and positions, one after the other. */
function attributeOf(item: Value, path: Value, budget: Budget): Value {
  const keys = toTemplateText(path).split('.');
  return keys.reduce<Value>((value, key) => {
    const known = isDict(value) || isTemplateList(value);
    if (!known) return undefined;
    const member = memberOf(value, isTemplateList(value) ? Number(key) : key, budget);
    return typeof member === 'function' ? undefined : member;
  }, item);
}

function pick(value: Value, call: TemplateCall, index: number, budget: Budget): readonly Value[] {
  const attribute = argument(call, index, 'attribute');
  const items = toItems(value);
  budget.step(items.length);
  return attribute === undefined ? items : items.map((item) => attributeOf(item, attribute, budget));
}

/** `map(attribute='a.b', default=...)`. */
export function pluck(items: readonly Value[], { named }: TemplateCall, budget: Budget): readonly Value[] {
  const [path, missing] = [named.get('attribute'), named.get('default')];
  budget.step(items.length);
  return items.map((item) => attributeOf(item, path, budget) ?? missing);
}

function join(items: readonly Value[], separator: string, budget: Budget): string {
  const texts = items.map(toTemplateText);
  budget.text(texts.reduce((length, text) => length + text.length + separator.length, 0));
  return texts.join(separator);
}

/** `sort(reverse, case_sensitive, attribute)`. */
function sort(value: Value, call: TemplateCall, budget: Budget): readonly Value[] {
  const items = toItems(value);
  const path = argument(call, 2, 'attribute');
  const keyed = items.map((item) => ({
    item,
    key: path === undefined ? item : attributeOf(item, path, budget),
  }));
  const exact = isTrue(argument(call, 1, 'case_sensitive'));
  budget.step(items.length * 4);
  const sorted = keyed.sort((one, other) => compareKeys(one.key, other.key, exact)).map(({ item }) => item);
  return isTrue(argument(call, 0, 'reverse')) ? sorted.reverse() : sorted;
}

function inOrder(items: readonly Value[], exact: boolean, budget: Budget): readonly Value[] {
  budget.step(items.length * 4);
  return items.toSorted((one, other) => compareKeys(one, other, exact));
}

function compareKeys(one: Value, other: Value, exact: boolean): number {
  const fold = (value: Value): Value => (typeof value === 'string' && !exact ? value.toLowerCase() : value);
  return compare(fold(one), fold(other));
}

function unique(items: readonly Value[], budget: Budget): readonly Value[] {
  const kept: Value[] = [];
  for (const item of items) {
    budget.step(1 + kept.length / 8);
    if (!kept.some((other) => isEqual(other, item, budget))) kept.push(item);
  }
  return kept;
}
