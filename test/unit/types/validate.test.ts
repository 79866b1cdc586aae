import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json.ts';
import type { Parameter, TypeNode } from '../../../src/types/node.ts';
import { createArgumentsParser, createValidator, validatorOf } from '../../../src/types/validate.ts';

const input = (node: TypeNode, value: unknown) => createValidator(node, 'input')(value);
const output = (node: TypeNode, value: unknown) => createValidator(node, 'output')(value);
const taken = (node: TypeNode, value: unknown): JsonValue | undefined => {
  const result = input(node, value);
  return result.ok ? result.value : undefined;
};
const problems = (result: ReturnType<typeof input>) =>
  result.ok ? [] : result.issues.map(({ path, message }) => `${path}: ${message}`);

// Requirements: mcp.tool.validate
describe('what a client means is taken', () => {
  it.each<[TypeNode, unknown, JsonValue]>([
    [{ type: 'string' }, 5, '5'],
    [{ type: 'string' }, 1.5, '1.5'],
    [{ type: 'string' }, true, 'true'],
    [{ type: 'string' }, '', ''],
    [{ type: 'integer' }, '5', 5],
    [{ type: 'integer' }, ' +5 ', 5],
    [{ type: 'integer' }, 5.0, 5],
    [{ type: 'integer' }, '5.0', 5],
    [{ type: 'integer' }, '5e2', 500],
    [{ type: 'integer' }, -0, 0],
    [{ type: 'integer' }, '9007199254740993', '9007199254740993'],
    [{ type: 'integer' }, '-0009007199254740993', '-9007199254740993'],
    [{ type: 'integer' }, '9007199254740991', 9007199254740991],
    [{ type: 'number' }, '2.5', 2.5],
    [{ type: 'number' }, '-1e-3', -0.001],
    [{ type: 'boolean' }, 'TRUE', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, 1, true],
    [{ type: 'boolean' }, '0', false],
    [{ type: 'array' }, '[1,"a"]', [1, 'a']],
    [{ type: 'array', items: { type: 'integer' } }, '["1", 2.0]', [1, 2]],
    [{ type: 'object' }, '{"a": [1]}', { a: [1] }],
    [{ type: 'object' }, '{"a": [9007199254740993, 1e3]}', { a: ['9007199254740993', 1000] }],
    [
      { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'number' } } },
      '{"a":9007199254740993,"b":9007199254740993}',
      { a: '9007199254740993', b: 9007199254740992 },
    ],
    [{ type: 'array' }, '[-1e20]', ['-1e20']],
    [{ type: 'integer', enum: [1, 2] }, '1', 1],
    [{ type: 'integer', enum: [1, '9007199254740993'] }, '9007199254740993', '9007199254740993'],
    [{ type: 'integer', enum: [1, '9007199254740993'] }, '1', 1],
    [{ type: 'string', format: 'timestamp' }, 1700000000, '1700000000'],
    [{ type: 'string', nullable: true }, null, null],
    [{ type: 'string', default: null }, null, null],
    [{ type: 'string', enum: ['a', null] }, null, null],
    [{ type: 'string', enum: ['a'], nullable: true }, null, null],
  ])('%j takes %j', (node, value, expected) => {
    expect(taken(node, value)).toEqual(expected);
  });

  it.each<[TypeNode, unknown]>([
    [{ type: 'string' }, null],
    [{ type: 'string' }, undefined],
    [{ type: 'string' }, {}],
    [{ type: 'string' }, []],
    [{ type: 'string' }, Number.NaN],
    [{ type: 'string' }, 2 ** 60],
    [{ type: 'integer' }, 5.5],
    [{ type: 'integer' }, '5.5'],
    [{ type: 'integer' }, 'abc'],
    [{ type: 'integer' }, ''],
    [{ type: 'integer' }, '0x10'],
    [{ type: 'integer' }, true],
    [{ type: 'integer' }, 2 ** 53],
    [{ type: 'integer' }, `1${'0'.repeat(39)}`],
    [{ type: 'integer' }, '1e999999999'],
    [{ type: 'integer' }, '9'.repeat(100_000)],
    [{ type: 'number' }, Number.NaN],
    [{ type: 'number' }, Number.POSITIVE_INFINITY],
    [{ type: 'number' }, 'Infinity'],
    [{ type: 'number' }, '1e400'],
    [{ type: 'number' }, ' '],
    [{ type: 'number' }, false],
    [{ type: 'boolean' }, 'yes'],
    [{ type: 'boolean' }, 2],
    [{ type: 'boolean' }, null],
    [{ type: 'array' }, '{"a":1}'],
    [{ type: 'array' }, 'a,b'],
    [{ type: 'array' }, { length: 0 }],
    [{ type: 'object' }, '[1]'],
    [{ type: 'object' }, [1]],
    [{ type: 'object' }, 'null'],
  ])('%j refuses %j', (node, value) => {
    expect(input(node, value).ok).toBe(false);
  });

  it.each<[TypeNode, unknown, string]>([
    [{ type: 'object' }, { id: 2 ** 53 }, 'id: is beyond 2^53'],
    [{ type: 'object' }, { a: { b: [1, -(2 ** 53)] } }, 'a: has a number that is beyond 2^53'],
    [
      { type: 'object', properties: { a: { type: 'number' } } },
      { a: 2 ** 60, b: 2 ** 60 },
      'b: is beyond 2^53',
    ],
    [{ type: 'array' }, [1, 2 ** 53], '[1]: is beyond 2^53'],
    [{ type: 'array', items: { type: 'array' } }, [[2 ** 53]], '[0][0]: is beyond 2^53'],
  ])('%j refuses undeclared numbers that may have lost digits: %j', (node, value, message) => {
    const [problem, ...others] = problems(input(node, value));
    expect(problem?.startsWith(message)).toBe(true);
    expect(others).toEqual([]);
  });

  it('never repeats a value in a message', () => {
    const secret = 'hunter2hunter2';
    const nodes: TypeNode[] = [
      { type: 'integer' },
      { type: 'boolean' },
      { type: 'array' },
      { type: 'string', maxLength: 3, minLength: 50, pattern: '^x$', format: 'email', enum: ['a'] },
    ];
    for (const node of nodes) expect(problems(input(node, secret)).join()).not.toContain('hunter');
  });
});

describe('constraints', () => {
  it.each<[TypeNode, readonly unknown[], readonly unknown[]]>([
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', '😀😀', '😀😀😀', 12], ['a', '😀', 'abcd', 1]],
    [{ type: 'string', enum: ['a', 'b'] }, ['a'], ['A', 'c', '']],
    [{ type: 'string', pattern: '^[a-z]+$' }, ['abc'], ['ABC', '', 'a1']],
    [{ type: 'string', pattern: 'b' }, ['abc'], ['ac']],
    [{ type: 'number', minimum: 1, maximum: 2 }, [1, 1.5, 2, '2'], [0.999, 2.001]],
    [{ type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.001], [1, 2]],
    [{ type: 'integer', maximum: 9007199254740992 }, ['9007199254740992'], ['9007199254740993']],
    [{ type: 'integer', minimum: 10 }, ['9007199254740993'], ['-9007199254740993', 9]],
    [
      { type: 'number', multipleOf: 0.1 },
      [0.3, 0.7, 1.1, 0, -0.3, 1e15, 123456.7, 1e300],
      [0.35, 0.05, 1e-10],
    ],
    [{ type: 'number', multipleOf: 0.01 }, [19.99, 4.35, 1.15, 1e21], [19.999]],
    [{ type: 'number', multipleOf: 1e-7 }, [1e-7, 3e-7], [1.5e-7]],
    [{ type: 'integer', multipleOf: 3 }, [9, '9007199254740993'], ['9007199254740994', 10]],
    [{ type: 'array', minItems: 1, maxItems: 2 }, [[1], [1, 2], '[1]'], [[], [1, 2, 3]]],
    [
      { type: 'array', uniqueItems: true },
      [[1, '1', true, null, [1], { a: 1 }, { a: 2 }], []],
      [
        [1, 1],
        [[1], [1]],
        [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      ],
    ],
    [{ type: 'array', uniqueItems: true, items: { type: 'string' } }, [['1', '2']], [['1', 1]]],
    [{ type: 'array', items: { type: 'integer', minimum: 1 } }, [[1, 2]], [[0], [1, null]]],
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'integer' } },
        additionalProperties: false,
      },
      [{ a: 1 }],
      [{}, { a: 1, b: 2 }, { a: null }, { b: 1 }],
    ],
    [{ type: 'object', required: ['z'] }, [{ z: 1 }, { z: null }], [{}]],
    [{ type: 'object', enum: [{ a: 1, b: 2 }] }, [{ b: 2, a: 1 }], [{ a: 1 }]],
    [
      { type: 'object', properties: { a: { type: 'integer' } } },
      [{}, { x: [null] }],
      [{ a: 'x' }, { a: null }],
    ],
  ])('%j', (node, good, bad) => {
    for (const value of good) expect([value, problems(input(node, value))]).toEqual([value, []]);
    for (const value of bad) expect([value, input(node, value).ok]).toEqual([value, false]);
  });

  it('fills in nested defaults, in defaults too', () => {
    const node: TypeNode = {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', default: 10 },
        sort: { type: 'object', default: {}, properties: { by: { type: 'string', default: 'name' } } },
        note: { type: 'string', default: null },
        other: { type: 'string' },
      },
    };
    expect(taken(node, {})).toEqual({ size: 10, sort: { by: 'name' }, note: null });
    expect(taken({ type: 'array', items: node }, '[{"size":"3"}]')).toEqual([
      { size: 3, sort: { by: 'name' }, note: null },
    ]);
  });

  it('names every problem at its place', () => {
    const node: TypeNode = {
      type: 'object',
      required: ['tags', 'id'],
      additionalProperties: false,
      properties: {
        id: { type: 'integer' },
        tags: {
          type: 'array',
          maxItems: 2,
          items: { type: 'object', properties: { 'odd key': { type: 'integer' } } },
        },
      },
    };
    expect(problems(input(node, { tags: [{ 'odd key': 'x' }, 3, {}], Id: 1 }))).toEqual([
      'id: is required',
      'tags[0]["odd key"]: must be a whole number, not text',
      'tags[1]: must be an object (or its JSON text), not a number',
      'tags: must have at most 2 items, has 3',
      'Id: is not a property here; did you mean "id"?',
    ]);
  });
});

describe('results are taken exactly or not at all', () => {
  const row: TypeNode = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      name: { type: 'string', minLength: 1 },
      at: { type: 'string', format: 'date' },
    },
  };

  it('lets optional properties be null or absent, and nothing else', () => {
    expect(output(row, { id: 1 }).ok).toBe(true);
    expect(output(row, { id: 1, name: null, at: null }).ok).toBe(true);
    expect(problems(output(row, { id: null }))).toEqual(['id: must be a whole number, not null']);
    expect(problems(output(row, {}))).toEqual(['id: is required']);
    expect(output(row, null).ok).toBe(false);
    expect(output({ ...row, nullable: true }, null).ok).toBe(true);
    expect(output({ type: 'array', items: { type: 'string' } }, ['a', null]).ok).toBe(false);
    expect(output({ type: 'array', items: { type: 'string', nullable: true } }, ['a', null]).ok).toBe(true);
  });

  it.each<[TypeNode, unknown]>([
    [{ type: 'string' }, 5],
    [{ type: 'boolean' }, 1],
    [{ type: 'integer' }, '5'],
    [{ type: 'integer' }, 5.5],
    [{ type: 'number' }, '1.5'],
    [{ type: 'array' }, '[]'],
    [{ type: 'object' }, '{}'],
    [{ type: 'string', format: 'date' }, '2024-02-30'],
    [{ type: 'string', enum: ['a'] }, 'b'],
    [{ type: 'number', exclusiveMaximum: 5 }, 5],
    [{ type: 'array', uniqueItems: true }, [1, 1]],
  ])('%j refuses %j', (node, value) => {
    expect(output(node, value).ok).toBe(false);
  });

  it('says how to declare a number with more digits than JSON keeps', () => {
    const node: TypeNode = {
      type: 'object',
      properties: { total: { type: 'number' }, id: { type: 'integer' } },
    };
    const found = problems(output(node, { total: '12345678901234567.89', id: '9007199254740993' }));
    expect(found).toHaveLength(2);
    for (const line of found) expect(line).toContain('type: string');
  });

  it('keeps columns whatever they are called', () => {
    const value = JSON.parse('{"id":1,"constructor":"x","__proto__":"y","toString":"z"}');
    const text: TypeNode = { type: 'string' };
    const node: TypeNode = { ...row, properties: { ...row.properties, hasOwnProperty: text } };
    const result = output(node, value);
    expect(JSON.stringify(result.ok && result.value)).toBe(JSON.stringify(value));
  });
});

describe('dangerous values', () => {
  it.each(['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":1}]}'])('refuses %s', (text) => {
    expect(input({ type: 'object' }, JSON.parse(text)).ok).toBe(false);
    expect(input({ type: 'object' }, text).ok).toBe(false);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    ['a text', { type: 'string' }, '"a\\ud800"'],
    ['a text in a list', { type: 'array' }, '[["a\\udc00b"]]'],
    ['a name', { type: 'object' }, '{"a":{"\\ud83d":1}}'],
  ] as const)('refuses half of a surrogate pair in %s', (_, node, json) => {
    const result = input(node, JSON.parse(json));
    expect(result).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringContaining('not valid Unicode') }],
    });
    expect(input(node, JSON.parse(json.replace(/\\u(?:d800|dc00|d83d)/i, '\u{1f600}'))).ok).toBe(true);
  });

  it('takes a declared property named constructor only from the value itself', () => {
    const node: TypeNode = {
      type: 'object',
      required: ['constructor'],
      properties: { constructor: { type: 'string' as const } },
    };
    expect(input(node, {}).ok).toBe(false);
    expect(taken(node, { constructor: 'Ferrari' })).toEqual({ constructor: 'Ferrari' });
  });

  // Requirements: modern.schema.bounds
  it('bounds depth and size', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(input({ type: 'array' }, deep).ok).toBe(false);
    expect(input({ type: 'array' }, JSON.parse(deep)).ok).toBe(false);
    expect(problems(input({ type: 'array' }, new Array(100_001).fill(0)))[0]).toContain(
      'more than 100000 values',
    );
    expect(input({ type: 'array' }, new Array(99_000).fill(0)).ok).toBe(true);
  });

  it('reports the first few of many wrong items', () => {
    const result = input({ type: 'array', items: { type: 'integer' } }, new Array(90_000).fill('x'));
    expect(problems(result)).toHaveLength(10);
  });

  it('refuses a type without end', () => {
    const loop: { type: 'array'; items?: TypeNode } = { type: 'array' };
    loop.items = loop;
    expect(() => createValidator(loop, 'input')).toThrow('nested deeper than 32');
  });
});

describe('arguments of a call', () => {
  const parameters: readonly Parameter[] = [
    { name: 'city', type: 'string', minLength: 1 },
    { name: 'limit', type: 'integer', minimum: 1, maximum: 100, default: 10 },
    { name: 'note', type: 'string', default: null },
  ];
  const parse = createArgumentsParser(parameters);

  it('fills in defaults and converts', () => {
    expect(parse({ city: 5, limit: '7' })).toEqual({ ok: true, values: { city: '5', limit: 7, note: null } });
    expect(createArgumentsParser([])(undefined)).toEqual({ ok: true, values: {} });
  });

  it('reports everything at once, unknown names with the nearest known one', () => {
    expect(parse({ limt: 3, zzz: 1, limit: 1000, note: 5, city: null })).toEqual({
      ok: false,
      issues: [
        { path: 'city', message: 'must be text, not null' },
        { path: 'limit', message: 'must be at most 100' },
        { path: 'limt', message: 'is not a parameter here; did you mean "limit"?' },
        { path: 'zzz', message: 'is not a parameter here; known: city, limit, note' },
      ],
    });
    expect(parse({})).toEqual({ ok: false, issues: [{ path: 'city', message: 'is required' }] });
  });

  it.each([[[]], ['{}'], [5], [true]])('refuses %j as arguments', (args) => {
    expect(parse(args).ok).toBe(false);
  });

  it('refuses what only looks like a known name', () => {
    expect(parse({ city: 'a', toString: 1 }).ok).toBe(false);
    expect(parse(JSON.parse('{"city":"a","__proto__":{"limit":5}}')).ok).toBe(false);
    expect(parse(Object.create({ city: 'inherited' })).ok).toBe(false);
  });
});

it('compiles a validator once for each node and mode', () => {
  const node: TypeNode = { type: 'string' };
  expect(validatorOf(node, 'input')).toBe(validatorOf(node, 'input'));
  expect(validatorOf(node, 'input')).not.toBe(validatorOf(node, 'output'));
});
