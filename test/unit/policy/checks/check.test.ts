import { describe, expect, it } from 'vitest';
import { checkPolicies } from '../../../../src/policy/checks/check.ts';
import type { PolicyRule } from '../../../../src/project/model.ts';
import type { Parameter, TypeNode } from '../../../../src/types/node.ts';
import { cpuMs } from '../../cpu.ts';
import { deny, dropSensitive, filter, mask, policies, scope } from '../fixtures.ts';

const PARAMETERS: readonly Parameter[] = [
  { name: 'region', type: 'string' },
  { name: 'limit', type: 'integer' },
  { name: 'since', type: 'string', format: 'date-time' },
  { name: 'note', type: 'string', default: null },
  { name: 'filters', type: 'object', default: null },
  { name: 'ids', type: 'array', items: { type: 'integer' } },
  { name: 'list', type: 'array' },
  { name: 'day', type: 'string', enum: ['2026-01-01T00:00:00Z'] },
  { name: 'at', type: 'string', default: '2026-01-01T00:00:00Z' },
  { name: 'when', type: 'string', examples: ['2026-01-01T00:00:00Z'] },
  { name: 'flag', type: 'boolean' },
  { name: 'memo', type: 'string', nullable: true, examples: [null] },
];
const RETURNS: TypeNode = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string', sensitive: true },
      address: { type: 'object', properties: { city: { type: 'string' } } },
      extra: { type: 'object' },
    },
  },
};

const input = (rule: PolicyRule) => checkPolicies(policies({ input: [rule] }), scope(PARAMETERS, RETURNS));
const output = (rule: PolicyRule, returns: TypeNode | null = RETURNS) =>
  checkPolicies(policies({ output: [rule] }), scope(PARAMETERS, returns));

describe('conditions without a problem', () => {
  it.each([
    "user.role != 'admin'",
    "!user.email.endsWith('@acme.com')",
    "region == 'eu' && limit > 10 && user['email'] != null",
    "note == null || note.startsWith('x')",
    "has(filters.status) && filters.status == 'open'",
    'timestamp(since) < now() - duration("720h")',
    "user.claims.level > 3 || user.claims['a b'] == 1",
    'ids.all(i, i > 0) && ids.map(user, user + 1).size() > 0',
    "'a' in user.groups || size(ids) > 10 || type(limit) == int",
    'ids[5] > 3',
    "user != 'nope'",
    "note.startsWith('x')",
    "memo.startsWith('x')",
    'user[0] == 1',
    'user[region] == 1',
    "user.email.endsWith('m') && ids[5] > 3",
    'type(limit) == int && region > 5',
    'list[0]',
    'true',
  ])('%s', (condition) => {
    expect(input(deny(condition))).toEqual([]);
  });

  it.each([
    'response.size() > 100',
    'response.exists(r, r.id % 2 == 0 && r.address.city == "Bern")',
    'response[0].extra.anything > 3',
  ])('on the output: %s', (condition) => {
    expect(output(deny(condition))).toEqual([]);
  });

  it.each(['response.total > 3', 'size(response) > 1', "response.exists(r, r.a + 1 > 'x')"])(
    'of an undeclared result: %s',
    (condition) => {
      expect(output(deny(condition), null)).toEqual([]);
    },
  );

  it.each([
    'user.claims.level > 3 || region > 5',
    'region > 5 || user.claims.level > 3',
    'filters.status > 3 || region > 5',
    'region > 5 || filters.status > 3',
  ])('that another value could answer: %s', (condition) => {
    expect(input(deny(condition))).toEqual([]);
  });

  it('accepts a comparison that fails with the sample of an undeclared result', () => {
    expect(output(deny('response > 5'), null)).toEqual([]);
  });

  it('asks for no fields of a rule that denies', () => {
    expect(output({ ...deny('true'), fields: ['nope'] })).toEqual([]);
  });

  it('accepts field actions on declared and open parts', () => {
    for (const rule of [
      filter('true', 'id', 'address.city', 'extra.anything.below'),
      mask('true', 'address'),
      dropSensitive("user.role != 'admin'"),
    ]) {
      expect(output(rule)).toEqual([]);
    }
    expect(output(filter('true', 'whatever'), null)).toEqual([]);
  });
});

describe('conditions with a problem', () => {
  it.each([
    ['', /not a valid CEL expression: it is empty/],
    ['   ', /not a valid CEL expression: it is empty/],
    ['user.role ==', /not a valid CEL expression: the parser stopped at line 1, column 11\./],
    ["user.role == 'a' &&\n  && true", /the parser stopped at line 1, column 18/],
    ['user.role = 1', /not a valid CEL expression/],
    ["user.role == 'admin", /not a valid CEL expression/],
    ['use.role == 1', /reads "use", which does not exist/],
    ['Limit > 3', /reads "Limit"/],
    ['response.size() > 1', /reads "response"/],
    ["user.rol == 'a'", /reads "user\.rol"/],
    ["user['emial'] == 'a'", /reads "user\.emial"/],
    ['has(user.token)', /reads "user\.token"/],
    ['.user.nope == 1', /reads "user\.nope"/],
    ['ids.all(i, user.nope == i)', /reads "user\.nope"/],
    ['ids.all(i, j > 1)', /reads "j"/],
    ['i > 1 && ids.all(i, i > 1)', /reads "i"/],
    ['i.all(i, i > 1)', /reads "i"/],
    ["user.email.endswith('x')", /calls endswith\(\), which does not exist/],
    ["email(user) == 'x'", /calls email\(\)/],
    ['has(limit)', /calls has\(\) in a form that does not exist/],
    ['ids.all(i > 1)', /calls all\(\) in a form/],
    ['google.protobuf.Duration{seconds: 1} == duration("1s")', /protocol-buffer|"google"/],
    ['Foo{a: 1} == 1', /protocol-buffer message/],
    ['user.role', /gives a value of type (string|null_type), not true or false/],
    ['limit + 1', /gives a value of type int, not true or false/],
    ['user.groups[0]', /gives a value of type string, not true or false/],
    ["flag ? 'yes' : flag", /gives a value of type string, not true or false/],
    ['timestamp(since)', /gives a value of type google\.protobuf\.Timestamp/],
    ['timestamp(day)', /gives a value of type google\.protobuf\.Timestamp/],
    ['timestamp(at)', /gives a value of type google\.protobuf\.Timestamp/],
    ['timestamp(when)', /gives a value of type google\.protobuf\.Timestamp/],
    ['user.id.matches()', /pattern of matches\(\) is not a literal text/],
    [`true${'\n'.repeat(10)}&& && true`, /stopped at line 11, column 1\./],
    ['now()', /gives a value of type google\.protobuf\.Timestamp/],
    ['string', /gives a type, not true or false/],
    ["limit > 'ten'", /cannot be evaluated: found no matching overload/],
    ['region > 5', /cannot be evaluated/],
    ['user.email + 1 == 2', /cannot be evaluated/],
    ["user.id.matches('(')", /pattern "\(" is not valid: .*missing closing/],
    ['user.id.matches(region)', /pattern of matches\(\) is not a literal text/],
    ["user.id.matches('(?=x)')", /pattern .* is not valid/],
    [`region == '${'x'.repeat(4096)}'`, /has \d+ characters; at most 4096/],
    [`${'['.repeat(65)}1${']'.repeat(65)} == []`, /nested more than 64 levels/],
    [`${'('.repeat(2000)}true${')'.repeat(2000)}`, /nested more than 64 levels/],
    [`limit > 1 && {${'['.repeat(500)}`, /nested more than 64 levels/],
  ])('%s', (condition, message) => {
    const problems = input(deny(condition));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toEqual(['policies', 'input', 0, 'condition']);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.fix).toMatch(/^[A-Z].*[.?]$/);
  });

  it.each([
    ["größe == 'x'", /^Give the parameter a name of the letters A to Z and a to z/],
    ['package == 1', /^Give the parameter another name: /],
    ["user.role == 'größe' && // ö", /^Write one expression/],
  ])('says which names they may have: %s', (condition, fix) => {
    expect(input(deny(condition))).toMatchObject([{ fix: expect.stringMatching(fix) }]);
  });

  it('on the output', () => {
    const returns: TypeNode = {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'integer' } } },
    };
    expect(output(deny("response[0].id > 'x'"), returns)[0]?.message).toMatch(/cannot be evaluated/);
    expect(output(deny('size(response)'), null)[0]?.message).toMatch(/gives a value of type int/);
  });

  it('takes no time for brackets that are never closed, and counts none in texts', () => {
    const begun = cpuMs();
    for (let depth = 65; depth < 1_500; depth += 13) input(deny(`limit > 1 && {${'-('.repeat(depth)}`));
    expect(cpuMs() - begun).toBeLessThan(2_000);
    for (const text of ["'([{'", '"([{"', "r'([{'", "'''([{\n'''", "'\\'([{'"]) {
      const many = Array.from({ length: 70 }, () => `region == ${text}`).join(' || ');
      expect(input(deny(many)), text).toEqual([]);
    }
  });

  it('suggests what may have been meant, and else what there is', () => {
    expect(input(deny("user.emial == 'a'"))[0]?.fix).toBe('Did you mean "user.email"?');
    expect(input(deny("regoin == 'a'"))[0]?.fix).toBe('Did you mean "region"?');
    expect(output(deny('zzz > 1'))[0]?.fix).toBe('Use one of: user, response.');
  });

  it('names every unknown name once', () => {
    const messages = input(deny('a > 1 && b > 1 && a < 5 && user.x == user.y')).map(({ message }) => message);
    expect(messages).toHaveLength(4);
  });

  it('does not let output conditions read parameters', () => {
    expect(output(deny('limit > 3'))[0]?.message).toMatch(/reads "limit"/);
  });
});

describe('rules with a problem', () => {
  it.each([
    ['input', filter('true', 'id'), 'action', /cannot act on the input/],
    ['input', dropSensitive('true'), 'action', /cannot act on the input/],
    ['output', { condition: 'true', action: 'filter_fields' }, 'action', /has no fields/],
    ['output', { condition: 'true', action: 'mask_fields', fields: [] }, 'action', /has no fields/],
    ['output', mask('true', ''), 'fields', /has no fields/],
    ['output', mask('true', 'id', ''), 'fields', /has no fields/],
  ] as const)('%s: %o', (side, rule, key, message) => {
    const problems = side === 'input' ? input(rule) : output(rule);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toEqual(['policies', side, 0, key]);
    expect(problems[0]?.message).toMatch(message);
  });

  it.each(['nam', 'address.zip', 'id.x', 'toString', 'address.city.name', '.id', 'items.id'])(
    'the field %s is not there',
    (field) => {
      const problems = output(filter('true', 'id', field));
      expect(problems.map(({ path }) => path)).toEqual([['policies', 'output', 0, 'fields', 1]]);
      expect(problems[0]?.message).toContain(`"${field}" is not part of`);
    },
  );

  it('a result without a type has no sensitive fields to drop, and a scalar has no fields', () => {
    expect(output(dropSensitive('true'), null)[0]?.message).toMatch(/needs a `return` type/);
    expect(output(filter('true', 'x'), { type: 'integer' })[0]?.message).toMatch(/not part of/);
  });

  it.each<[TypeNode]>([
    [{ type: 'integer' }],
    [{ type: 'array', items: { type: 'object' } }],
    [{ type: 'object', properties: { ssn: { type: 'string', sensitive: false } } }],
  ])('%j has no sensitive fields to drop', (returns) => {
    expect(output(dropSensitive('true'), returns)).toMatchObject([
      {
        path: ['policies', 'output', 0, 'action'],
        message: expect.stringContaining('needs a `return` type with'),
      },
    ]);
  });

  it.each<[TypeNode]>([
    [{ type: 'integer', sensitive: true }],
    [{ type: 'array', items: { type: 'integer', sensitive: true } }],
    [{ type: 'array', items: { type: 'array', items: { type: 'string', sensitive: true } } }],
    [{ type: 'object', properties: { id: { type: 'integer' }, ssn: { type: 'string', sensitive: true } } }],
    [{ type: 'object', properties: { a: { type: 'array', items: { type: 'string', sensitive: true } } } }],
  ])('%j has a sensitive part to drop', (returns) => {
    expect(output(dropSensitive('true'), returns)).toEqual([]);
  });

  it('a parameter called user is hidden by the caller', () => {
    const parameters = [
      { name: 'id', type: 'string' },
      { name: 'user', type: 'string' },
    ] as const;
    const problems = checkPolicies(policies({ input: [deny("user.role == 'a'")] }), scope(parameters));
    expect(problems).toMatchObject([
      { path: ['parameters', 1, 'name'], fix: 'Give the parameter another name.' },
    ]);
    expect(checkPolicies(policies({}), scope(parameters))).toEqual([]);
  });
});

describe('sample values', () => {
  const found = (condition: string, parameter: Omit<Parameter, 'name'>) =>
    checkPolicies(policies({ input: [deny(condition)] }), scope([{ name: 'x', ...parameter }])).map(
      ({ message }) => message,
    );

  it.each<[string, Omit<Parameter, 'name'>]>([
    ['x > 3', { type: 'integer' }],
    ['x > 3.5', { type: 'number' }],
    ['x && true', { type: 'boolean' }],
    ["x.contains('a')", { type: 'string' }],
    ['10 / x > 1', { type: 'integer', minimum: 5 }],
    ['timestamp(x) < now()', { type: 'string', format: 'date-time' }],
    ["x == 'a' || timestamp(x) < now()", { type: 'string', enum: ['a'] }],
    ['x[0] > 3', { type: 'array', items: { type: 'integer' } }],
    [
      'x.a.b > 3',
      { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } } },
    ],
    ['x.anything > 3', { type: 'object' }],
    ['x[0].anything > 3', { type: 'array', items: { type: 'object' } }],
    ["x > 'a'", { type: 'array' }],
    ['x.a > 3', { type: 'object', properties: { a: { type: 'array' } } }],
    [
      "x.a > 3 && x.b.c == 'x'",
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } },
    ],
    ['int(x) > 3', { type: 'string' }],
    ["user.claims.level + x > 'a'", { type: 'integer' }],
    ["user == {} || x > 'a'", { type: 'integer' }],
  ])('find nothing wrong with %s of %j', (condition, parameter) => {
    expect(found(condition, parameter)).toEqual([]);
  });

  it.each<[string, Omit<Parameter, 'name'>]>([
    ["x > 'a'", { type: 'integer' }],
    ["x > 'a'", { type: 'integer', default: 3 }],
    ['x > 3', { type: 'string', examples: ['b'] }],
    ["x > 'a'", { type: 'number' }],
    ['x > 3', { type: 'boolean' }],
    ["x[0] > 'a'", { type: 'array', items: { type: 'integer' } }],
    ["x.a > 'a'", { type: 'object', properties: { a: { type: 'integer' } } }],
    ['x > 3', { type: 'object', properties: {} }],
  ])('show that %s of %j can never be evaluated', (condition, parameter) => {
    expect(found(condition, parameter)).toEqual([
      expect.stringMatching(/^The condition cannot be evaluated: /),
    ]);
  });

  it('show that a result is no decision, for every user', () => {
    expect(found('user.name', { type: 'integer' })).toEqual([expect.stringMatching(/^The condition gives /)]);
    expect(found("user.email == null ? 'x' : true", { type: 'integer' })).toEqual([]);
  });
});
