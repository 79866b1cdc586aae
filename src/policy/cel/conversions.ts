import {
  type CelFunc,
  CelScalar,
  type CelType,
  type CelValue,
  celEnv,
  celFunc,
  celUint,
  objectType,
} from '@bufbuild/cel';
import { DurationSchema, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { SvcError } from '../../errors.ts';
import { TIMESTAMP } from './time.ts';

const { DOUBLE, INT, STRING, UINT } = CelScalar;
const DIGITS = /^[+-]?\d{1,20}$/;
const DECIMAL = /^[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?$/;
/** The most characters of a time or a duration, because these conversions have no price. */
const LONGEST = 100;
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
  checked('timestamp', TIMESTAMP, isDate, 'timestamp() needs a day and an hour that exist'),
  checked('duration', objectType(DurationSchema), (text) => /\d/.test(text), 'duration() needs a number'),
];

/** The library's conversion of a text, for texts that pass a test. It also reads February 30 as March 1, and `''` as 0 s. */
function checked(name: string, type: CelType, test: (text: string) => boolean, message: string): CelFunc {
  const ofText = [...celEnv().funcs].find(
    ({ name: own, arguments: [from] }) => own === name && from === STRING,
  );
  if (ofText === undefined) throw new Error(`CEL has no ${name}() of a text`);
  return celFunc(name, [STRING], type, (text: string): CelValue => {
    if (text.length > LONGEST || !test(text)) throw failure(message);
    return ofText.call(0, undefined, [text]) as CelValue;
  });
}

function isDate(text: string): boolean {
  const [, day, hour] = /^(\d{4}-\d\d-\d\d)[Tt](\d\d)/.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(String(day));
  return exists && Number(hour) < 24;
}

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
