/** A decimal number without rounding: `coefficient * 10 ** exponent`. */
export interface Decimal {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;
/** The longest text that is parsed as a number. The cost of big integers grows with the square of their length. */
const MAX_TEXT = 400;
const MAX_EXPONENT = 400;
const MAX_INTEGER = 2n ** 127n - 1n;

/** Parses a decimal text exactly. Returns null for other texts: NaN, hexadecimal numbers, blanks inside. */
export function parseDecimal(text: string): Decimal | null {
  const found = text.length > MAX_TEXT ? null : DECIMAL.exec(text.trim());
  if (found === null) return null;
  const [, sign = '', whole = '', fraction = '', power = '0'] = found;
  const digits = whole + fraction;
  const exponent = Number(power) - fraction.length;
  if (digits === '' || Math.abs(exponent) > MAX_EXPONENT + MAX_TEXT) return null;
  return { coefficient: BigInt(`${sign === '-' ? '-' : ''}${digits}`), exponent };
}

/** The integer that equals a decimal, or null if it has a fraction. */
export function toInteger({ coefficient, exponent }: Decimal): bigint | null {
  if (exponent >= 0) return coefficient * 10n ** BigInt(exponent);
  const scale = 10n ** BigInt(-exponent);
  return coefficient % scale === 0n ? coefficient / scale : null;
}

/** Whether an integer fits DuckDB's widest integer, HUGEINT. */
export function fitsHugeint(value: bigint): boolean {
  return value <= MAX_INTEGER && value >= -MAX_INTEGER - 1n;
}

/** Whether a value is a multiple of another in decimal arithmetic: 0.3 is a multiple of 0.1, 0.35 is not. */
export function isMultipleOf(value: number | string, divisor: Decimal): boolean {
  const decimal = parseDecimal(String(value));
  if (decimal === null) return false;
  const exponent = Math.min(decimal.exponent, divisor.exponent);
  return scaled(decimal, exponent) % scaled(divisor, exponent) === 0n;
}

/** Whether two decimals are the same number: 2.50 and 2.5 are. */
export function isSameDecimal(left: Decimal, right: Decimal): boolean {
  const exponent = Math.min(left.exponent, right.exponent);
  return scaled(left, exponent) === scaled(right, exponent);
}

function scaled({ coefficient, exponent }: Decimal, to: number): bigint {
  return coefficient * 10n ** BigInt(exponent - to);
}
