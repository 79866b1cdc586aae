import type { JsonValue } from '../json.ts';

/** A JSON value; numbers that a double cannot keep stay as their own text, and NaN and infinities are null. */
export function jsonForm(text: string): JsonValue {
  try {
    return parseExactly(text);
  } catch {
    return parseExactly(text.replace(BEYOND_JSON, (part) => BEYOND_JSON_FORMS[part[0] ?? ''] ?? part));
  }
}

/** What DuckDB takes for JSON and the standard does not: NaN, infinities, a comma after the last item. */
const BEYOND_JSON = /"(?:[^"\\]|\\.)*"|-?\b(?:nan|inf(?:inity)?)\b|,(?=\s*[\]}])/gi;
const BEYOND_JSON_FORMS: { readonly [first: string]: string } = {
  N: 'null',
  n: 'null',
  I: 'null',
  i: 'null',
  '-': 'null',
  ',': '',
};

function parseExactly(text: string): JsonValue {
  // Fewer than 16 digits and an exponent below 100 always survive, and a reviver costs several times the parse.
  if (!/[\d.]{16}|[eE][+-]?\d{3}/.test(text)) return JSON.parse(text);
  // The reviver's third argument is in every engine we run on and not yet in TypeScript's library.
  const parse = JSON.parse as ParseWithSource;
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !sameDecimal(source, String(value)) ? source : value,
  );
}

type ParseWithSource = (
  text: string,
  reviver: (key: string, value: JsonValue, context: { readonly source?: string }) => JsonValue,
) => JsonValue;

function sameDecimal(left: string, right: string): boolean {
  return decimalKey(left) === decimalKey(right);
}

/** A decimal text in one spelling: sign, digits without outer zeros, power of ten. */
function decimalKey(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return `${mantissa.startsWith('-') ? '-' : ''}${short}e${power}`;
}
