import { describe, expect, it } from 'vitest';
import { checkTypeNode } from '../../../src/types/check.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { createValidator } from '../../../src/types/validate.ts';
import { randomNode } from './nodes.ts';
import { createRandom } from './random.ts';

const found = (node: unknown) =>
  checkTypeNode(node as TypeNode).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('contradictions in a type', () => {
  it.each<[unknown, readonly string[]]>([
    [{ type: 'string' }, []],
    [{ type: 'array' }, []],
    [{ type: 'object' }, []],
    [
      { type: 'string', minLength: 3, maxLength: 2 },
      ['minLength: No value can satisfy both `minLength` 3 and `maxLength` 2.'],
    ],
    [{ type: 'string', minLength: 2, maxLength: 2 }, []],
    [{ type: 'string', minLength: -1 }, ['minLength: `minLength` must be a whole number of 0 or more.']],
    [{ type: 'array', maxItems: 1.5 }, ['maxItems: `maxItems` must be a whole number of 0 or more.']],
    [
      { type: 'number', minimum: 1, exclusiveMaximum: 1 },
      ['minimum: No value can satisfy both `minimum` 1 and `exclusiveMaximum` 1.'],
    ],
    [{ type: 'number', multipleOf: 0 }, ['multipleOf: `multipleOf` must be more than 0.']],
    [
      { type: 'integer', format: 'date' },
      ['format: `format` has no effect on type integer: it applies to string.'],
    ],
    [
      { type: 'string', minimum: 1 },
      ['minimum: `minimum` has no effect on type string: it applies to number and integer.'],
    ],
    [
      { type: 'string', items: { type: 'string' } },
      ['items: `items` has no effect on type string: it applies to array.'],
    ],
    [
      { type: 'string', pattern: '(' },
      ['pattern: This pattern is not a regular expression (Unterminated group).'],
    ],
    [
      { type: 'string', pattern: '(?=a)' },
      ['pattern: This pattern looks ahead or behind at character 1, which cannot be tested in linear time.'],
    ],
    [{ type: 'string', enum: [] }, ['enum: An empty `enum` allows nothing.']],
    [{ type: 'string', enum: ['a', 1] }, ['enum.1: 1 is not of type string.']],
    [{ type: 'integer', enum: ['1'] }, ['enum.0: "1" is not of type integer.']],
    [{ type: 'integer', enum: [1, '9007199254740993', '-170141183460469231731687303715884105728'] }, []],
    [{ type: 'integer', enum: ['9007199254740991'] }, ['enum.0: "9007199254740991" is not of type integer.']],
    [
      { type: 'integer', enum: ['09007199254740993'] },
      ['enum.0: "09007199254740993" is not of type integer.'],
    ],
    [{ type: 'number', enum: ['9007199254740993'] }, ['enum.0: "9007199254740993" is not of type number.']],
    [
      { type: 'integer', maximum: 5, enum: ['9007199254740993'] },
      ['enum.0: "9007199254740993" breaks the other constraints of this type.'],
    ],
    [{ type: 'array', items: { type: 'integer' }, enum: [['9007199254740993', 1]] }, []],
    [
      { type: 'array', items: { type: 'integer' }, enum: [['1']] },
      ['enum.0: ["1"] breaks the other constraints of this type.'],
    ],
    [{ type: 'string', enum: ['a', 'a'] }, ['enum.1: "a" is listed twice.']],
    [
      { type: 'string', enum: ['abc'], maxLength: 2 },
      ['enum.0: "abc" breaks the other constraints of this type.'],
    ],
    [{ type: 'string', enum: ['a', null] }, []],
    [
      { type: 'integer', default: 'x' },
      ['default: The default is not of this type: must be a whole number, not text.'],
    ],
    [
      { type: 'integer', default: 5, maximum: 4 },
      ['default: The default is not of this type: must be at most 4.'],
    ],
    [{ type: 'integer', default: null, maximum: 4 }, []],
    [
      { type: 'string', default: 'c', enum: ['a'] },
      ['default: The default is not of this type: must be one of "a".'],
    ],
    [
      { type: 'string', default: 2134 },
      ['default: The default is not of this type: must be text, not a number: put it in quotes.'],
    ],
    [
      { type: 'string', default: true, examples: ['1.10', 1.1, false] },
      [
        'default: The default is not of this type: must be text, not the word true: put it in quotes.',
        'examples.1: This example is not of this type: must be text, not a number: put it in quotes.',
        'examples.2: This example is not of this type: must be text, not the word false: put it in quotes.',
      ],
    ],
    [
      { type: 'array', items: { type: 'string' }, default: ['a', 1, 2] },
      [
        'default: The default is not of this type: [1] must be text, not a number: put it in quotes; [2] must be text, not a number: put it in quotes.',
      ],
    ],
    [
      {
        type: 'object',
        default: { zip: 2134, at: { zip: [2134] }, other: 1 },
        properties: {
          zip: { type: 'string' },
          at: { type: 'object', properties: { zip: { type: 'array', items: { type: 'string' } } } },
        },
      },
      [
        'default: The default is not of this type: zip must be text, not a number: put it in quotes; at.zip[0] must be text, not a number: put it in quotes.',
      ],
    ],
    [{ type: 'string', default: '02134', examples: ['1.10'] }, []],
    [{ type: 'string', format: 'timestamp', default: 1767225600 }, []],
    [
      {
        type: 'object',
        properties: { a: { type: 'string', format: 'timestamp' } },
        default: { a: 1767225600 },
      },
      [],
    ],
    [{ type: 'string', default: null }, []],
    [{ type: 'integer', default: '5', examples: ['9007199254740993'] }, []],
    [{ type: 'boolean', default: 1 }, []],
    [{ type: 'array', items: { type: 'string' }, default: '["a", "b"]' }, []],
    [
      { type: 'string', examples: ['a', {}] },
      ['examples.1: This example is not of this type: must be text, not an object.'],
    ],
    [
      { type: 'object', required: ['nmae'], properties: { name: { type: 'string' } } },
      ['required.0: nmae is required but not declared.'],
    ],
    [{ type: 'object', required: ['a'] }, ['required.0: a is required but not declared.']],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string', minLength: 2, maxLength: 1 } } },
      },
      ['items.properties.a.minLength: No value can satisfy both `minLength` 2 and `maxLength` 1.'],
    ],
    [
      { type: 'object', properties: { a: { type: 'integer' } }, default: { a: 'x' } },
      ['default: The default is not of this type: a must be a whole number, not text.'],
    ],
  ])('%j', (node, expected) => {
    expect(found(node)).toEqual(expected);
  });

  it('names a type that keeps the digits of a number', () => {
    const fixOf = (type: 'number' | 'integer', value: string) =>
      checkTypeNode({ type, enum: [value] }).map(({ fix }) => fix);
    expect(fixOf('number', '9007199254740993')).toEqual([expect.stringContaining('type integer')]);
    expect(fixOf('number', '12')).toEqual([expect.stringContaining('without quotes')]);
    expect(fixOf('integer', '12')).toEqual([expect.stringContaining('without quotes')]);
  });

  it('has a fix for each, and the nearest name', () => {
    const [first] = checkTypeNode(
      { type: 'object', required: ['nmae'], properties: { name: { type: 'string' } } },
      ['return'],
    );
    expect(first).toEqual({
      path: ['return', 'required', 0],
      message: 'nmae is required but not declared.',
      fix: 'Did you mean name?',
    });
  });

  it('finds a property that no object may have', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"}}');
    expect(found({ type: 'object', properties })).toEqual([
      'properties.__proto__: No property can be named __proto__.',
    ]);
  });

  it('stops at a type that contains itself', () => {
    const loop: { type: 'object'; properties?: Record<string, TypeNode> } = { type: 'object' };
    loop.properties = { left: loop, right: loop, more: loop };
    expect(found(loop)).toHaveLength(1);
    expect(found(loop)[0]).toContain('nested deeper');
  });
});

it('never throws, and what it passes compiles', () => {
  const random = createRandom(6);
  for (let round = 0; round < 2000; round += 1) {
    const node = randomNode(random);
    const keys = Object.keys(node).filter((key) => key !== 'type');
    const mixed = {
      ...randomNode(random),
      ...Object.fromEntries(keys.map((key) => [key, node[key as keyof TypeNode]])),
    };
    if (checkTypeNode(mixed as TypeNode).length === 0) createValidator(mixed as TypeNode, 'input');
  }
});
