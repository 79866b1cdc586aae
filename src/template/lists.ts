import { type Budget, createWriter } from './budget.ts';
import { memberOf } from './methods.ts';
import { compare, isEqual } from './operators.ts';
import { passes } from './tests.ts';
import {
  argument,
  isDict,
  isTemplateList,
  isTrue,
  payFor,
  type TemplateCall,
  templateError,
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
    join(pick(value, call, 1, budget), toTemplateText(argument(call, 0, 'd'), budget), budget),
  sort: (value, call, budget) => sort(value, call, budget),
  reverse: (value) =>
    typeof value === 'string' ? [...value].reverse().join('') : toItems(value).toReversed(),
  unique: (value, call, budget) => unique(toItems(value), keyReader(call, [0, 1], budget), budget),
  sum: (value, call, budget) =>
    pick(value, call, 0, budget).reduce<number>(
      (total, item) => total + toNumber(item),
      toNumber(argument(call, 1, 'start') ?? 0),
    ),
  min: (value, call, budget) => inOrder(toItems(value), keyReader(call, [0, 1], budget), budget)[0],
  max: (value, call, budget) => inOrder(toItems(value), keyReader(call, [0, 1], budget), budget).at(-1),
  select: (value, { positional }, budget) => toItems(value).filter(itemCheck(positional, budget)),
  reject: (value, { positional }, budget) => toItems(value).filter(not(itemCheck(positional, budget))),
  selectattr: (value, call, budget) => toItems(value).filter(attributeCheck(call, budget)),
  rejectattr: (value, call, budget) => toItems(value).filter(not(attributeCheck(call, budget))),
};

type Reader = (item: Value) => Value;
type Check = (item: Value) => boolean;

/** Returns a check that an item passes a test or, without a test, that it counts as true. */
function itemCheck([test, other]: readonly Value[], budget: Budget): Check {
  const name = test === undefined ? undefined : toTemplateText(test, budget);
  return (item) => {
    budget.step();
    return name === undefined ? isTrue(item) : passes(item, name, other, budget);
  };
}

function attributeCheck({ positional: [path, ...test] }: TemplateCall, budget: Budget): Check {
  const read = attributeReader(path, budget);
  const check = itemCheck(test, budget);
  return (item) => check(read(item));
}

function not(check: Check): Check {
  return (item) => !check(item);
}

/** Returns a function that reads `a.b.0` of an item: keys and positions, one after the other. */
function attributeReader(path: Value, budget: Budget): Reader {
  const keys = toTemplateText(path, budget).split('.');
  return (item) => {
    budget.step(keys.length);
    return keys.reduce<Value>((value, key) => {
      if (!isDict(value) && !isTemplateList(value)) return undefined;
      const member = memberOf(value, isTemplateList(value) ? Number(key) : key, budget);
      return typeof member === 'function' ? undefined : member;
    }, item);
  };
}

function pick(value: Value, call: TemplateCall, index: number, budget: Budget): readonly Value[] {
  const attribute = argument(call, index, 'attribute');
  const items = toItems(value);
  budget.step(items.length);
  return attribute === undefined ? items : items.map(attributeReader(attribute, budget));
}

/** `map(attribute='a.b', default=...)` */
export function pluck(items: readonly Value[], { named }: TemplateCall, budget: Budget): readonly Value[] {
  const read = attributeReader(named.get('attribute'), budget);
  const missing = named.get('default');
  return items.map((item) => read(item) ?? missing);
}

function join(items: readonly Value[], separator: string, budget: Budget): string {
  const writer = createWriter(budget);
  for (const [index, item] of items.entries()) {
    if (index > 0) writer.write(separator);
    writer.write(toTemplateText(item, budget));
  }
  return writer.text();
}

/** `sort(reverse, case_sensitive, attribute)` */
function sort(value: Value, call: TemplateCall, budget: Budget): readonly Value[] {
  const sorted = inOrder(toItems(value), keyReader(call, [1, 2], budget), budget);
  return isTrue(argument(call, 0, 'reverse')) ? sorted.toReversed() : sorted;
}

/** `dictsort(case_sensitive, by, reverse)` */
export function sortFields(fields: readonly Value[], call: TemplateCall, budget: Budget): readonly Value[] {
  const by = argument(call, 1, 'by') ?? 'key';
  if (by !== 'key' && by !== 'value') throw templateError('dictsort() sorts by key or by value');
  const read = keyReader(call, [0, Number.POSITIVE_INFINITY], budget);
  const keyOf = (field: Value): Value =>
    isTemplateList(field) ? read(field[by === 'key' ? 0 : 1]) : undefined;
  const sorted = inOrder(fields, keyOf, budget);
  return isTrue(argument(call, 2, 'reverse')) ? sorted.toReversed() : sorted;
}

/** Reads the key that `case_sensitive` and `attribute` ask for; `at` are their positions. */
function keyReader(call: TemplateCall, [exactAt, attributeAt]: [number, number], budget: Budget): Reader {
  const path = argument(call, attributeAt, 'attribute');
  const read = path === undefined || path === null ? (item: Value) => item : attributeReader(path, budget);
  return isTrue(argument(call, exactAt, 'case_sensitive')) ? read : (item) => fold(read(item));
}

function inOrder(items: readonly Value[], keyOf: Reader, budget: Budget): readonly Value[] {
  budget.step(items.length * 4);
  const keyed = items.map((item) => {
    const key = keyOf(item);
    payFor(key, budget);
    return { item, key };
  });
  return keyed.sort((one, other) => compare(one.key, other.key, budget)).map(({ item }) => item);
}

/** Lowers the letters of a text, so that their case does not count. */
function fold(value: Value): Value {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** `unique(case_sensitive, attribute)` keeps the first item of each key. */
function unique(items: readonly Value[], keyOf: Reader, budget: Budget): readonly Value[] {
  const keys: Value[] = [];
  return items.filter((item) => {
    budget.step(1 + keys.length / 8);
    const key = keyOf(item);
    payFor(key, budget);
    const fresh = !keys.some((other) => isEqual(other, key, budget));
    if (fresh) keys.push(key);
    return fresh;
  });
}
