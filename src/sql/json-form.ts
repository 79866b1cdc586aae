import { SvcError } from '../errors.ts';
import { type JsonValue, parseWithSources } from '../json.ts';
import { nestedTooDeeply } from './json-size.ts';

/**
 * Parses the text of a JSON value. A number that a double cannot hold
 * becomes a string of its digits; NaN and infinities become null.
 * Throws `sql_failed` for a value that is nested too deeply, and for text that is not JSON: DuckDB does not check
 * the text if a cast goes through VARCHAR.
 */
export function jsonForm(text: string): JsonValue {
  try {
    return parseExactly(text);
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
  }
  try {
    return parseExactly(text.replace(BEYOND_JSON, (part) => BEYOND_JSON_FORMS[part[0] ?? ''] ?? part));
  } catch (thrown) {
    if (thrown instanceof SvcError) throw thrown;
    throw new SvcError('sql_failed', 'The result has a value of type JSON that is not JSON.', {
      cause: thrown,
    });
  }
}

/** DuckDB's extensions of JSON: NaN, infinities and a comma after the last item. */
const BEYOND_JSON = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|-?\b(?:nan|inf(?:inity)?)\b|,(?=\s*[\]}])/gi;
const BEYOND_JSON_FORMS: { readonly [first: string]: string } = {
  N: 'null',
  n: 'null',
  I: 'null',
  i: 'null',
  '-': 'null',
  ',': '',
};

function parseExactly(text: string): JsonValue {
  // Numbers with fewer than 16 digits and an exponent below 100 are always exact. A reviver is several times
  // slower than a plain parse.
  if (!/[\d.]{16}|[eE][+-]?\d{3}/.test(text)) return JSON.parse(text);
  try {
    return parseWithSources(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && !sameDecimal(source, String(value))
        ? source
        : value,
    );
  } catch (thrown) {
    // A reviver is called at every level, and the stack ends.
    throw thrown instanceof RangeError ? nestedTooDeeply(thrown) : thrown;
  }
}

function sameDecimal(left: string, right: string): boolean {
  return decimalKey(left) === decimalKey(right);
}

/** Brings a decimal text to one spelling: sign, digits without outer zeros, power of ten. */
function decimalKey(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = withoutFinalZeros(digits);
  if (short === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - short.length;
  return `${mantissa.startsWith('-') ? '-' : ''}${short}e${power}`;
}

/** A pattern would search from every zero to the end of the digits. */
function withoutFinalZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
