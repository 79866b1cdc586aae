import { type CelFunc, CelScalar, celFunc, celUint } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { SvcError } from '../../errors.ts';
import { TIMESTAMP } from './time.ts';

const { DOUBLE, INT, STRING, UINT } = CelScalar;
const DIGITS = /^[+-]?\d{1,20}$/;
const DECIMAL = /^[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?$/;
const [FIRST_SECOND, LAST_SECOND] = [-62_135_596_800n, 253_402_300_799n];

/**
 * CEL's conversions to numbers and times. The library's read `''` as 0 and `'abc'` as NaN, which is less than nothing,
 * so that a rule such as `amount > double(limit)` would let a call pass. They also take seconds for milliseconds.
 */
export const CONVERSIONS: readonly CelFunc[] = [
  celFunc('int', [STRING], INT, (text) => toInteger(text, -(2n ** 63n), 2n ** 63n - 1n, 'int')),
  celFunc('uint', [STRING], UINT, (text) => celUint(toInteger(text, 0n, 2n ** 64n - 1n, 'uint'))),
  celFunc('double', [STRING], DOUBLE, toDouble),
  celFunc('timestamp', [INT], TIMESTAMP, (seconds) => {
    if (seconds >= FIRST_SECOND && seconds <= LAST_SECOND) return timestampFromMs(Number(seconds) * 1000);
    throw failure('timestamp() needs seconds since 1970 in the years 1 to 9999');
  }),
];

function toInteger(text: string, least: bigint, most: bigint, name: string): bigint {
  const value = DIGITS.test(text) ? BigInt(text.replace('+', '')) : null;
  if (value !== null && value >= least && value <= most) return value;
  throw failure(`${name}() needs the digits of a number of 64 bits`);
}

function toDouble(text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  throw failure('double() needs the digits of a number');
}

/** Fails the condition, so that its rule denies. */
function failure(message: string): SvcError {
  return new SvcError('internal', message);
}
