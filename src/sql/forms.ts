import { toBase64 } from '../crypto/encoding.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/*
 * The exact JSON form of every DuckDB value (docs/reference/types.md), shared by both engines. A value becomes
 * a JSON number only if the number's text equals the value; otherwise it is a string with every digit.
 */

const INT64_MAX = 2n ** 63n - 1n;
const DATE_INFINITY = 2 ** 31 - 1;
const SECONDS_PER_DAY = 86_400;
/** The largest power of ten that a double holds exactly. */
const EXACT_POWER = 22;

/** The time units of DuckDB's TIMESTAMP and TIME types. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

const FRACTION_DIGITS = { s: 0, ms: 3, us: 6, ns: 9 } as const satisfies Record<TimeUnit, number>;

/** An integer of any width: a number if it is a safe integer, else a string of its digits. */
export function integerForm(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** A DECIMAL: a number if JSON keeps it exactly (15 significant digits, or a safe integer), else a string of all its digits. */
export function decimalForm(unscaled: bigint, scale: number): number | string {
  if (scale === 0) return integerForm(unscaled);
  const number = Number(unscaled);
  // The division of two exact doubles rounds like a parser that reads the decimal text.
  if (Math.abs(number) < 1e15 && scale <= EXACT_POWER) return number / 10 ** scale + 0;
  const digits = String(absolute(unscaled)).padStart(scale + 1, '0');
  const whole = digits.slice(0, -scale);
  const fraction = digits.slice(-scale);
  const significant = (whole + fraction.replace(/0+$/, '')).replace(/^0+/, '');
  const exact = /^0*$/.test(fraction) ? Number.isSafeInteger(Number(whole)) : significant.length <= 15;
  const text = `${unscaled < 0n ? '-' : ''}${whole}.${fraction}`;
  return exact ? Number(text) + 0 : text;
}

/** A FLOAT: the shortest decimal that reads back as the same 32-bit float. NaN and infinities are null. */
export function floatForm(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  for (let digits = 1; digits < 9; digits += 1) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate + 0;
  }
  return Number(value.toPrecision(9)) + 0;
}

/** A DOUBLE. NaN and infinities are null, and negative zero is zero. */
export function doubleForm(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}

/** A DATE from days since 1970-01-01: `YYYY-MM-DD`, with a signed year of six digits outside the years 0 to 9999. */
export function dateForm(days: number): string {
  if (days === DATE_INFINITY) return 'infinity';
  if (days === -DATE_INFINITY) return '-infinity';
  const { year, month, day } = toCivil(days);
  return `${yearText(year)}-${two(month)}-${two(day)}`;
}

/** A TIME from its distance to midnight: `HH:MM:SS`, with a fraction only if there is one. */
export function timeForm(value: bigint, unit: TimeUnit = 'us'): string {
  return clockForm(Number(value), unit);
}

function clockForm(value: number, unit: TimeUnit): string {
  const digits = FRACTION_DIGITS[unit];
  const perSecond = 10 ** digits;
  const fraction = value % perSecond;
  const seconds = (value - fraction) / perSecond;
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return clock + fractionText(fraction, digits);
}

/** A TIME WITH TIME ZONE: the time, then its offset as `Z` or `+HH:MM` (`+HH:MM:SS` if it has seconds). */
export function timeTzForm(micros: bigint, offsetSeconds: number): string {
  if (offsetSeconds === 0) return `${timeForm(micros)}Z`;
  const size = Math.abs(offsetSeconds);
  const hoursMinutes = `${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}`;
  const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`;
  return `${timeForm(micros)}${offsetSeconds < 0 ? '-' : '+'}${hoursMinutes}${seconds}`;
}

/** A TIMESTAMP from its distance to 1970, in ISO 8601; `zoned` values are in UTC and end in `Z`. */
export function timestampForm(value: bigint, unit: TimeUnit, zoned: boolean): string {
  if (value === INT64_MAX) return 'infinity';
  if (value === -INT64_MAX) return '-infinity';
  const { days, rest } = splitDays(value, SECONDS_PER_DAY * 10 ** FRACTION_DIGITS[unit]);
  const { year, month, day } = toCivil(days);
  return `${yearText(year)}-${two(month)}-${two(day)}T${clockForm(rest, unit)}${zoned ? 'Z' : ''}`;
}

/** Splits a value into whole days and the rest of the last day. */
function splitDays(value: bigint, perDay: number): { days: number; rest: number } {
  const number = Number(value);
  if (Number.isSafeInteger(number)) {
    const rest = ((number % perDay) + perDay) % perDay;
    return { days: (number - rest) / perDay, rest };
  }
  const size = BigInt(perDay);
  const rest = ((value % size) + size) % size;
  return { days: Number((value - rest) / size), rest: Number(rest) };
}

/** An INTERVAL as an ISO 8601 duration. Each component has its own sign; zero is `PT0S`. */
export function intervalForm(months: number, days: number, micros: bigint): string {
  const date = part(Math.trunc(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D');
  const size = absolute(micros);
  const sign = micros < 0n ? '-' : '';
  const seconds = `${(size / 1_000_000n) % 60n}${fractionText(Number(size % 1_000_000n), 6)}`;
  const time =
    part(size / 3_600_000_000n, 'H', sign) +
    part((size / 60_000_000n) % 60n, 'M', sign) +
    (seconds === '0' ? '' : `${sign}${seconds}S`);
  return date === '' && time === '' ? 'PT0S' : `P${date}${time === '' ? '' : `T${time}`}`;
}

/** A BLOB as base64. */
export function blobForm(bytes: Uint8Array): string {
  return toBase64(bytes);
}

/** A BIT as its zeros and ones. The first of DuckDB's bytes is the number of leading padding bits. */
export function bitForm(bytes: Uint8Array): string {
  const bits = Array.from(bytes.subarray(1), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.slice(bytes[0] ?? 0);
}

/** A BIGNUM from DuckDB's bytes. */
export function bignumForm(bytes: Uint8Array): number | string {
  return integerForm(bignumOf(bytes));
}

/**
 * The integer in DuckDB's bytes of a BIGNUM: a header of three bytes, then the magnitude, which is inverted for negative
 * numbers. Read from one text, because a sum of its bytes takes time with the square of their number.
 */
export function bignumOf(bytes: Uint8Array): bigint {
  const negative = ((bytes[0] ?? 0) & 0x80) === 0;
  const digits = Array.from(bytes.subarray(3), (byte) =>
    (negative ? byte ^ 0xff : byte).toString(16).padStart(2, '0'),
  );
  const size = BigInt(`0x${digits.join('') || '0'}`);
  return negative ? -size : size;
}

/** A MAP as an object. The keys are the texts of the keys' own forms. Throws sql_failed for two keys of one text. */
export function mapForm(entries: readonly (readonly [JsonValue, JsonValue])[]): JsonObject {
  const named = entries.map(([key, value]) => [keyText(key), value] as const);
  const object = Object.fromEntries(named);
  if (Object.keys(object).length === entries.length) return object;
  throw new SvcError(
    'sql_failed',
    'The result has a MAP with two keys that are the same text in JSON. Cast it to VARCHAR, or select map_entries() of it.',
  );
}

/** A FLOAT or a DOUBLE as the key of a MAP: `nan`, `inf` and `-inf` are told apart, as in DuckDB's own JSON. */
export function floatingKey(value: number, toForm: (value: number) => number | null): number | string {
  return toForm(value) ?? (Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf');
}

/** A STRUCT as an object, or as an array if its fields have no names (`row(1, 2)`). */
export function structForm(names: readonly string[], values: readonly JsonValue[]): JsonValue {
  if (names.every((name) => name === '')) return values;
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
}

/** Returns the names, in lower case, that several columns have. SQL ignores the case of names. */
export function repeatedNames(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const repeated = names
    .map((name) => name.toLowerCase())
    .filter((name) => seen.size === seen.add(name).size);
  return [...new Set(repeated)];
}

/**
 * Returns the names, in lower case, that a statement gives to columns which have other names in its result. DuckDB numbers the
 * repeated names of a read from left to right, so `id, id, id_1` become `id, id_1, id_1_1`.
 */
export function renamedNames(given: readonly string[], names: readonly string[]): readonly string[] {
  const lower = given.map((name) => name.toLowerCase());
  return [...new Set(lower.filter((name, index) => name !== names[index]?.toLowerCase()))];
}

/** Makes column names distinct: the second `name` becomes `name_1`, the third `name_2`. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set(names);
  if (taken.size === names.length) return names;
  const seen = new Set<string>();
  const counts = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    let count = counts.get(name) ?? 1;
    for (; seen.has(unique); count += 1) {
      const next = `${name}_${count}`;
      unique = taken.has(next) ? name : next;
    }
    counts.set(name, count);
    seen.add(unique);
    return unique;
  });
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}

function fractionText(fraction: number, digits: number): string {
  if (fraction === 0) return '';
  return `.${fraction.toString().padStart(digits, '0').replace(/0+$/, '')}`;
}

function part(amount: number | bigint, letter: string, sign = ''): string {
  return Number(amount) === 0 ? '' : `${sign}${amount}${letter}`;
}

function keyText(key: JsonValue): string {
  return typeof key === 'string' ? key : JSON.stringify(key);
}

/** Converts days since 1970 to a proleptic Gregorian date. JavaScript's dates end in the year 275760, DuckDB's do not. */
function toCivil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
