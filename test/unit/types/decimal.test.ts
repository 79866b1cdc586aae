import { expect, it } from 'vitest';
import { fitsHugeint, isMultipleOf, parseDecimal, toInteger } from '../../../src/types/decimal.ts';
import { createRandom } from './random.ts';

it.each([
  ['1.50', 150n, -2],
  ['-.5', -5n, -1],
  ['1.', 1n, 0],
  [' 7 ', 7n, 0],
  ['1e3', 1n, 3],
  ['1.5E-3', 15n, -4],
] as const)('%s is %s * 10^%s', (text, coefficient, exponent) => {
  expect(parseDecimal(text)).toEqual({ coefficient, exponent });
});

it.each(['', '.', '-', 'e5', '1e', '1e99999', '0x1', '1_0', '1 0', 'NaN', 'Infinity', '9'.repeat(401)])(
  '%s is none',
  (text) => {
    expect(parseDecimal(text)).toBeNull();
  },
);

it('counts multiples as decimals, whatever the size', () => {
  const random = createRandom(1);
  for (let round = 0; round < 2000; round += 1) {
    const digits = random.below(8);
    const step = (1 + random.below(999)) / 10 ** digits;
    const times = random.below(100_000);
    const divisor = parseDecimal(String(step));
    if (divisor === null) throw new Error(`${step} is a decimal`);
    const product = divisor.coefficient * BigInt(times);
    const text = `${product}e${divisor.exponent}`;
    expect([text, isMultipleOf(text, divisor)]).toEqual([text, true]);
    expect(isMultipleOf(`${product}1e${divisor.exponent - 1}`, divisor)).toBe(
      (product * 10n + 1n) % (divisor.coefficient * 10n) === 0n,
    );
  }
});

it('knows the limits of HUGEINT', () => {
  expect(fitsHugeint(2n ** 127n - 1n)).toBe(true);
  expect(fitsHugeint(2n ** 127n)).toBe(false);
  expect(fitsHugeint(-(2n ** 127n))).toBe(true);
  expect(fitsHugeint(-(2n ** 127n) - 1n)).toBe(false);
  expect(toInteger({ coefficient: 15n, exponent: -1 })).toBeNull();
  expect(toInteger({ coefficient: 150n, exponent: -1 })).toBe(15n);
});
