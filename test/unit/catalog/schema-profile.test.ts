import { describe, expect, it } from 'vitest';
import { parseSchemaProfile, withSchemaProfile } from '../../../src/catalog/schema-profile.ts';
import { toInputSchema } from '../../../src/types/schema.ts';
import { catalogOf, tool } from '../mcp/fixture.ts';

const SCHEMA = toInputSchema([
  { name: 'size', type: 'integer', enum: [1, 7], description: 'The size.' },
  { name: 'state', type: 'string', enum: ['new', 'old'], nullable: true, default: null },
  {
    name: 'lines',
    type: 'array',
    items: { type: 'object', properties: { n: { type: 'number', enum: [0.5] } }, additionalProperties: true },
  },
]);

const entry = tool('orders', { sql: 'numbers' });
const CATALOG = catalogOf([{ ...entry, wire: { ...entry.wire, inputSchema: SCHEMA } }]);

describe('the schema profile gemini', () => {
  it('has no boolean additionalProperties, and says in words which values are allowed that are no texts', () => {
    expect(withSchemaProfile(CATALOG, 'gemini').tools.orders?.wire.inputSchema).toEqual({
      type: 'object',
      properties: {
        size: { type: 'integer', description: 'The size. Allowed: 1, 7.' },
        state: { type: ['string', 'null'], enum: ['new', 'old'], default: null },
        lines: {
          type: 'array',
          items: { type: 'object', properties: { n: { type: 'number', description: 'Allowed: 0.5.' } } },
        },
      },
      required: ['size', 'lines'],
    });
  });

  // Requirements: toolset.schemas
  it('changes nothing else', () => {
    const { wire, ...rest } = withSchemaProfile(CATALOG, 'gemini').tools.orders ?? entry;
    expect({ ...rest, wire: { ...wire, inputSchema: SCHEMA } }).toEqual(CATALOG.tools.orders);
    expect(withSchemaProfile(CATALOG, null)).toBe(CATALOG);
  });

  it('is named in the error about an unknown one', () => {
    expect(() => parseSchemaProfile('mars')).toThrow(
      'There is no schema profile mars. Use gemini, or leave it out.',
    );
  });
});
