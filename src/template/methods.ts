import type { Budget } from './budget.ts';
import { templateError } from './failure.ts';
import { capitalize, replaceText, toTitle, trimText } from './text.ts';
import {
  argument,
  type Callable,
  isDict,
  isNamespace,
  isTemplateList,
  type TemplateCall,
  toTemplateText,
  type Value,
  weigh,
} from './value.ts';

type Method<T> = (self: T, call: TemplateCall, budget: Budget) => Value;

const TEXT_METHODS: { readonly [name: string]: Method<string> } = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  title: (text) => toTitle(text),
  capitalize: (text) => capitalize(text),
  strip: (text, call) => trimText(text, argument(call, 0, 'chars'), 'both'),
  lstrip: (text, call) => trimText(text, argument(call, 0, 'chars'), 'start'),
  rstrip: (text, call) => trimText(text, argument(call, 0, 'chars'), 'end'),
  startswith: (text, call) => affixes(call).some((affix) => text.startsWith(affix)),
  endswith: (text, call) => affixes(call).some((affix) => text.endsWith(affix)),
  replace: (text, call, budget) => replaceText(text, call, budget),
  split: (text, call) => split(text, argument(call, 0, 'sep'), argument(call, 1, 'maxsplit')),
};

const DICT_METHODS: { readonly [name: string]: Method<{ readonly [key: string]: Value }> } = {
  items: (dict) => Object.entries(dict),
  keys: (dict) => Object.keys(dict),
  values: (dict) => Object.values(dict),
  get: (dict, call) => {
    const key = argument(call, 0, 'key');
    const value = typeof key === 'string' && Object.hasOwn(dict, key) ? dict[key] : undefined;
    return value === undefined ? (argument(call, 1, 'default') ?? null) : value;
  },
};

/**
 * What `value.key` or `value[key]` is: the data's own keys, items, and the methods listed here. Nothing that JavaScript
 * objects inherit can be reached.
 */
export function memberOf(value: Value, key: Value, budget: Budget): Value {
  if (typeof key === 'number') return itemAt(value, key);
  if (typeof key !== 'string') return undefined;
  if (typeof value === 'string') return methodOf(TEXT_METHODS, key, value, budget);
  if (isNamespace(value)) return value.get(key);
  if (!isDict(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : methodOf(DICT_METHODS, key, value, budget);
}

/** Part of a list or a text, as Python slices it. */
export function sliceOf(value: Value, bounds: readonly [Value, Value, Value]): Value {
  const [start, stop, step] = bounds.map((bound) =>
    typeof bound === 'number' ? Math.trunc(bound) : undefined,
  );
  if (typeof value === 'string') return slice([...value], start, stop, step).join('');
  if (isTemplateList(value)) return slice(value, start, stop, step);
  if (value === undefined || value === null) return undefined;
  throw templateError('only lists and texts can be sliced');
}

function slice<T>(items: readonly T[], start?: number, stop?: number, step = 1): readonly T[] {
  if (step === 0) throw templateError('the step of a slice is 0');
  if (step > 0) return items.slice(start ?? 0, stop).filter((_, index) => index % step === 0);
  const last = items.length - 1;
  const from = start === undefined ? last : Math.min(start < 0 ? start + items.length : start, last);
  const to = stop === undefined ? -1 : Math.max(stop < 0 ? stop + items.length : stop, -1);
  const backwards = from < 0 ? [] : items.slice(to + 1, from + 1).toReversed();
  return backwards.filter((_, index) => index % -step === 0);
}

function itemAt(value: Value, index: number): Value {
  if (isTemplateList(value)) return value.at(index);
  if (typeof value === 'string') return value.at(index);
  return isDict(value) && Object.hasOwn(value, String(index)) ? value[String(index)] : undefined;
}

function methodOf<T extends Value>(
  methods: { readonly [name: string]: Method<T> },
  name: string,
  self: T,
  budget: Budget,
): Callable | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) return undefined;
  return (call) => {
    budget.step(weigh(self));
    return method(self, call, budget);
  };
}

function affixes(call: TemplateCall): readonly string[] {
  const affix = call.positional[0];
  return isTemplateList(affix) ? affix.map(toTemplateText) : [toTemplateText(affix)];
}

function split(text: string, separator: Value, limit: Value): readonly string[] {
  const most = typeof limit === 'number' && limit >= 0 ? limit : Number.POSITIVE_INFINITY;
  const by = toTemplateText(separator);
  const parts = by === '' ? text.trim().split(/\s+/).filter(Boolean) : text.split(by);
  if (parts.length <= most) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(by || ' ')];
}
