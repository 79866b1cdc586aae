import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import { adjustSchema, policySchemaEffects } from '../../../src/policy/schema.ts';
import type { PolicyRule } from '../../../src/project/model.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { toJsonSchema } from '../../../src/types/schema.ts';
import { deny, dropSensitive, edit, filter, mask, policies } from './fixtures.ts';

const RETURNS: TypeNode = {
  type: 'array',
  uniqueItems: true,
  items: {
    type: 'object',
    required: ['id', 'name', 'address', 'items'],
    additionalProperties: false,
    properties: {
      id: { type: 'integer', description: 'key', minimum: 1 },
      name: { type: 'string', sensitive: true, maxLength: 3 },
      address: {
        type: 'object',
        required: ['city'],
        properties: { city: { type: 'string' }, zip: { type: 'integer', sensitive: true } },
      },
      items: { type: 'array', minItems: 1, items: { type: 'string', sensitive: true } },
      enum: { type: 'string' },
    },
  },
};

const validators = new CfWorkerJsonSchemaValidator();

function problemOf(schema: JsonObject, value: JsonValue): string | null {
  const result = validators.getValidator(schema)(value);
  return result.valid ? null : result.errorMessage;
}

const effects = (rules: readonly PolicyRule[], returns: TypeNode | null = RETURNS) =>
  policySchemaEffects(policies({ output: rules }), returns);

describe('what policies do to the declared result', () => {
  it('is nothing where they only deny, or nothing is declared', () => {
    expect(effects([deny('true')])).toEqual([]);
    expect(effects([filter('true', 'id')], null)).toEqual([]);
    expect(effects([filter('true', 'nope')])).toEqual([]);
    const open: TypeNode = { type: 'object', properties: { extra: { type: 'object' } } };
    expect(effects([filter('true', 'extra.part')], open)).toEqual([]);
  });

  it('is named by where it happens, deepest first and once', () => {
    const item = ['items', 'properties'];
    expect(
      effects([filter('true', 'id', 'address.city'), mask('true', 'id'), filter('false', 'id')]),
    ).toEqual([
      { pointer: [...item, 'address', 'properties', 'city'], effect: 'absent' },
      { pointer: [...item, 'id'], effect: 'absent' },
      { pointer: [...item, 'id'], effect: 'masked' },
    ]);
    expect(effects([dropSensitive('true')])).toEqual([
      { pointer: [...item, 'address', 'properties', 'zip'], effect: 'absent' },
      { pointer: [...item, 'name'], effect: 'absent' },
      { pointer: [...item, 'items'], effect: 'empty' },
    ]);
    expect(effects([dropSensitive('true')], { type: 'integer', sensitive: true })).toEqual([
      { pointer: [], effect: 'null' },
    ]);
  });
});

describe('the schema that clients see', () => {
  const adjusted = (rules: readonly PolicyRule[], schema: JsonObject) => adjustSchema(schema, effects(rules));
  const schema: JsonObject = {
    type: 'array',
    uniqueItems: true,
    items: {
      type: 'object',
      required: ['id', 'enum'],
      properties: {
        id: { type: 'integer', description: 'key', minimum: 1 },
        enum: { type: 'string', enum: ['a'] },
        items: { type: 'array', minItems: 1, items: { type: 'string' } },
      },
    },
  };

  it('keeps everything else as it is', () => {
    expect(adjusted([deny('true')], schema)).toEqual(schema);
    const before = structuredClone(schema);
    adjusted([filter('true', 'id'), mask('true', 'id', 'enum'), dropSensitive('true')], schema);
    expect(schema).toEqual(before);
  });

  it('lets filtered fields be absent and masked fields be masks', () => {
    expect(adjusted([filter('true', 'enum'), mask('true', 'id')], schema)).toEqual({
      type: 'array',
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: {
            description: 'key',
            anyOf: [
              { type: 'integer', minimum: 1 },
              { type: 'string', const: '****' },
            ],
          },
          enum: { type: 'string', enum: ['a'] },
          items: { type: 'array', minItems: 1, items: { type: 'string' } },
        },
      },
    });
  });

  it.each([
    ['filter', [filter('true', 'id', 'address.city', 'items')]],
    ['mask', [mask('true', 'id', 'address', 'items')]],
    ['mask below what is masked', [mask('true', 'address.city', 'address.zip'), mask('true', 'address')]],
    ['drop sensitive', [dropSensitive('true')]],
    ['everything at once', [dropSensitive('true'), mask('true', 'id'), filter('true', 'address.city')]],
    ['nothing', [deny('false')]],
  ])('is true of results before and after: %s', (_, rules) => {
    const person = (id: number) => ({
      id,
      name: 'Ann',
      address: { city: 'Bern', zip: 3000 },
      items: ['a'],
      enum: 'x',
    });
    const value = [person(1), person(2)];
    const declared = toJsonSchema(RETURNS, 'output');
    const shown = adjustSchema(declared, effects(rules));
    const { value: edited } = edit(rules, value, { returns: RETURNS });
    expect(problemOf(declared, value)).toBeNull();
    expect(problemOf(shown, value)).toBeNull();
    expect(problemOf(shown, edited)).toBeNull();
    expect(problemOf(shown, [{ ...person(1), unknown: 1 }])).not.toBeNull();
  });

  it('lets sensitive lists be empty and a sensitive root be null', () => {
    expect(adjusted([dropSensitive('true')], schema)).toMatchObject({
      items: { properties: { items: { type: 'array', items: { type: 'string' } } } },
    });
    expect(JSON.stringify(adjusted([dropSensitive('true')], schema))).not.toContain('minItems');
    const root = policySchemaEffects(policies({ output: [dropSensitive('true')] }), {
      type: 'integer',
      sensitive: true,
    });
    expect(adjustSchema({ type: 'integer' }, root)).toEqual({
      anyOf: [{ type: 'integer' }, { type: 'null' }],
    });
  });

  it('keeps the title and the description of a masked field at its top', () => {
    const titled: JsonObject = { type: 'integer', title: 'Key', description: 'A key', minimum: 1 };
    const plain: JsonObject = { type: 'integer' };
    const masked = (id: JsonObject) =>
      adjusted([mask('true', 'id')], { type: 'array', items: { type: 'object', properties: { id } } });
    const parts = (id: JsonObject) => ({ type: 'array', items: { type: 'object', properties: { id } } });
    const text = { type: 'string', const: '****' };
    expect(masked(titled)).toEqual(
      parts({ title: 'Key', description: 'A key', anyOf: [{ type: 'integer', minimum: 1 }, text] }),
    );
    expect(JSON.stringify(masked(plain))).toBe(JSON.stringify(parts({ anyOf: [plain, text] })));
    expect(
      Object.keys((masked(plain) as { items: { properties: { id: object } } }).items.properties.id),
    ).toEqual(['anyOf']);
  });

  it.each<JsonObject>([
    { type: 'array' },
    { type: 'array', items: true },
    { type: 'array', items: { type: 'object' } },
    { type: 'array', items: { type: 'object', properties: { other: { type: 'string' } } } },
    { type: 'array', items: { type: 'object', properties: { id: true } } },
  ])('stays %j where it says nothing of the field', (short) => {
    expect(adjusted([mask('true', 'id')], short)).toEqual(short);
  });

  it('requires no filtered field, and has no empty list of required ones', () => {
    const of = (required?: readonly string[]) => ({
      type: 'array',
      items: {
        type: 'object',
        ...(required === undefined ? {} : { required }),
        properties: { id: { type: 'integer' } },
      },
    });
    const filtered = (schema: object) => adjusted([filter('true', 'id')], schema as JsonObject);
    expect(filtered(of(['id', 'name']))).toEqual(of(['name']));
    expect(filtered(of(['id']))).toEqual(of());
    expect(filtered(of())).toEqual(of());
  });
});

describe('a field that several declarations have', () => {
  const returns: TypeNode = {
    type: 'object',
    required: ['Salary', 'a', 'a.b'],
    additionalProperties: true,
    properties: {
      Salary: { type: 'integer' },
      a: { type: 'object', required: ['B'], properties: { B: { type: 'integer' } } },
      'a.b': { type: 'integer' },
    },
  };
  const value = { Salary: 1, a: { B: 2 }, 'a.b': 3 };

  // Hiding ignores the case of letters, and takes a dot as a part of a name too.
  it.each([filter('true', 'salary'), mask('true', 'SALARY'), filter('true', 'a.b'), mask('true', 'a.b')])(
    'may be hidden in all of them: $action $fields',
    (rule) => {
      const schema = adjustSchema(toJsonSchema(returns, 'output'), effects([rule], returns));
      const edited = edit([rule], value, { returns }).value;
      expect(edited).not.toEqual(value);
      expect(problemOf(schema, edited)).toBeNull();
    },
  );
});
