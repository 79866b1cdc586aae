import { describe, expect, it } from 'vitest';
import type { TypeNode } from '../../../src/types/node.ts';
import { withTypedValues } from '../../../src/types/typed-values.ts';

describe('the values that an author wrote in a type', () => {
  it.each<[TypeNode, TypeNode]>([
    [
      { type: 'boolean', default: 1, examples: ['false', 'maybe'] },
      { type: 'boolean', default: true, examples: [false, 'maybe'] },
    ],
    [
      { type: 'integer', default: '5', examples: ['9007199254740993', null] },
      { type: 'integer', default: 5, examples: ['9007199254740993', null] },
    ],
    [
      { type: 'array', items: { type: 'integer', default: '1' }, default: '["1", 2]' },
      { type: 'array', items: { type: 'integer', default: 1 }, default: [1, 2] },
    ],
    [
      { type: 'array', default: ['1'] },
      { type: 'array', default: ['1'] },
    ],
    [
      {
        type: 'object',
        properties: { n: { type: 'integer', default: '1' }, deep: { type: 'boolean' } },
        default: { deep: 1, other: '1' },
      },
      {
        type: 'object',
        properties: { n: { type: 'integer', default: 1 }, deep: { type: 'boolean' } },
        default: { deep: true, other: '1' },
      },
    ],
    [
      { type: 'string', enum: ['a'], default: null },
      { type: 'string', enum: ['a'], default: null },
    ],
  ])('get the type: %j', (written, typed) => {
    expect(withTypedValues(written)).toEqual(typed);
  });
});
