import { type JsonValue, tryJson } from '../../src/json.ts';
import type { SqlValue } from '../../src/sql-value.ts';

/**
 * Converts a value of `--param` for SQL: numbers, true, false and null are recognised, JSON lists and objects become
 * lists and structs, anything else is text.
 */
export function toQueryValue(given: JsonValue): SqlValue {
  if (typeof given !== 'string') return toSql(given);
  if (/^-?\d+$/.test(given)) return BigInt(given);
  if (/^-?(\d+\.\d*|\.?\d+)(e[+-]?\d+)?$/i.test(given)) return Number(given);
  return /^(true|false|null|".*"|\[.*\]|\{.*\})$/s.test(given) ? fromJson(given) : given;
}

function fromJson(text: string): SqlValue {
  const value = tryJson(text);
  return value === undefined ? text : toSql(value);
}

function toSql(value: JsonValue): SqlValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return { list: value.map(toSql) };
  const fields = Object.entries(value).map(([key, field]) => [key, toSql(field)] as const);
  return { struct: Object.fromEntries(fields) };
}
