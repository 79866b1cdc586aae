import type { Budget } from './budget.ts';
import { templateError } from './failure.ts';
import { LIST_FILTERS, pluck } from './lists.ts';
import { capitalize, escapeText, indentText, replaceText, toTitle, trimText, truncateText } from './text.ts';
import {
  argument,
  isDict,
  isTrue,
  type TemplateCall,
  toItems,
  toJson,
  toNumber,
  toTemplateText,
  type Value,
} from './value.ts';

/** What `value | name(...)` does. */
export type Filter = (value: Value, call: TemplateCall, budget: Budget) => Value;

const TEXT_FILTERS: { readonly [name: string]: Filter } = {
  upper: (value) => toTemplateText(value).toUpperCase(),
  lower: (value) => toTemplateText(value).toLowerCase(),
  title: (value) => toTitle(toTemplateText(value)),
  capitalize: (value) => capitalize(toTemplateText(value)),
  trim: (value, call) => trimText(toTemplateText(value), argument(call, 0, 'chars'), 'both'),
  replace: (value, call, budget) => replaceText(toTemplateText(value), call, budget),
  indent: (value, call, budget) => indentText(toTemplateText(value), call, budget),
  truncate: (value, call) => truncateText(toTemplateText(value), call),
  wordcount: (value) => toTemplateText(value).split(/\s+/).filter(Boolean).length,
  escape: (value) => escapeText(toTemplateText(value)),
  urlencode: (value) => encodeURIComponent(toTemplateText(value).toWellFormed()),
  string: (value) => toTemplateText(value),
  safe: (value) => value,
};

const VALUE_FILTERS: { readonly [name: string]: Filter } = {
  default: (value, call) =>
    orElse(value, argument(call, 0, 'default_value') ?? '', argument(call, 1, 'boolean')),
  tojson: (value, call) => toJson(value, toIndent(argument(call, 0, 'indent'))),
  int: (value, call) => toWhole(value) ?? argument(call, 0, 'default') ?? 0,
  float: (value, call) => toFloat(value) ?? argument(call, 0, 'default') ?? 0,
  abs: (value) => Math.abs(toNumber(value)),
  round: (value, call) =>
    round(toNumber(value), toNumber(argument(call, 0, 'precision') ?? 0), argument(call, 1, 'method')),
  items: (value) => Object.entries(fieldsOf(value)),
  dictsort: (value) => Object.entries(fieldsOf(value)).sort(([one], [other]) => (one < other ? -1 : 1)),
};

const ALIASES: { readonly [name: string]: string } = { d: 'default', e: 'escape', count: 'length' };

const FILTERS: { readonly [name: string]: Filter } = {
  ...TEXT_FILTERS,
  ...VALUE_FILTERS,
  ...LIST_FILTERS,
  map: (value, call, budget) => mapItems(value, call, budget),
};

/** The filter of a name. */
export function filterOf(name: string): Filter | undefined {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(FILTERS, own) ? FILTERS[own] : undefined;
}

/** Every name that `filterOf` knows. */
export const FILTER_NAMES: readonly string[] = [...Object.keys(FILTERS), ...Object.keys(ALIASES)];

/** Nothing, undefined or null, is replaced; with `true` everything that counts as false is. */
function orElse(value: Value, fallback: Value, whenFalse: Value): Value {
  return value === undefined || value === null || (isTrue(whenFalse) && !isTrue(value)) ? fallback : value;
}

/** `map(attribute='name')` or `map('upper')`. */
function mapItems(value: Value, call: TemplateCall, budget: Budget): Value {
  const { positional, named } = call;
  if (named.has('attribute')) return pluck(toItems(value), call, budget);
  const name = toTemplateText(positional[0]);
  const filter = filterOf(name);
  if (filter === undefined) throw templateError(`there is no filter ${name}`);
  return toItems(value).map((item) => filter(item, { positional: positional.slice(1), named }, budget));
}

function fieldsOf(value: Value): { readonly [key: string]: Value } {
  if (value === undefined || value === null) return {};
  if (isDict(value)) return value;
  throw templateError('only objects have items');
}

function toIndent(value: Value): number {
  return typeof value === 'number' ? Math.min(10, Math.max(0, value)) : 0;
}

function toFloat(value: Value): number | undefined {
  const number =
    typeof value === 'string'
      ? Number.parseFloat(value)
      : Number(typeof value === 'object' ? Number.NaN : value);
  return Number.isFinite(number) ? number : undefined;
}

function toWhole(value: Value): number | undefined {
  const number = toFloat(value);
  return number === undefined ? undefined : Math.trunc(number);
}

function round(number: number, precision: number, method: Value): number {
  const factor = 10 ** precision;
  const scaled = number * factor;
  const whole =
    method === 'ceil'
      ? Math.ceil(scaled)
      : method === 'floor'
        ? Math.floor(scaled)
        : Math.sign(scaled) * Math.round(Math.abs(scaled));
  // Beyond the digits that a number has, on either side, there is nothing to round.
  if (!Number.isFinite(scaled)) return number;
  return factor === 0 ? 0 : whole / factor;
}
