import { expect, it } from 'vitest';
import { createHiddenTexts } from '../../../src/redaction/hidden-texts.ts';

/** A long document, and its text without the first character, in which only the lines are found. */
const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index} ${'x y'.repeat(340)}`);
const document = lines.join('\n');

it('a long text is removed from a longer one, which stays readable', () => {
  expect(createHiddenTexts([document]).remove(`cannot parse ${document}`)).toBe('cannot parse [REDACTED]');
});

it('a text that would keep other calls waiting is removed as a whole', () => {
  const { remove } = createHiddenTexts([document]);
  const begun = performance.now();
  expect(remove(document.slice(1))).toBe('[REDACTED]');
  // Ten seconds without a bound.
  expect(performance.now() - begun).toBeLessThan(5_000);
});

it('the lines of a part that is not too long are removed', () => {
  const { remove } = createHiddenTexts([lines.slice(0, 5).join('\n')]);
  expect(remove(`${lines[3]} and more`)).toBe('[REDACTED] and more');
});
