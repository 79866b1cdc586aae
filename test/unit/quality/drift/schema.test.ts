import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json.ts';
import { compareSchemas } from '../../../../src/quality/drift/schema.ts';

const DAY = { type: 'string' };
const CLOSED = { additionalProperties: false };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

it.each<[string, 'input' | 'output', JsonObject, JsonObject, string]>([
  ['is new in an open object', 'input', object({}), object({ day: DAY }), 'breaking'],
  ['is new in a closed object', 'input', object({}, CLOSED), object({ day: DAY }, CLOSED), 'widening'],
  [
    'is new and required in a closed object',
    'input',
    object({}, CLOSED),
    object({ day: DAY }, { ...CLOSED, required: ['day'] }),
    'breaking',
  ],
  ['is gone from an open object', 'input', object({ day: DAY }), object({}), 'widening'],
  [
    'with a default is gone from an open object',
    'input',
    object({ day: { ...DAY, default: 'x' } }),
    object({}),
    'breaking',
  ],
  ['is gone from a closed object', 'input', object({ day: DAY }, CLOSED), object({}, CLOSED), 'breaking'],
  ['is new in an open result', 'output', object({}), object({ day: DAY }), 'widening'],
  ['is gone from an open result', 'output', object({ day: DAY }), object({}), 'breaking'],
])('a property that %s (%s)', (_what, direction, before, after, expected) => {
  const changes = compareSchemas(before, after, direction, 'x');
  expect(changes.map(({ class: name, path }) => [name, path])).toEqual([[expected, 'x.properties.day']]);
});
