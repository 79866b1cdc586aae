import { describe, expect, it } from 'vitest';
import type { User } from '../../../../src/context.ts';
import { compilePolicies, type PolicyScope } from '../../../../src/policy/compile.ts';
import { enforceInput } from '../../../../src/policy/enforce.ts';
import type { Policies, PolicyRule } from '../../../../src/project/model.ts';
import { endpointAccessOf } from '../../../../src/quality/reachability/access.ts';
import { checkReach } from '../../../../src/quality/reachability/unreachable-rules.ts';
import type { TypeNode } from '../../../../src/types/node.ts';

const SCOPE: PolicyScope = {
  kind: 'tool',
  parameters: [
    { name: 'id', type: 'integer', minimum: 1, maximum: 100 },
    { name: 'region', type: 'string', enum: ['eu', 'us'] },
    { name: 'text', type: 'string' },
    { name: 'deep', type: 'boolean', default: false },
    { name: 'limit', type: 'number', default: null },
    { name: 'maybe', type: 'boolean', default: null },
    { name: 'filter', type: 'object', properties: { region: { type: 'string' } } },
    { name: 'tags', type: 'array', enum: [['a'], ['b']] },
  ],
  returns: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        salary: { type: 'number', sensitive: true },
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
    },
  },
};

const deny = (condition: string): PolicyRule => ({ condition, action: 'deny' });
const filter = (condition: string, ...fields: string[]): PolicyRule => ({
  condition,
  action: 'filter_fields',
  fields,
});
const mask = (condition: string, ...fields: string[]): PolicyRule => ({
  condition,
  action: 'mask_fields',
  fields,
});
const policies = (input: readonly PolicyRule[], output: readonly PolicyRule[] = []): Policies => ({
  input,
  output,
});

const told = (given: Policies) =>
  checkReach(given, SCOPE).map(
    ({ code, path, message }) => `${code} ${path.slice(1, 3).join('[')}: ${message}`,
  );

const user = (role: string, more: Partial<User> = {}): User => ({
  ...{ id: 'u', username: null, email: null, name: null, provider: null, role },
  ...{ permissions: [], groups: [], capabilities: [], claims: {}, externalToken: null },
  ...more,
});

describe('rules that nothing reaches', () => {
  it.each([
    ['false'],
    ["user.role == 'a' && user.role == 'b'"],
    ["user.role in ['a', 'b'] && user.role != 'a' && user['role'] != 'b'"],
    ["region == 'asia'"],
    ["tags == 'x'"],
    ['id > 100'],
    ['id < 5 && id > 4'],
    ['id > 2.1 && id < 2.9'],
    ['id < 1.5 && id != 1'],
    ['limit > 10.5 && limit < 10.5'],
    ['deep && !deep'],
    ["text.startsWith('a') && !text.startsWith('a')"],
    ["user.role == 'a' ? false : user.role == 'a'"],
    ["1 == 2 || size('abc') > 3"],
    ['user == null'],
    ['null == user.claims'],
    ["user.groups == 'admins'"],
  ])('%s is never true', (condition) => {
    expect(told(policies([deny(condition)]))).toEqual([
      expect.stringMatching(/^policy-unreachable input\[0: The condition of input\[0\] is never true/),
    ]);
  });

  it.each([
    ["user.role == 'a' && user.email == 'b'"],
    ["user.role != 'a' || user.role != 'b' && id == 3"],
    ['id > 99'],
    ['id < 5 && id > 3'],
    ['limit > 10.5 && limit < 10.6'],
    ['id > 97.5 && id != 100'],
    ['id > 2.2 && id < 3.1'],
    ['id > 2.5 && id < 4.5 && id != 3'],
    ["region == 'eu' && deep"],
    ['limit == null'],
    ["text.startsWith('a') && !text.startsWith('b')"],
    ['user.groups.exists(g, g == text)'],
    ["user.role == null || user.role == 'x'"],
    ["timestamp('2020-01-01T00:00:00Z') < now()"],
    ['id == 9007199254740993 && id == 9007199254740992'],
    ["id == '9007199254740993'"],
    ["text < 'm'"],
    ["'2020-01-01' <= text"],
    ['false < deep'],
    ["filter.region == 'eu'"],
  ])('%s may be true', (condition) => {
    expect(told(policies([deny(condition)]))).toEqual([]);
  });

  it('an integer is compared with a fraction after it was compared with a number', () => {
    const scope: PolicyScope = { ...SCOPE, parameters: [{ name: 'n', type: 'integer' }] };
    expect(checkReach(policies([deny('n == 10'), deny('n < 2.5')]), scope)).toEqual([]);
  });

  it('an enum has integers beyond 2^53', () => {
    const parameters: PolicyScope['parameters'] = [
      { name: 'n', type: 'integer', enum: [1, '9007199254740993'] },
      { name: 'digits', type: 'string', enum: ['100000000000000000000'] },
    ];
    const toldOf = (condition: string) =>
      checkReach(policies([deny(condition)]), { ...SCOPE, parameters }).length;
    expect(toldOf('n > 5')).toBe(0);
    expect(toldOf('n == 9007199254740993')).toBe(0);
    expect(toldOf("n == '9007199254740993'")).toBe(0);
    expect(toldOf('digits == 1e20')).toBe(0);
    expect(toldOf('n > 1 && n < 9007199254740991')).toBe(1);
  });

  it('are told with the rules that come before', () => {
    const rules = [deny("user.role != 'admin'"), deny("user.role == 'guest' && id == 3"), deny('deep')];
    expect(told(policies(rules))).toEqual([
      'policy-unreachable input[1: input[1] is never reached: input[0] denied every such call before.',
    ]);
    const both = [
      deny("region == 'eu'"),
      deny("user.role == 'a'"),
      deny("user.role == 'a' || region == 'eu'"),
    ];
    expect(told(policies(both))).toEqual([
      expect.stringContaining('input[2] is never reached: input[0] and input[1] denied every such call'),
    ]);
  });

  it('are found behind the other side: who was denied has no result', () => {
    const given = policies(
      [deny("user.role == 'anonymous'")],
      [mask("user.role == 'anonymous'", 'name'), mask("user.role != 'admin'", 'name')],
    );
    expect(told(given)).toEqual([
      'policy-unreachable output[0: output[0] is never reached: input[0] denied every such call before.',
    ]);
  });

  it('are not confused by dots in keys', () => {
    for (const root of ['user.claims', 'filter', 'response']) {
      const rules = [deny(`${root}['a.b'] == 'x'`), deny(`${root}.a.b == 'x'`)];
      expect(told(root === 'response' ? policies([], rules) : policies(rules))).toEqual([]);
    }
    const same = [deny("user.claims['a'] == 'x'"), deny("user.claims.a == 'x'")];
    expect(told(policies(same))).toHaveLength(1);
    const city: TypeNode = { type: 'object', properties: { city: { type: 'string', enum: ['Bern'] } } };
    const scope: PolicyScope = { ...SCOPE, returns: { type: 'object', properties: { address: city } } };
    const flat = policies([], [deny("response['address.city'] == 'Rome'")]);
    expect(checkReach(flat, scope)).toEqual([]);
    expect(endpointAccessOf(flat, scope, null)).toMatchObject({
      call: 'depends',
      depends_on: ['response["address.city"]'],
    });
    const last = policies([], [deny("response['a.b'] == 'x'"), deny("user.role == 'anonymous'")]);
    expect(endpointAccessOf(last, scope, null)).toMatchObject({ call: 'deny', rules: ['output[1]'] });
    expect(endpointAccessOf(policies([deny("user.claims['a.b'] == 'x'")]), SCOPE, user('a')).call).toBe(
      'deny',
    );
    const claim = mask("user.claims['a.b'] == 'x'", 'name');
    expect(told(policies([], [claim, mask("user.role == 'b'", 'name')]))).toEqual([]);
  });

  it('change nothing where the fields are gone', () => {
    const given = policies(
      [],
      [filter("user.role != 'admin'", 'salary'), mask("user.role == 'guest'", 'salary')],
    );
    expect(told(given)).toEqual([
      'policy-unreachable output[1: output[1] changes nothing: earlier rules hide salary wherever it acts.',
    ]);
    expect(
      told(policies([], [filter("user.role == 'a'", 'salary'), mask("user.role != 'b'", 'salary')])),
    ).toEqual([]);
  });
});

describe('rules that contradict each other', () => {
  it.each([
    [[deny("user.role == 'a'"), deny("user.role != 'a'")]],
    [[deny('id <= 50'), deny('id > 50')]],
    [[deny("region == 'eu'"), deny("region == 'us'")]],
    [[deny('deep'), deny("text == 'x'"), deny('!deep')]],
  ])('deny every call between them', (rules) => {
    expect(told(policies(rules)).at(-1)).toMatch(/^policy-contradiction .* together deny every call/);
  });

  it('leave nothing for the rules after them', () => {
    expect(told(policies([deny('true'), deny('deep')], [mask('true', 'name')]))).toEqual([
      'policy-contradiction input[0: input[0] denies every call of every caller.',
      'policy-unreachable input[1: input[1] is never reached: the rules above it deny every call.',
    ]);
    expect(told(policies([deny("user.role == 'a'")], [deny("user.role != 'a'")]))).toEqual([
      'policy-contradiction output[0: input[0] and output[0] together deny every call of every caller.',
    ]);
  });

  it('are not looked for where there is too much to look through', () => {
    const many = Array.from({ length: 13 }, (_, n) => `text.contains('${n}')`).join(' && ');
    expect(told(policies([deny(`${many} && false`)]))).toEqual([]);
  });
});

describe('what one caller may do', () => {
  const call = (given: Policies, who: User | null) => endpointAccessOf(given, SCOPE, who);

  it('is known where it depends on nobody else', () => {
    const given = policies([deny("user.role == 'anonymous'"), deny("!('read' in user.permissions)")]);
    expect(call(given, null)).toMatchObject({
      call: 'deny',
      rules: ['input[0]'],
      depends_on: [],
      fields: [],
    });
    expect(call(given, user('a'))).toMatchObject({ call: 'deny', rules: ['input[1]'] });
    expect(call(given, user('a', { permissions: ['read'] }))).toMatchObject({ call: 'allow', rules: [] });
  });

  it('depends on arguments, data and time where it does', () => {
    const given = policies(
      [deny("user.role == 'partner' && id != 2"), deny("user.role == 'night' && now().getHours() > 6")],
      [deny("user.role == 'auditor' && response.size() > 3")],
    );
    expect(call(given, user('boss'))).toMatchObject({ call: 'allow', depends_on: [] });
    expect(call(given, user('partner'))).toMatchObject({
      call: 'depends',
      rules: ['input[0]'],
      depends_on: ['id'],
    });
    expect(call(given, user('night'))).toMatchObject({ call: 'depends', depends_on: ['now()'] });
    expect(call(given, user('auditor'))).toMatchObject({ call: 'depends', depends_on: ['response'] });
  });

  it('knows what arguments can be', () => {
    expect(call(policies([deny("region in ['eu', 'us']")]), null)).toMatchObject({ call: 'deny' });
    expect(call(policies([deny('id > 100')]), null)).toMatchObject({ call: 'allow' });
    expect(call(policies([deny('id > 10'), deny('id <= 10')]), null)).toMatchObject({
      call: 'deny',
      rules: ['input[0]', 'input[1]'],
    });
  });

  it('is denied by a condition that fails, as a call would be', () => {
    const given = policies([deny("user.email.endsWith('@acme.com')")]);
    expect(call(given, null)).toMatchObject({ call: 'deny', rules: ['input[0]'] });
  });

  it('is denied where a part fails that a condition cannot do without', () => {
    const needed = [
      'text == user.claims.tenant',
      'text.startsWith(user.claims.tenant)',
      'user.claims.teams.exists(team, team == text)',
      '[user.claims.tenant, text].size() == 2',
    ];
    const claims = { tenant: 't', teams: ['t'] };
    for (const condition of needed) {
      const rules = policies([], [mask(condition.replaceAll('text', 'response[0].name'), 'name')]);
      for (const given of [policies([deny(condition)]), rules]) {
        expect(call(given, user('a'))).toMatchObject({ call: 'deny' });
        expect(call(given, user('a', { claims })).call).not.toBe('deny');
      }
    }
    const spared = policies([deny("text == 'x' && text == user.claims.tenant")]);
    expect(call(spared, user('a'))).toMatchObject({ call: 'depends' });
  });

  it('depends on values that a condition fails on', () => {
    expect(call(policies([deny("text < 'm'")]), null)).toMatchObject({
      call: 'depends',
      depends_on: ['text'],
    });
    const returns: PolicyScope['returns'] = {
      type: 'object',
      properties: { on: { type: 'boolean', nullable: true }, off: { type: 'boolean' } },
      required: ['on', 'off'],
    };
    const onOutput = (condition: string) =>
      endpointAccessOf(policies([], [mask(condition, 'on')]), { ...SCOPE, returns }, null);
    expect(onOutput('response.on')).toMatchObject({ call: 'depends', depends_on: ['response.on'] });
    expect(onOutput('response.off')).toMatchObject({ call: 'allow' });
    expect(onOutput("response.other == 'x'")).toMatchObject({ call: 'depends' });
    expect(call(policies([deny('maybe')]), null)).toMatchObject({ call: 'depends' });
  });

  it('names no rule about the result if another one denies every result', () => {
    const first = { ...deny('size(response) > 2'), reason: 'Too many.' };
    const last = { ...deny("user.role == 'a'"), reason: 'Not for you.' };
    const given = policies([], [first, mask('true', 'name'), last]);
    expect(call(given, user('a'))).toMatchObject({
      call: 'deny',
      rules: ['output[2]'],
      reason: 'Not for you.',
      fields: [],
    });
    expect(call(given, user('b'))).toMatchObject({
      call: 'depends',
      rules: ['output[0]'],
      reason: 'Too many.',
      depends_on: ['response'],
    });
  });

  it('names every field and what becomes of it', () => {
    const given = policies(
      [],
      [
        { condition: "user.role != 'admin'", action: 'filter_sensitive_fields' },
        mask("user.role == 'guest'", 'name'),
        filter('response.size() > 10', 'address'),
        filter("user.role == 'nobody'", 'address.city'),
      ],
    );
    const fields = (who: User) =>
      Object.fromEntries(call(given, who).fields.map(({ field, access }) => [field, access]));
    expect(fields(user('guest'))).toEqual({
      name: 'masked',
      salary: 'filtered',
      address: 'depends',
      'address.street': 'depends',
      'address.city': 'depends',
    });
    expect(fields(user('admin'))).toMatchObject({ name: 'shown', salary: 'shown' });
    const guest = call(given, user('guest'));
    expect(guest).toMatchObject({ call: 'allow', depends_on: [] });
    expect(guest.fields.find(({ field }) => field === 'address')).toEqual({
      ...{ field: 'address', access: 'depends', rules: ['output[2]'], depends_on: ['response'] },
    });
  });

  it('finds the fields of a rule whatever the case of letters', () => {
    const given = policies([], [filter("user.role != 'admin'", 'Name', 'Address.CITY')]);
    const shown = call(given, user('guest')).fields.map(({ field, access }) => `${field} ${access}`);
    expect(shown).toEqual([
      'name filtered',
      'salary shown',
      'address shown',
      'address.street shown',
      'address.city filtered',
    ]);
    expect(call(policies([], [mask('true', 'ADDRESS')]), user('guest')).fields.at(-1)).toMatchObject({
      field: 'address.city',
      access: 'masked',
    });
    expect(told(policies([], [filter('true', 'Salary'), mask("user.role == 'guest'", 'salary')]))).toEqual([
      'policy-unreachable output[1: output[1] changes nothing: earlier rules hide salary wherever it acts.',
    ]);
  });

  it('knows what results can be', () => {
    const scope: PolicyScope = {
      ...SCOPE,
      returns: {
        type: 'object',
        properties: { sum: { type: 'number', minimum: 0 }, state: { type: 'string', enum: ['new', 'old'] } },
        required: ['sum', 'state'],
      },
    };
    const given = policies([], [deny('response.sum < 0'), deny("response.state == 'lost'")]);
    expect(endpointAccessOf(given, scope, null)).toMatchObject({ call: 'allow', rules: [] });
    expect(checkReach(given, scope).map(({ code }) => code)).toEqual([
      'policy-unreachable',
      'policy-unreachable',
    ]);
    const open = policies([], [deny("response.state != 'new'")]);
    expect(endpointAccessOf(open, scope, null)).toMatchObject({
      call: 'depends',
      depends_on: ['response.state'],
    });
  });

  it('counts on nulls in fields of a result that are not required', () => {
    const city: TypeNode = { type: 'string', enum: ['Bern', 'Rome'] };
    const object = (properties: { readonly [name: string]: TypeNode }, ...required: string[]): TypeNode => ({
      ...{ type: 'object', properties, required },
    });
    const address = object({ city }, 'city');
    const onResult = (returns: TypeNode, rule: PolicyRule) => {
      const [scope, given]: [PolicyScope, Policies] = [{ ...SCOPE, returns }, policies([], [rule])];
      const { call, fields } = endpointAccessOf(given, scope, null);
      return { call, fields: fields.map(({ access }) => access), told: checkReach(given, scope).length };
    };
    const [bern, none] = ["response.city in ['Bern', 'Rome']", 'response.city == null'];
    expect(onResult(address, deny(bern))).toMatchObject({ call: 'deny', told: 1 });
    expect(onResult(object({ city }), deny(bern))).toMatchObject({ call: 'depends', told: 0 });
    expect(onResult(address, filter(none, 'city'))).toMatchObject({ fields: ['shown'], told: 1 });
    expect(onResult(object({ city }), filter(none, 'city'))).toMatchObject({ fields: ['depends'], told: 0 });
    const age: TypeNode = { type: 'integer', minimum: 0 };
    expect(onResult(object({ age }, 'age'), deny('response.age < 0')).call).toBe('allow');
    expect(onResult(object({ age }), deny('response.age < 0')).call).toBe('depends');

    // A field of an object that is null fails, which denies.
    const inside = filter("response.address.city == 'Bern'", 'address');
    const nullable = { ...address, nullable: true };
    expect(onResult(object({ address }, 'address'), inside).call).toBe('allow');
    expect(onResult(object({ address }), inside).call).toBe('depends');
    expect(onResult(object({ address: nullable }, 'address'), inside).call).toBe('depends');
    expect(onResult(nullable, filter("response.city == 'Bern'", 'city')).call).toBe('depends');
  });

  it('agrees with what happens to calls', () => {
    const conditions = [
      "user.role == 'a' && id > 50",
      "region == 'eu' || user.role == 'b'",
      "!deep && user.role in ['a', 'c']",
      'limit != null && limit > 3',
      "user.email.contains('x') && id < 10",
      "text == 'x' ? user.role == 'a' : deep",
    ];
    let decided = 0;
    for (const one of conditions) {
      for (const other of conditions) {
        const given = policies([deny(one), deny(other)]);
        for (const role of ['a', 'b', 'c', 'd']) {
          const who = user(role, { email: role === 'd' ? null : 'x@y' });
          const { call: expected } = call(given, who);
          const outcomes = new Set(
            samples().map((args) => {
              const { outcome } = enforceInput(compilePolicies(given, SCOPE), args, who, { now: () => 0 });
              return outcome === 'deny' ? 'deny' : 'allow';
            }),
          );
          if (expected !== 'depends') {
            expect([...outcomes]).toEqual([expected]);
            decided += 1;
          }
        }
      }
    }
    expect(decided).toBeGreaterThan(10);
  });
});

function samples() {
  return [1, 9, 51].flatMap((id) =>
    ['eu', 'us'].flatMap((region) =>
      [true, false].flatMap((deep) =>
        [null, 2, 4].flatMap((limit) => ['x', 'y'].map((text) => ({ id, region, deep, limit, text }))),
      ),
    ),
  );
}
