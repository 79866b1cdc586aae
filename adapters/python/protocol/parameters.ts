import { SvcError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { SqlValue } from '../../../src/sql-value.ts';

type Timed = Extract<SqlValue, { readonly sqlType: unknown }>;

const TIMED: readonly string[] = [
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMPTZ',
  'INTERVAL',
] satisfies Timed['sqlType'][];

/** Converts the parameters of a statement from Python's form (adapters/python/host/svc/_parameters.py). */
export function toParameters(sent: JsonValue | undefined): { readonly [name: string]: SqlValue } {
  return Object.fromEntries(
    Object.entries((sent ?? {}) as JsonObject).map(([name, value]) => [name, toValue(value)]),
  );
}

function toValue(sent: JsonValue): SqlValue {
  if (sent === null || typeof sent !== 'object') return sent;
  const { integer, float, list, struct, type, text } = sent as JsonObject;
  if (typeof integer === 'string') return BigInt(integer);
  if (typeof float === 'string') return FLOATS[float] ?? Number.NaN;
  if (Array.isArray(list)) return { list: list.map(toValue) };
  if (isTimed(type) && typeof text === 'string') return { sqlType: type, text };
  if (typeof struct === 'object' && struct !== null) return { struct: toParameters(struct) };
  throw new SvcError('internal', 'Python sent a parameter of an unknown form.');
}

const FLOATS: { readonly [text: string]: number } = {
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
};

function isTimed(type: JsonValue | undefined): type is Timed['sqlType'] {
  return typeof type === 'string' && TIMED.includes(type);
}
