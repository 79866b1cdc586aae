import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import type { Parameter, TypeNode } from '../../../src/types/node.ts';
import { toInputSchema, toJsonSchema, toOutputSchema } from '../../../src/types/schema.ts';
import { createValidator } from '../../../src/types/validate.ts';
import { randomNode, randomValue } from './nodes.ts';
import { createRandom } from './random.ts';

/** The validator that the official clients use, formats asserted. */
const clients = new AjvJsonSchemaValidator();
const accepts = (schema: JsonObject, value: unknown): boolean => clients.getValidator(schema)(value).valid;

const parameters: readonly Parameter[] = [
  {
    name: 'status',
    type: 'string',
    title: 'Status',
    description: 'Which orders',
    enum: ['open', 'closed'],
    default: 'open',
    examples: ['closed'],
  },
  { name: 'since', type: 'string', format: 'date', minLength: 10, maxLength: 10, pattern: '^2' },
  { name: 'price', type: 'number', minimum: 0, exclusiveMaximum: 10, multipleOf: 0.01, nullable: true },
  { name: 'note', type: 'string', enum: ['a'], default: null },
  {
    name: 'ids',
    type: 'array',
    items: { type: 'integer', minimum: 1 },
    minItems: 1,
    maxItems: 5,
    uniqueItems: true,
  },
  {
    name: 'page',
    type: 'object',
    properties: { size: { type: 'integer', default: 10 }, sort: { type: 'string' }, up: { type: 'boolean' } },
    required: ['size', 'sort'],
    additionalProperties: false,
  },
];

describe('the schema of arguments', () => {
  // Requirements: endpoint.parameters, endpoint.types, modern.schema.input
  it('says everything that is checked, in a fixed order', () => {
    expect(JSON.stringify(toInputSchema(parameters), null, 1)).toBe(
      JSON.stringify(
        {
          type: 'object',
          properties: {
            status: {
              type: 'string',
              title: 'Status',
              description: 'Which orders',
              enum: ['open', 'closed'],
              default: 'open',
              examples: ['closed'],
            },
            since: { type: 'string', format: 'date', minLength: 10, maxLength: 10, pattern: '^2' },
            price: { type: ['number', 'null'], minimum: 0, exclusiveMaximum: 10, multipleOf: 0.01 },
            note: { type: ['string', 'null'], enum: ['a', null], default: null },
            ids: {
              type: 'array',
              minItems: 1,
              maxItems: 5,
              uniqueItems: true,
              items: { type: 'integer', minimum: 1 },
            },
            page: {
              type: 'object',
              properties: {
                size: { type: 'integer', default: 10 },
                sort: { type: 'string' },
                up: { type: 'boolean' },
              },
              required: ['sort'],
              additionalProperties: false,
            },
          },
          required: ['since', 'price', 'ids', 'page'],
          additionalProperties: false,
        },
        null,
        1,
      ),
    );
  });

  // Requirements: modern.schema.input
  it('asks for whole numbers beyond 2^53 as text', () => {
    const typeOf = (node: TypeNode) => toJsonSchema(node, 'input').type;
    expect(typeOf({ type: 'integer', enum: [1, '9007199254740993'] })).toEqual(['integer', 'string']);
    expect(typeOf({ type: 'integer', enum: [1, '9007199254740993'], nullable: true })).toEqual([
      ...['integer', 'string', 'null'],
    ]);
    expect(typeOf({ type: 'integer', default: '9007199254740993' })).toEqual(['integer', 'string']);
    expect(typeOf({ type: 'integer', examples: [1, '9007199254740993'] })).toEqual(['integer', 'string']);
    expect(typeOf({ type: 'integer', enum: [1], default: 1, examples: [1] })).toBe('integer');
    expect(typeOf({ type: 'string', enum: ['1'] })).toBe('string');
  });

  it('is an object even without parameters', () => {
    expect(toInputSchema([])).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });

  it('does not depend on the order of keys in the YAML', () => {
    const { name, ...rest } = parameters[0] ?? { name: '', type: 'string' };
    const turned = Object.fromEntries(Object.entries(rest).reverse()) as unknown as TypeNode;
    expect(JSON.stringify(toJsonSchema(turned, 'input'))).toBe(
      JSON.stringify(toJsonSchema({ name, ...rest } as Parameter, 'input')),
    );
  });
});

// Requirements: endpoint.return
describe('the schema of a result', () => {
  it('lets what is not required be null', () => {
    const node: TypeNode = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        kind: { type: 'string', enum: ['a'] },
        at: { type: 'string', format: 'date-time' },
      },
    };
    expect(toOutputSchema(node)).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        kind: { type: ['string', 'null'], enum: ['a', null] },
        at: { type: ['string', 'null'], format: 'iso-date-time' },
      },
      required: ['id'],
    });
  });

  it.each([
    ['date-time', '2024-05-06T10:00:00'],
    ['date-time', '2024-05-06T10:00:00.123456Z'],
    ['time', '10:00:00'],
    ['time', '10:00:00.5+02:00'],
    ['duration', 'PT1.5S'],
    ['duration', 'P-1Y'],
    ['timestamp', '1700000000.5'],
    ['date', '2024-02-29'],
  ] as const)('of format %s is one that clients accept with %s', (format, value) => {
    const node: TypeNode = { type: 'string', format };
    expect(createValidator(node, 'output')(value).ok).toBe(true);
    expect(accepts(toOutputSchema(node), value)).toBe(true);
  });
});

describe('the step of a number', () => {
  // Requirements: mcp.tool.structured
  it.each([
    [0.01, 19.99],
    [0.1, 0.3],
    [0.5, 1.5],
    [3, 9],
  ])('of %d keeps no client from a result of %d', (multipleOf, value) => {
    const node: TypeNode = { type: 'number', multipleOf };
    expect(createValidator(node, 'output')(value).ok).toBe(true);
    expect(accepts(toOutputSchema(node), value)).toBe(true);
  });
});

describe('schema and validator agree', () => {
  // Requirements: mcp.tool.structured
  it('on results: what we let out, a client lets in', () => {
    const random = createRandom(3);
    let passed = 0;
    for (let round = 0; round < 1500; round += 1) {
      const node = randomNode(random);
      const [validate, schema] = [createValidator(node, 'output'), toOutputSchema(node)];
      const check = clients.getValidator(schema);
      for (let count = 0; count < 6; count += 1) {
        const value = randomValue(random, node);
        const ours = validate(value).ok;
        if (ours) passed += 1;
        if (ours) expect({ schema, value, ok: check(value).valid }).toEqual({ schema, value, ok: true });
        else if (!mentionsFormat(node))
          expect({ schema, value, ok: check(value).valid }).toEqual({ schema, value, ok: false });
      }
    }
    expect(passed).toBeGreaterThan(1500);
  });

  it('on arguments: what the schema asks for is taken', () => {
    const random = createRandom(4);
    let passed = 0;
    for (let round = 0; round < 1500; round += 1) {
      const node = randomNode(random);
      // A format of ours alone, which the client's validator warns about.
      if (JSON.stringify(node).includes('"timestamp"')) continue;
      const [validate, schema] = [createValidator(node, 'input'), toJsonSchema(node, 'input')];
      const check = clients.getValidator(schema);
      for (let count = 0; count < 6; count += 1) {
        const value = randomValue(random, node);
        if (!check(value).valid) continue;
        passed += 1;
        expect({ schema, value, result: validate(value) }).toMatchObject({
          schema,
          value,
          result: { ok: true },
        });
      }
    }
    expect(passed).toBeGreaterThan(1500);
  });
});

/** Ajv does not know `timestamp` and reads the intervals and times of SQL more loosely. */
function mentionsFormat(node: TypeNode): boolean {
  return JSON.stringify(node).includes('"format"');
}
