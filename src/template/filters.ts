import { type Budget, createWriter } from './budget.ts';
import { LIST_FILTERS, pluck, sortFields } from './lists.ts';
import {
  escapeText,
  indentText,
  splitWords,
  TEXT_FUNCTIONS,
  type TextFunction,
  trimText,
  truncateText,
} from './text.ts';
import {
  argument,
  type Dict,
  isDict,
  isTemplateList,
  isTrue,
  payFor,
  payForResult,
  type TemplateCall,
  templateError,
  toItems,
  toJson,
  toNumber,
  toTemplateText,
  type Value,
} from './value.ts';

/** Computes `value | name(...)`. */
export type Filter = (value: Value, call: TemplateCall, budget: Budget) => Value;

const TEXT_FILTERS: { readonly [name: string]: TextFunction } = {
  ...TEXT_FUNCTIONS,
  trim: (text, call, budget) => trimText(text, toTemplateText(argument(call, 0, 'chars'), budget), 'both'),
  indent: indentText,
  truncate: truncateText,
  wordcount: (text, _, budget) => splitWords(text, budget).length,
  escape: escapeText,
  string: (text) => text,
};

const VALUE_FILTERS: { readonly [name: string]: Filter } = {
  safe: (value) => value,
  default: (value, call) =>
    orElse(value, argument(call, 0, 'default_value') ?? '', argument(call, 1, 'boolean')),
  tojson: (value, call, budget) => toJson(value, budget, toIndent(argument(call, 0, 'indent'))),
  urlencode: urlEncode,
  int: (value, call) =>
    inBase(value, argument(call, 1, 'base')) ?? toWhole(value) ?? argument(call, 0, 'default') ?? 0,
  float: (value, call) => toFloat(value) ?? argument(call, 0, 'default') ?? 0,
  abs: (value) => Math.abs(toNumber(value)),
  round: (value, call) =>
    round(toNumber(value), toNumber(argument(call, 0, 'precision') ?? 0), argument(call, 1, 'method')),
  items: (value) => Object.entries(fieldsOf(value)),
  dictsort: (value, call, budget) => sortFields(Object.entries(fieldsOf(value)), call, budget),
};

const ALIASES: { readonly [name: string]: string } = { d: 'default', e: 'escape', count: 'length' };

const FILTERS: { readonly [name: string]: Filter } = {
  ...Object.fromEntries(Object.entries(TEXT_FILTERS).map(([name, filter]) => [name, ofText(filter)])),
  ...VALUE_FILTERS,
  ...LIST_FILTERS,
  map: (value, call, budget) => mapItems(value, call, budget),
};

/** Returns the filter of a name, if there is one. */
export function filterOf(name: string): Filter | undefined {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(FILTERS, own) ? FILTERS[own] : undefined;
}

/** Every name that `filterOf` knows. */
export const FILTER_NAMES: readonly string[] = [...Object.keys(FILTERS), ...Object.keys(ALIASES)];

/** Applies a filter, and pays for the value that goes in and for the one that comes out. */
export function runFilter(filter: Filter, value: Value, call: TemplateCall, budget: Budget): Value {
  budget.step();
  payFor(value, budget);
  return payForResult(filter(value, call, budget), budget);
}

function ofText(filter: TextFunction): Filter {
  return (value, call, budget) => filter(toTemplateText(value, budget), call, budget);
}

/** Replaces undefined and null. With `default(value, true)` it replaces everything that counts as false. */
function orElse(value: Value, fallback: Value, whenFalse: Value): Value {
  return value === undefined || value === null || (isTrue(whenFalse) && !isTrue(value)) ? fallback : value;
}

/** `map(attribute='name')` or `map('upper')` */
function mapItems(value: Value, call: TemplateCall, budget: Budget): Value {
  const { positional, named } = call;
  if (named.has('attribute')) return pluck(toItems(value), call, budget);
  const name = toTemplateText(positional[0], budget);
  const filter = filterOf(name);
  if (filter === undefined) throw templateError(`there is no filter ${name}`);
  const rest: TemplateCall = { positional: positional.slice(1), named };
  return toItems(value).map((item) => runFilter(filter, item, rest, budget));
}

function fieldsOf(value: Value): Dict {
  if (value === undefined || value === null) return {};
  if (isDict(value)) return value;
  throw templateError('only an object has items');
}

function toIndent(value: Value): number {
  return typeof value === 'number' ? Math.min(10, Math.max(0, value)) : 0;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number that the whole text says; "10 apples" is none. */
function toFloat(value: Value): number | undefined {
  const text = typeof value === 'string' ? value.trim() : null;
  if (text !== null && !NUMBER.test(text)) return undefined;
  const number = Number(typeof value === 'object' ? Number.NaN : (text ?? value));
  return Number.isFinite(number) ? number : undefined;
}

function toWhole(value: Value): number | undefined {
  const number = toFloat(value);
  return number === undefined ? undefined : Math.trunc(number);
}

const BASES: { readonly [prefix: string]: number } = { '0b': 2, '0o': 8, '0x': 16 };

/** The whole number that a text says in a base from 2 to 36, with or without Python's prefix of it; 0 takes that of the prefix. */
function inBase(value: Value, given: Value): number | undefined {
  if (typeof value !== 'string' || typeof given !== 'number') return undefined;
  const [, sign = '', digits = ''] = /^([+-]?)(\w{1,200})$/.exec(value.trim().toLowerCase()) ?? [];
  const own = BASES[digits.slice(0, 2)];
  const base = given === 0 ? (own ?? 10) : given;
  const bare = own === base ? digits.slice(2) : digits;
  const isNumber = bare !== '' && [...bare].every((digit) => Number.parseInt(digit, 36) < base);
  return isNumber && base >= 2 && base <= 36 ? Number.parseInt(sign + bare, base) : undefined;
}

/** Encodes a text for an address, or the fields of an object, or pairs, as its query. */
function urlEncode(value: Value, _: TemplateCall, budget: Budget): string {
  if (!isDict(value) && !isTemplateList(value)) return encode(toTemplateText(value, budget));
  const writer = createWriter(budget);
  for (const pair of isDict(value) ? Object.entries(value) : value) {
    if (!isTemplateList(pair) || pair.length !== 2)
      throw templateError('urlencode of a list takes pairs of a name and a value');
    const [name, part] = pair.map((text) => encode(toTemplateText(text, budget)).replaceAll('%20', '+'));
    writer.write(`&${name}=${part}`);
  }
  return writer.text().slice(1);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
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
  // A number has nothing to round beyond its digits, on either side.
  if (!Number.isFinite(scaled)) return number;
  return factor === 0 ? 0 : whole / factor;
}
