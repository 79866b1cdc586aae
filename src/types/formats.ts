import { SvcError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { SqlValue, TimeType } from '../sql-value.ts';
import { parseDecimal } from './decimal.ts';
import type { Format } from './node.ts';

/** Everything svc knows about one string format. */
interface FormatRecord {
  /** Completes "must be ..." in messages. */
  readonly text: string;
  readonly accepts: (text: string) => boolean;
  /** A text that the format accepts: for documentation, generated arguments and trial runs of policies. */
  readonly example: string;
  /** JSON Schema keywords of a result; null: `format` with this name. Arguments always have the latter. */
  readonly output: JsonObject | null;
  /** The value that DuckDB gets; null: the text itself. */
  readonly toSql: ((text: string) => SqlValue) | null;
  /** The type of a value that is missing; null: none. */
  readonly nullType: TimeType | null;
  /** The converter in `adapters/python/host/svc/_arguments.py` and the annotations that fit; null: `str`. */
  readonly python: { readonly kind: string; readonly annotations: readonly [string, ...string[]] } | null;
  /** Whether MCP allows the format in forms of elicitation. */
  readonly inForms: boolean;
}

/**
 * The string formats of the endpoint language. A new format is its name in `node.ts` and one record here. SQL times need
 * no zone, and intervals have signs and fractions, so results differ from the standard's formats.
 */
const FORMATS: Readonly<Record<Format, FormatRecord>> = {
  email: {
    text: 'an email address such as ada@example.org',
    accepts: isEmail,
    example: 'ada@example.org',
    output: null,
    toSql: null,
    nullType: null,
    python: null,
    inForms: true,
  },
  uri: {
    text: 'a URI with its scheme, such as https://example.org/a',
    accepts: isUri,
    example: 'https://example.org/',
    output: null,
    toSql: null,
    nullType: null,
    python: null,
    inForms: true,
  },
  date: {
    text: 'a calendar date, YYYY-MM-DD',
    accepts: isDate,
    example: '2024-02-29',
    output: null,
    toSql: (text) => ({ sqlType: 'DATE', text }),
    nullType: 'DATE',
    python: { kind: 'date', annotations: ['date'] },
    inForms: true,
  },
  time: {
    text: 'a time of day, HH:MM:SS',
    accepts: isTime,
    example: '09:30:00',
    output: { format: 'iso-time' },
    toSql: toSqlTime,
    nullType: 'TIME',
    python: { kind: 'time', annotations: ['time'] },
    inForms: false,
  },
  'date-time': {
    text: 'a date and time, YYYY-MM-DDTHH:MM:SS with an optional Z or +HH:MM',
    accepts: isDateTime,
    example: '2024-02-29T09:30:00Z',
    output: { format: 'iso-date-time' },
    toSql: toSqlDateTime,
    nullType: 'TIMESTAMP',
    python: { kind: 'date-time', annotations: ['datetime'] },
    inForms: true,
  },
  duration: {
    text: 'an ISO 8601 duration such as P1DT2H or P2W',
    accepts: isDuration,
    example: 'P1DT2H',
    output: { pattern: '^[+-]?P' },
    toSql: toSqlInterval,
    nullType: 'INTERVAL',
    python: null,
    inForms: false,
  },
  timestamp: {
    text: 'a number of seconds since 1970-01-01T00:00:00Z, in the years 1 to 9999',
    accepts: isTimestamp,
    example: '1709199000',
    output: { pattern: '^[+-]?[0-9.]+([eE][+-]?[0-9]+)?$' },
    toSql: toSqlTimestamp,
    nullType: 'TIMESTAMPTZ',
    python: { kind: 'timestamp', annotations: ['datetime'] },
    inForms: false,
  },
};

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i;
const EMAIL_LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const URI = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/i;
const URI_TEXT = /^(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*$/i;

const AUTHORITY =
  /^(?:(?:[a-z0-9\-._~!$&'()*+,;=:]|%[0-9a-f]{2})*@)?(?:\[[0-9a-f:.]+\]|(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})+|)(?::\d*)?$/i;

const DURATION =
  /^[+-]?P(?!$)(?:[+-]?\d{1,8}W|(?:[+-]?\d{1,8}Y)?(?:[+-]?\d{1,8}M)?(?:[+-]?\d{1,9}D)?(?:T(?=[+\-\d])(?:[+-]?\d{1,9}H)?(?:[+-]?\d{1,9}M)?(?:[+-]?\d{1,9}(?:\.\d{1,9})?S)?)?)$/;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const FIRST_MICROSECOND = -62_135_596_800_000_000n;
const END_MICROSECOND = 253_402_300_800_000_000n;

const PARTS =
  /^([+-]?)P(?:([+-]?\d+)W)?(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:\.\d+)?)S)?)?$/;

const ZONE = /(?:Z|[+-]\d\d:\d\d)$/i;
const UNITS = ['weeks', 'years', 'months', 'days', 'hours', 'minutes', 'seconds'];

/** The record of a format. */
export function formatOf(format: Format): FormatRecord {
  return FORMATS[format];
}

/** Accepts `YYYY-MM-DD` with a day that the Gregorian calendar has, in the years 1 to 9999. */
function isDate(text: string): boolean {
  const found = DATE.exec(text);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return year >= 1 && day >= 1 && day <= (MONTH_DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Accepts `HH:MM:SS` with up to nine decimals and an optional offset. */
function isTime(text: string): boolean {
  const found = TIME.exec(text);
  if (found === null) return false;
  const zone = found[4] ?? 'Z';
  return Number(found[1]) < 24 && Number(found[2]) < 60 && Number(found[3]) < 60 && isZone(zone);
}

/** Offsets go to 15:59, the widest that DuckDB stores. */
function isZone(zone: string): boolean {
  return zone.length === 1 || (Number(zone.slice(1, 3)) < 16 && Number(zone.slice(4)) < 60);
}

/** Accepts a date and a time, separated by `T`, `t` or a space. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[Tt ]$/.test(text.charAt(10)) && isTime(text.slice(11));
}

/** Accepts addresses with a plain local part and a domain of at least two labels; no quotes, no comments. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || text.length > 254) return false;
  const labels = text.slice(at + 1).split('.');
  return (
    labels.length > 1 &&
    EMAIL_LOCAL.test(text.slice(0, at)) &&
    labels.every((label) => DOMAIN_LABEL.test(label))
  );
}

/** Accepts an absolute URI of RFC 3986: a scheme, then an authority or a path. */
function isUri(text: string): boolean {
  const found = URI.exec(text);
  if (found === null) return false;
  const [, authority, path = '', query = '', fragment = ''] = found;
  if (authority === undefined && path === '') return false;
  const rest = [path, query, fragment];
  return (authority === undefined || AUTHORITY.test(authority)) && rest.every((part) => URI_TEXT.test(part));
}

/** Accepts a decimal number of seconds since 1970 in the years 1 to 9999. */
function isTimestamp(text: string): boolean {
  const micros = microsecondsOf(text);
  return micros !== null && micros >= FIRST_MICROSECOND && micros < END_MICROSECOND;
}

/** Accepts an ISO 8601 duration with numbers that fit DuckDB's INTERVAL. */
function isDuration(text: string): boolean {
  return DURATION.test(text);
}

/** A time of day. Throws arguments_invalid for an offset other than UTC, which DuckDB's TIME cannot hold. */
function toSqlTime(text: string): SqlValue {
  const [zone = 'Z'] = ZONE.exec(text) ?? [];
  if (!/^(?:Z|[+-]00:00)$/i.test(zone)) {
    throw new SvcError(
      'arguments_invalid',
      'A time of day for SQL cannot have an offset. Send it in UTC, with Z at its end, or without an offset.',
    );
  }
  return { sqlType: 'TIME', text: text.replace(ZONE, '') };
}

/** A TIMESTAMPTZ if the text has an offset, else a TIMESTAMP. DuckDB reads `T` and `Z` in capitals only. */
function toSqlDateTime(text: string): SqlValue {
  return { sqlType: ZONE.test(text) ? 'TIMESTAMPTZ' : 'TIMESTAMP', text: text.toUpperCase() };
}

/** An ISO 8601 duration in DuckDB's notation: `P1Y2D` becomes `1 years 2 days`. */
function toSqlInterval(duration: string): SqlValue {
  const [, sign = '', ...amounts] = PARTS.exec(duration) ?? [];
  const parts = UNITS.flatMap((unit, index) => {
    const amount = amounts[index];
    return amount === undefined ? [] : [`${signed(sign, amount)} ${unit}`];
  });
  return { sqlType: 'INTERVAL', text: parts.length === 0 ? duration : parts.join(' ') };
}

/** Seconds since 1970 as a TIMESTAMPTZ in UTC, to the microsecond. */
function toSqlTimestamp(seconds: string): SqlValue {
  const micros = microsecondsOf(seconds) ?? 0n;
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const whole = new Date(Number((micros - fraction) / 1000n));
  const digits = String(fraction).padStart(6, '0');
  return { sqlType: 'TIMESTAMPTZ', text: `${whole.toISOString().slice(0, 19)}.${digits}Z` };
}

/** The whole microseconds of a decimal number of seconds, without the rest of its digits; null for other texts. */
function microsecondsOf(seconds: string): bigint | null {
  const decimal = parseDecimal(seconds);
  if (decimal === null) return null;
  const power = decimal.exponent + 6;
  if (power >= 0) return decimal.coefficient * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  const rest = ((decimal.coefficient % divisor) + divisor) % divisor;
  return (decimal.coefficient - rest) / divisor;
}

function signed(sign: string, amount: string): string {
  if (sign !== '-') return amount.replace('+', '');
  return amount.startsWith('-') ? amount.slice(1) : `-${amount.replace('+', '')}`;
}
