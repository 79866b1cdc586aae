import { isInexact, isList, isObject, type JsonValue, parseWithSources, tryJson } from '../json.ts';
import { fitsHugeint, parseDecimal, toInteger } from './decimal.ts';
import type { TypeName } from './node.ts';

/** A value converted to its type, or the reason why that is impossible. Messages never repeat the value. */
export type Coerced = { readonly value: JsonValue } | { readonly problem: string };

const LOST_DIGITS =
  'is beyond 2^53, where a JSON number may already have lost digits: send it as text in quotes';

/** Converts a client's value to each type. An unambiguous value is converted (`"5"` to 5); any other is an error. */
export const COERCE: { readonly [type in TypeName]: (value: unknown) => Coerced } = {
  string: toText,
  number: toNumber,
  integer: toWhole,
  boolean: toBoolean,
  array: (value) => fromText(value, isList, 'must be a list (or its JSON text)'),
  object: (value) => fromText(value, isObject, 'must be an object (or its JSON text)'),
};

/** Accepts a result's value only if it has the type exactly; converts nothing. */
export const EXACT: { readonly [type in TypeName]: (value: unknown) => Coerced } = {
  string: (value) => accept(value, typeof value === 'string', 'must be text'),
  number: (value) => exactNumber(value, Number.isFinite(value), 'must be a number'),
  integer: (value) => exactNumber(value, Number.isInteger(value), 'must be a whole number'),
  boolean: (value) => accept(value, typeof value === 'boolean', 'must be true or false'),
  array: (value) => accept(value, isList(value), 'must be a list'),
  object: (value) => accept(value, isObject(value), 'must be an object'),
};

const MAX_DEPTH = 64;
/** The most values in one argument: items, properties and what they contain. */
export const MAX_VALUES = 100_000;
const NOT_UNICODE = 'has text that is not valid Unicode (half of a surrogate pair)';

/** Names the kind of a value without revealing the value. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  const names: { readonly [type: string]: string } = {
    string: 'text',
    object: 'an object',
    boolean: 'a boolean',
  };
  return names[typeof value] ?? (Number.isFinite(value) ? 'a number' : 'a number that JSON cannot represent');
}

function accept(value: unknown, fits: boolean, problem: string): Coerced {
  return fits ? { value: value as JsonValue } : { problem: `${problem}, not ${kindOf(value)}` };
}

function exactNumber(value: unknown, fits: boolean, problem: string): Coerced {
  if (typeof value === 'string' && parseDecimal(value) !== null) {
    return {
      problem: `${problem}; its digits exceed a JSON number, so it arrives as text: declare it as \`type: string\`, or cast it to DOUBLE in the SQL`,
    };
  }
  return accept(value, fits, problem);
}

function toText(value: unknown): Coerced {
  if (typeof value === 'string') return { value };
  if (typeof value === 'boolean') return { value: String(value) };
  if (typeof value !== 'number' || !Number.isFinite(value)) return accept(value, false, 'must be text');
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? { problem: LOST_DIGITS } : { value: String(value) };
}

function toNumber(value: unknown): Coerced {
  const number = typeof value === 'string' && parseDecimal(value) ? Number(value) : value;
  return accept(number, Number.isFinite(number), 'must be a number');
}

function toWhole(value: unknown): Coerced {
  if (typeof value === 'string') return fromDigits(value);
  if (!Number.isFinite(value)) return accept(value, false, 'must be a whole number');
  if (!Number.isInteger(value)) return { problem: 'must be a whole number, without a fraction' };
  return Number.isSafeInteger(value) ? { value: Number(value) + 0 } : { problem: LOST_DIGITS };
}

/** Integers beyond 2^53 stay text with all their digits; SQL gets them exactly. */
function fromDigits(text: string): Coerced {
  const decimal = parseDecimal(text);
  if (decimal === null) return { problem: 'must be a whole number, not text' };
  const whole = toInteger(decimal);
  if (whole === null) return { problem: 'must be a whole number, without a fraction' };
  if (!fitsHugeint(whole)) return { problem: 'is too large: integers have at most 128 bits' };
  return { value: Number.isSafeInteger(Number(whole)) ? Number(whole) : whole.toString() };
}

function toBoolean(value: unknown): Coerced {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true' || text === 1 || text === '1') return { value: true };
  if (text === false || text === 'false' || text === 0 || text === '0') return { value: false };
  return accept(value, false, 'must be true or false');
}

function fromText(value: unknown, fits: (value: unknown) => boolean, problem: string): Coerced {
  if (typeof value !== 'string') return accept(value, fits(value), problem);
  const json = /\d{16}|\d[eE]/.test(value) ? tryExactJson(value) : tryJson(value);
  const parsed = json === undefined ? value : json;
  if (!fits(parsed)) return { problem: `${problem}, not text` };
  const tooMuch = boundsIssue(parsed);
  return tooMuch === null ? { value: parsed } : { problem: tooMuch };
}

/** Parses a JSON text, and leaves whole numbers beyond 2^53 as the texts that they are; undefined for a text that is not JSON. */
export function tryExactJson(text: string): JsonValue | undefined {
  try {
    return parseWithSources(text, (_, value, { source }) =>
      typeof value === 'number' && isInexact(value) && source !== undefined ? source : value,
    );
  } catch {
    return undefined;
  }
}

/** Returns the problem of a value without a declared type: a whole number, at any depth, that may have lost digits. */
export function inexactIssue(value: JsonValue): string | null {
  if (typeof value === 'number') return isInexact(value) ? LOST_DIGITS : null;
  if (typeof value !== 'object' || value === null) return null;
  const isInexactInside = isList(value)
    ? value.some((item) => inexactIssue(item) !== null)
    : Object.keys(value).some((name) => inexactIssue(value[name] ?? null) !== null);
  return isInexactInside ? `has a number that ${LOST_DIGITS}` : null;
}

function isUnicode(value: unknown): boolean {
  return typeof value !== 'string' || value.isWellFormed();
}

/**
 * Returns why a client's value is unsafe to walk or cannot arrive: nested too deep, too large, with a `__proto__` key, or
 * with half of a surrogate pair, which UTF-8 cannot hold. Returns null for a safe value.
 */
export function boundsIssue(root: unknown): string | null {
  if (!isUnicode(root)) return NOT_UNICODE;
  const open: { readonly value: object; readonly depth: number }[] = [];
  if (typeof root === 'object' && root !== null) open.push({ value: root, depth: 1 });
  let values = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    if (Object.hasOwn(value, '__proto__')) return 'has a key named __proto__';
    const keys = Array.isArray(value) ? null : Object.keys(value);
    const count = Array.isArray(value) ? value.length : (keys?.length ?? 0);
    values += count;
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    for (let at = 0; at < count; at += 1) {
      const key = keys?.[at];
      const child: unknown = Reflect.get(value, key ?? at);
      if (!isUnicode(key) || !isUnicode(child)) return NOT_UNICODE;
      if (typeof child === 'object' && child !== null) open.push({ value: child, depth: depth + 1 });
    }
  }
  return null;
}
