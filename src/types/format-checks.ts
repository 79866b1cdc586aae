import { parseDecimal } from './decimal.ts';

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
const FIRST_SECOND = -62_135_596_800;
const END_SECOND = 253_402_300_800;

/** Accepts `YYYY-MM-DD` with a day that the Gregorian calendar has, in the years 1 to 9999. */
export function isDate(text: string): boolean {
  const found = DATE.exec(text);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return year >= 1 && day >= 1 && day <= (MONTH_DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Accepts `HH:MM:SS` with up to nine decimals and an optional offset. */
export function isTime(text: string): boolean {
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
export function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[Tt ]$/.test(text.charAt(10)) && isTime(text.slice(11));
}

/** Accepts addresses with a plain local part and a domain of at least two labels; no quotes, no comments. */
export function isEmail(text: string): boolean {
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
export function isUri(text: string): boolean {
  const found = URI.exec(text);
  if (found === null) return false;
  const [, authority, path = '', query = '', fragment = ''] = found;
  if (authority === undefined && path === '') return false;
  const rest = [path, query, fragment];
  return (authority === undefined || AUTHORITY.test(authority)) && rest.every((part) => URI_TEXT.test(part));
}

/** Accepts a decimal number of seconds since 1970 in the years 1 to 9999. */
export function isTimestamp(text: string): boolean {
  if (parseDecimal(text) === null) return false;
  const seconds = Number(text);
  return seconds >= FIRST_SECOND && seconds < END_SECOND;
}

/** Accepts an ISO 8601 duration with numbers that fit DuckDB's INTERVAL. */
export function isDuration(text: string): boolean {
  return DURATION.test(text);
}
