import { describe, expect, it } from 'vitest';
import { EFFECTS } from '../../../../src/quality/drift/effect.ts';

describe('a step between numbers', () => {
  it.each([
    [0.05, 0.01, 'wider'],
    [0.01, 0.05, 'narrower'],
    [0.3, 0.1, 'wider'],
    [0.1, 0.3, 'narrower'],
    [4, 2, 'wider'],
    [2, 3, 'other'],
    [0.2, 0.3, 'other'],
    [undefined, 0.1, 'narrower'],
    [0.1, undefined, 'wider'],
  ])('%s instead of %s is %s', (before, after, effect) => {
    expect(EFFECTS.multipleOf?.(before, after)).toBe(effect);
  });
});
