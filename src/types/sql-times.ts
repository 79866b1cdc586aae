import { SvcError } from '../errors.ts';
import type { SqlValue } from '../sql-value.ts';

const PARTS =
  /^([+-]?)P(?:([+-]?\d+)W)?(?:([+-]?\d+)Y)?(?:([+-]?\d+)M)?(?:([+-]?\d+)D)?(?:T(?:([+-]?\d+)H)?(?:([+-]?\d+)M)?(?:([+-]?\d+(?:\.\d+)?)S)?)?$/;
const ZONE = /(?:Z|[+-]\d\d:\d\d)$/i;
const UNITS = ['weeks', 'years', 'months', 'days', 'hours', 'minutes', 'seconds'];

/** A time of day. Throws arguments_invalid for an offset other than UTC, which DuckDB's TIME cannot hold. */
export function toSqlTime(text: string): SqlValue {
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
export function toSqlDateTime(text: string): SqlValue {
  return { sqlType: ZONE.test(text) ? 'TIMESTAMPTZ' : 'TIMESTAMP', text: text.toUpperCase() };
}

/** An ISO 8601 duration in DuckDB's notation: `P1Y2D` becomes `1 years 2 days`. */
export function toSqlInterval(duration: string): SqlValue {
  const [, sign = '', ...amounts] = PARTS.exec(duration) ?? [];
  const parts = UNITS.flatMap((unit, index) => {
    const amount = amounts[index];
    return amount === undefined ? [] : [`${signed(sign, amount)} ${unit}`];
  });
  return { sqlType: 'INTERVAL', text: parts.length === 0 ? duration : parts.join(' ') };
}

/** Seconds since 1970 as a TIMESTAMPTZ in UTC, to the microsecond. */
export function toSqlTimestamp(seconds: string): SqlValue {
  const number = Number(seconds);
  const micros = Math.round((number - Math.floor(number)) * 1_000_000);
  const whole = new Date((Math.floor(number) + Math.floor(micros / 1_000_000)) * 1000);
  const fraction = String(micros % 1_000_000).padStart(6, '0');
  return { sqlType: 'TIMESTAMPTZ', text: `${whole.toISOString().slice(0, 19)}.${fraction}Z` };
}

function signed(sign: string, amount: string): string {
  if (sign !== '-') return amount.replace('+', '');
  return amount.startsWith('-') ? amount.slice(1) : `-${amount.replace('+', '')}`;
}
