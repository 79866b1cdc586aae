import type { Budget } from './budget.ts';
import { splitText, splitWords, TEXT_FUNCTIONS, type TextFunction, trimText } from './text.ts';
import {
  argument,
  type Callable,
  type Dict,
  isDict,
  isNamespace,
  isTemplateList,
  payFor,
  payForResult,
  type TemplateCall,
  templateError,
  toTemplateText,
  type Value,
} from './value.ts';

type Method<T> = (self: T, call: TemplateCall, budget: Budget) => Value;

const TEXT_METHODS: { readonly [name: string]: TextFunction } = {
  ...TEXT_FUNCTIONS,
  strip: (text, call, budget) => trimText(text, charactersOf(call, budget), 'both'),
  lstrip: (text, call, budget) => trimText(text, charactersOf(call, budget), 'start'),
  rstrip: (text, call, budget) => trimText(text, charactersOf(call, budget), 'end'),
  startswith: (text, call, budget) => affixesOf(call, budget).some((affix) => text.startsWith(affix)),
  endswith: (text, call, budget) => affixesOf(call, budget).some((affix) => text.endsWith(affix)),
  split,
};

const DICT_METHODS: { readonly [name: string]: Method<Dict> } = {
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
 * Returns `value.key` or `value[key]`: an item, a key of the data itself, or a method listed above. Nothing that
 * JavaScript objects inherit can be reached.
 */
export function memberOf(value: Value, key: Value, budget: Budget): Value {
  if (typeof key === 'number') return itemAt(value, key, budget);
  if (typeof key !== 'string') return undefined;
  if (typeof value === 'string') return methodOf(TEXT_METHODS, key, value, budget);
  if (isNamespace(value)) return value.get(key);
  if (!isDict(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : methodOf(DICT_METHODS, key, value, budget);
}

/** Returns a part of a list or a text, as Python slices it. */
export function sliceOf(value: Value, bounds: readonly [Value, Value, Value], budget: Budget): Value {
  if (isTemplateList(value) || typeof value === 'string') budget.items(value.length);
  const [start, stop, step] = bounds.map((bound) =>
    typeof bound === 'number' ? Math.trunc(bound) : undefined,
  );
  if (typeof value === 'string') return slice([...value], start, stop, step).join('');
  if (isTemplateList(value)) return slice(value, start, stop, step);
  if (value === undefined || value === null) return undefined;
  throw templateError('only a list or a text can be sliced');
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

function itemAt(value: Value, index: number, budget: Budget): Value {
  if (isTemplateList(value)) return value.at(index);
  if (typeof value === 'string') {
    budget.items(value.length);
    return [...value].at(index);
  }
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
    payFor(self, budget);
    return payForResult(method(self, call, budget), budget);
  };
}

function charactersOf(call: TemplateCall, budget: Budget): string {
  const characters = toTemplateText(argument(call, 0, 'chars'), budget);
  budget.items(characters.length);
  return characters;
}

function affixesOf({ positional: [affix] }: TemplateCall, budget: Budget): readonly string[] {
  payFor(affix, budget);
  return isTemplateList(affix)
    ? affix.map((each) => toTemplateText(each, budget))
    : [toTemplateText(affix, budget)];
}

/** `split(sep, maxsplit)`; without a separator, blanks separate. */
function split(text: string, call: TemplateCall, budget: Budget): readonly string[] {
  const separator = toTemplateText(argument(call, 0, 'sep'), budget);
  const limit = argument(call, 1, 'maxsplit');
  const most = typeof limit === 'number' && limit >= 0 ? limit : Number.POSITIVE_INFINITY;
  const parts = separator === '' ? splitWords(text, budget) : splitText(text, separator, budget);
  if (parts.length <= most) return parts;
  return [...parts.slice(0, most), parts.slice(most).join(separator || ' ')];
}
