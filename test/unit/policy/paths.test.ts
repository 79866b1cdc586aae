import { expect, it } from 'vitest';
import { declarationsOf, locateField } from '../../../src/policy/paths.ts';
import type { TypeNode } from '../../../src/types/node.ts';

const TEXT: TypeNode = { type: 'string' };
const object = (
  properties: { readonly [name: string]: TypeNode },
  more: Partial<TypeNode> = {},
): TypeNode => ({
  type: 'object',
  properties,
  ...more,
});

const NODE = object({
  a: TEXT,
  'b.c': object({ d: TEXT }),
  b: object({ e: TEXT }),
  list: { type: 'array', items: object({ f: TEXT }) },
  any: { type: 'array' },
  free: { type: 'object' },
  more: object({ g: TEXT }, { additionalProperties: true }),
  closed: object({ g: TEXT }, { additionalProperties: false }),
});

it.each([
  ['a', ['properties', 'a']],
  ['b.c', ['properties', 'b.c']],
  ['b.c.d', ['properties', 'b.c', 'properties', 'd']],
  ['b.e', ['properties', 'b', 'properties', 'e']],
  ['A', ['properties', 'a']],
  ['B.C.D', ['properties', 'b.c', 'properties', 'd']],
  ['Free.x', 'open'],
  ['Closed.x', null],
  ['list.f', ['properties', 'list', 'items', 'properties', 'f']],
  ['list.x', null],
  ['any.x', 'open'],
  ['free.x.y', 'open'],
  ['more.g', ['properties', 'more', 'properties', 'g']],
  ['more.x', 'open'],
  ['closed.g', ['properties', 'closed', 'properties', 'g']],
  ['closed.x', null],
  ['b', ['properties', 'b']],
  ['a.x', null],
  ['x', null],
  ['x.a', null],
  ['.a', null],
  ['a.', null],
])('the declaration of the field %s is at %j', (path, pointer) => {
  expect(locateField(NODE, path)).toEqual(pointer);
});

it('is none of a scalar, even one with properties', () => {
  expect(locateField(TEXT, 'a')).toBeNull();
  expect(locateField({ ...TEXT, properties: { a: TEXT } }, 'a')).toBeNull();
});

it.each([
  ['A', [['properties', 'a']]],
  ['b.c', [['properties', 'b.c']]],
  ['b.e', [['properties', 'b', 'properties', 'e']]],
  ['list.f', [['properties', 'list', 'items', 'properties', 'f']]],
  ['mist.f', []],
  ['closed.x', []],
])('hiding the field %s changes the declarations at %j', (path, pointers) => {
  expect(declarationsOf(NODE, path)).toEqual(pointers);
});
