import { expect, it } from 'vitest';
import { patternPrice } from '../../../../src/policy/cel/pattern-price.ts';

it.each([
  ['^[a-z0-9._%+-]+@acme[.]com$', 0],
  ['x{1}', 0],
  ['x{1000}', 999],
  ['x{3,5}y{2,}', 4 + 1],
  ['(?:ab){3}', 4 * 2],
  ['((x{10}){10}){10}', 999],
  ['(ab(c)){3}', 3 * 2],
  ['ab(c){3}', 2],
  ['x{2}{3}', 1 + 4],
  [String.raw`[{\]}]{4}\{9}`, 3],
  ['[]a]{3}', 2],
  ['x{,5}', 0],
])('the counts of %s add %i parts', (pattern, parts) => {
  expect(patternPrice(pattern)).toBeCloseTo(1 / 60 + parts / 100);
});
