import { isList, type JsonValue } from '../json.ts';

/** The same text for equal values: keys are sorted, so `{a, b}` and `{b, a}` have one text. */
export function toCanonicalText(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(toCanonicalText).join(',')}]`;
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${toCanonicalText(field)}`).join(',')}}`;
}

/** Deep equality of JSON values; the order of keys does not count. */
export function isSame(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  return toCanonicalText(left) === toCanonicalText(right);
}
