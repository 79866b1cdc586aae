import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import { exampleOf } from '../../../src/types/example.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { FORMAT_NAMES } from '../../../src/types/node.ts';
import { toJsonSchema } from '../../../src/types/schema.ts';
import { createValidator } from '../../../src/types/validate.ts';
import { randomNode } from './nodes.ts';
import { createRandom } from './random.ts';

it.each<[TypeNode, JsonValue | undefined]>([
  [{ type: 'string', examples: ['x'], default: 'y', enum: ['z', 'x', 'y'] }, 'x'],
  [{ type: 'string', default: 'y' }, 'y'],
  [{ type: 'string', default: null }, 'text'],
  [{ type: 'string', enum: [null, 'z'] }, 'z'],
  [{ type: 'string', maxLength: 2 }, 'te'],
  [{ type: 'string', minLength: 6 }, 'textte'],
  [{ type: 'string', pattern: '^[A-Z]{2}\\d{3}$' }, 'AA000'],
  [{ type: 'string', pattern: '^a$', enum: ['b'] }, undefined],
  [{ type: 'integer' }, 1],
  [{ type: 'integer', minimum: 5, multipleOf: 3 }, 6],
  [{ type: 'integer', maximum: -5 }, -5],
  [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.1 }, 0.05],
  [{ type: 'number', multipleOf: 0.1, minimum: 0.25, maximum: 0.5 }, 0.3],
  [{ type: 'boolean' }, true],
  [{ type: 'array', items: { type: 'integer' } }, [1]],
  [{ type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }, [1, 0, 2]],
  [
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 2, uniqueItems: true },
    ['a', 'b'],
  ],
  [{ type: 'array', items: { type: 'boolean' }, minItems: 3, uniqueItems: true }, undefined],
  [{ type: 'array', maxItems: 0 }, []],
  [
    { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string', default: null } } },
    { a: 1, b: 'text' },
  ],
  [{ type: 'object' }, {}],
])('%j -> %j', (node, expected) => {
  expect(exampleOf(node)).toEqual(expected);
});

it.each(FORMAT_NAMES)('has one for format %s', (format) => {
  expect(exampleOf({ type: 'string', format })).toBeTypeOf('string');
});

it('always fits the type and the schema', () => {
  const random = createRandom(5);
  const clients = new AjvJsonSchemaValidator();
  let found = 0;
  for (let round = 0; round < 2000; round += 1) {
    const node = randomNode(random);
    const example = exampleOf(node);
    if (example === undefined) continue;
    found += 1;
    expect({ node, example, ...createValidator(node, 'input')(example) }).toMatchObject({
      node,
      example,
      ok: true,
    });
    const schema = toJsonSchema(node, 'input');
    // Clients want a zone where SQL has none, and do not know `timestamp`.
    if (/"(timestamp|time)"/.test(JSON.stringify(schema))) continue;
    expect({ node, example, ok: clients.getValidator(schema)(example).valid }).toEqual({
      node,
      example,
      ok: true,
    });
  }
  expect(found).toBeGreaterThan(1500);
});

it('of a type that nests as deep as types may is found at once', () => {
  let node: TypeNode = { type: 'string', pattern: '^(?:ab)+$' };
  let expected: JsonValue = 'ab';
  for (let depth = 1; depth < 30; depth += 1) {
    node = { type: 'object', properties: { a: node }, required: ['a'] };
    expected = { a: expected };
  }
  // With two tries at each level it would take 2^29.
  expect(exampleOf(node)).toEqual(expected);
  const impossible: TypeNode = { type: 'array', items: { type: 'string', minLength: 5, maxLength: 4 } };
  expect(exampleOf(impossible)).toBeUndefined();
});
