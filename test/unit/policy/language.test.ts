import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { toPolicyUser, USER_KEYS } from '../../../src/policy/user.ts';
import type { Parameter } from '../../../src/types/node.ts';
import { ALICE, CLOCK, deny, edit, holds, mask } from './fixtures.ts';

const ARGS: JsonObject = {
  region: 'eu',
  limit: 50,
  price: 9.5,
  ok: true,
  note: null,
  ids: [1, 2, 3],
  order: {
    total: 120,
    lines: [
      { sku: 'a', count: 2 },
      { sku: 'b', count: 5 },
    ],
  },
};
const PARAMETERS: readonly Parameter[] = [
  { name: 'region', type: 'string' },
  { name: 'limit', type: 'integer' },
  { name: 'price', type: 'number' },
  { name: 'ok', type: 'boolean' },
  { name: 'note', type: 'string', nullable: true },
  { name: 'ids', type: 'array', items: { type: 'integer' } },
  { name: 'order', type: 'object' },
  { name: 'absent', type: 'string', default: null },
];

const evaluate = (condition: string) => holds(condition, { args: ARGS, parameters: PARAMETERS });

describe('the language', () => {
  it.each([
    "region == 'eu' && limit >= 50 || false",
    "region != 'us' && !(limit < 50) && limit <= 50 && !(limit > 50)",
    'limit + 1 == 51 && limit - 1 == 49 && limit * 2 == 100 && limit / 3 == 16 && limit % 3 == 2 && -limit == -50',
    'price * 2 == 19.0 && 2 * price == 19.0 && price + 1 > 10 && 10 - price == 0.5 && price / 2 == 4.75',
    'limit == 50.0 && price > 9',
    "region in ['eu', 'us'] && !(region in ['us'])",
    '2 in ids && !(4 in ids) && 2.0 in ids',
    "'total' in order && !('nope' in order)",
    "user.email.endsWith('@acme.com') && user.email.startsWith('alice') && user.email.contains('@')",
    "user.email.matches('^[a-z]+@acme[.]com$') && user.email.matches('(?i)ACME') && !user.email.matches('^bob')",
    "'orders.read' in user.permissions && user.groups.exists(g, g == 'finance')",
    'ids.all(i, i > 0) && ids.exists(i, i == 3) && ids.exists_one(i, i == 3) && !ids.exists_one(i, i > 1)',
    'ids.map(i, i * 2) == [2, 4, 6] && ids.filter(i, i > 1) == [2, 3] && ids.map(i, i > 1, i * 10) == [20, 30]',
    "order.lines.all(l, l.count > 1) && order.lines.exists(l, l.sku == 'b' && l.count == 5)",
    'order.lines.map(l, l.count).exists(c, c == 5) && size(order.lines.filter(l, l.count > 2)) == 1',
    'has(order.total) && !has(order.nope)',
    "size(ids) == 3 && ids.size() == 3 && size(region) == 2 && size('') == 0",
    'ids[0] == 1 && order.lines[1].count == 5 && order["total"] == 120',
    "(limit > 10 ? 'big' : 'small') == 'big'",
    "note == null && user.claims.level == 3 && user.claims.team.name == 'core'",
    "int('5') == 5 && string(5) == '5' && double('1.5') == 1.5 && type(limit) == int",
    "timestamp('2026-01-01T00:00:00Z') + duration('36h') == timestamp('2026-01-02T12:00:00Z')",
    "timestamp('2026-01-02T00:00:00Z') - timestamp('2026-01-01T00:00:00Z') == duration('24h')",
    "duration('90m').getHours() == 1 && duration('1h') < duration('61m')",
    "timestamp('2026-02-03T04:05:06.789Z').getFullYear() == 2026 && timestamp('2026-02-03T04:05:06.789Z').getMonth() == 1",
    "timestamp('2026-02-03T00:00:00Z').getDate() == 3 && timestamp('2026-02-03T00:00:00Z').getDayOfMonth() == 2",
    "timestamp('2026-02-03T00:00:00Z').getDayOfYear() == 33 && timestamp('2026-02-03T00:00:00Z').getDayOfWeek() == 2",
    "timestamp('2026-02-03T04:05:06.789Z').getMinutes() == 5 && timestamp('2026-02-03T04:05:06.789Z').getSeconds() == 6",
    "timestamp('2026-02-03T04:05:06.789Z').getMilliseconds() == 789",
  ])('%s', (condition) => {
    expect(evaluate(condition)).toBe(true);
  });

  it('knows now(), the same at every place of a call', () => {
    expect(evaluate('now() == now() && now().getHours() == 14 && now().getDayOfWeek() == 6')).toBe(true);
    expect(evaluate("now() < timestamp('2026-02-01T00:00:00Z')")).toBe(true);
    expect(evaluate("now() - timestamp('2026-01-31T00:00:00Z') > duration('14h')")).toBe(true);
  });

  it.each([
    ['UTC', 14],
    ['+02:00', 16],
    ['-05:30', 9],
    ['Europe/Zurich', 15],
    ['America/New_York', 9],
    ['Asia/Kolkata', 20],
  ])('reads the clock of %s', (zone, hour) => {
    expect(evaluate(`now().getHours('${zone}') == ${hour}`)).toBe(true);
  });

  it("is not moved by the daylight-saving gap of the server's own zone", () => {
    const host = process.env.TZ;
    process.env.TZ = 'America/New_York';
    try {
      const gap = { now: () => Date.UTC(2026, 2, 8, 2, 30) };
      expect(new Date(2026, 2, 8, 2, 30).getHours()).toBe(3);
      expect(holds("now().getHours() == 2 && now().getHours('UTC') == 2", { clock: gap })).toBe(true);
    } finally {
      if (host === undefined) delete process.env.TZ;
      else process.env.TZ = host;
    }
  });

  it('closes an office out of hours', () => {
    const rule = "now().getDayOfWeek('Europe/Zurich') in [0, 6] || now().getHours('Europe/Zurich') < 8";
    expect(holds(rule, { clock: CLOCK })).toBe(true);
    expect(holds(rule, { clock: { now: () => Date.UTC(2026, 1, 2, 9) } })).toBe(false);
    expect(holds(rule, { clock: { now: () => Date.UTC(2026, 1, 2, 6, 30) } })).toBe(true);
  });
});

describe('values at the boundary', () => {
  const of = (condition: string, value: JsonObject[string], node: Omit<Parameter, 'name'>) =>
    holds(condition, { args: { x: value }, parameters: [{ name: 'x', ...node }] });

  it('makes declared integers ints, at any depth', () => {
    expect(of('x % 2 == 1', 5, { type: 'integer' })).toBe(true);
    expect(of('x.all(i, i % 2 == 1)', [1, 3], { type: 'array', items: { type: 'integer' } })).toBe(true);
    expect(of('x.n / 2 == 2', { n: 5 }, { type: 'object', properties: { n: { type: 'integer' } } })).toBe(
      true,
    );
  });

  it('makes declared integers of a result ints', () => {
    const returns = { type: 'object', properties: { n: { type: 'integer' } } } as const;
    const hide = mask('response.n % 2 == 1', 'n');
    expect(edit([hide], { n: 5 }, { returns }).decision.outcome).toBe('mask');
  });

  it('leaves out what is not given', () => {
    const parameters = [{ name: 'absent', type: 'string' }] as const;
    expect(holds('absent == 1', { parameters })).toBe('input[0]: unresolved attribute');
  });

  it('keeps every digit of integers that travel as text', () => {
    expect(of('x > 9007199254740992', '9007199254740993', { type: 'integer' })).toBe(true);
    expect(of('x == -9007199254740993', '-9007199254740993', { type: 'integer' })).toBe(true);
    expect(of("x == '12'", '12', { type: 'string' })).toBe(true);
  });

  it.each([
    ['9007199254740993', 'x == 9007199254740993', true],
    ['9007199254740993', '9007199254740993 == x', true],
    ['9007199254740993', 'x != 9007199254740993', false],
    ['9007199254740993', '9007199254740993 != x', false],
    ['9007199254740993', 'x in [1, 9007199254740993]', true],
    ['9007199254740993', '9007199254740993 in [x]', true],
    ['9007199254740993', 'x == 9007199254740993u', true],
    ['9007199254740993', '9007199254740993u != x', false],
    ['9007199254740993', '12u == x', false],
    ['9007199254740993', "x == '9007199254740993' && x in ['9007199254740993']", true],
    ['9007199254740993', "x != '9007199254740993'", false],
    ['-9223372036854775808', 'x == -9223372036854775808', true],
    [
      '9007199254740993',
      "x in {'9007199254740993': 1} && !(x in {'1': 1}) && !(9007199254740993 in {1: 1})",
      true,
    ],
    ['9007199254740993', 'x == 9007199254740992', false],
    ['9007199254740993', 'x != 9007199254740992', true],
    ['9007199254740993', 'x in [9007199254740992]', false],
    ['9007199254740993', 'x == 1 || x == null || x in [1, null]', false],
    // Texts that no number beyond 2^53 has as its digits are other values.
    ['12', 'x == 12 || x in [12]', false],
    ['9007199254740991', 'x == 9007199254740991', false],
    ['09007199254740993', 'x == 9007199254740993', false],
    ['9007199254740993.0', 'x == 9007199254740993', false],
    ['9007199254740993 ', 'x == 9007199254740993', false],
    [' 9007199254740993', 'x == 9007199254740993', false],
    ['100000000000000000000', 'x == 1e20 && 1e20 == x && x in [1e20] && 1e20 in [x]', true],
    ['10000000000000000000000', 'x == 1e22 && 1e22 == x', true],
    ['100000000000000000001', 'x == 1e20 || 1e20 == x || x == 1.5', false],
    ['9007199254740993', '[9007199254740993] == x', false],
    ['9007199254740993', '[1, [x]] == [1, [9007199254740993]] && [x, 1] != [9007199254740993, 2]', true],
    ['9007199254740993', "[9007199254740993] == [x] && [['a'], [1]] != [[x], [1]]", true],
    ['9007199254740993', "{'a': [x]} == {'a': [9007199254740993]}", true],
    ['9007199254740993', "{'a': x} != {'a': 9007199254740993} || {'b': x} == {'a': 9007199254740993}", false],
    ['9007199254740993', 'x in {9007199254740993: 1} && {x: 1} == {9007199254740993: 1}', true],
    ['9007199254740993', '[x] in [[9007199254740993]] && [[9007199254740992]] != [[x]]', true],
    ['', 'x == 0', false],
  ])('compares the digits %s of no declared type by number: %s', (digits, condition, expected) => {
    for (const given of [{ n: digits }, [{ n: digits }]]) {
      const read = condition.replaceAll('x', Array.isArray(given) ? 'response[0].n' : 'response.n');
      expect(edit([deny(read)], given).decision).toMatchObject({
        outcome: expected ? 'deny' : 'allow',
        failure: null,
      });
    }
    expect(of(condition.replaceAll('x', 'x.n'), { n: digits }, { type: 'object' })).toBe(expected);
  });

  it('compares the digits of a claim by number', () => {
    const user = { ...ALICE, claims: { account: '9007199254740993' } };
    expect(holds('user.claims.account == 9007199254740993', { user })).toBe(true);
    expect(holds('user.claims.account == 9007199254740992', { user })).toBe(false);
  });

  it('reads long decimals of a declared number', () => {
    expect(of('x > 1000', '123456789012345678.25', { type: 'number' })).toBe(true);
  });

  it('takes numbers of no declared type as doubles', () => {
    expect(of('x.n / 2 == 2.5', { n: 5 }, { type: 'object' })).toBe(true);
  });

  it('finds keys that objects inherit only when the data has them', () => {
    const node = { type: 'object' } as const;
    expect(of("has(x.constructor) || 'toString' in x || has(x.__proto__)", {}, node)).toBe(false);
    expect(of("x.constructor == 'a'", { constructor: 'a' }, node)).toBe(true);
    expect(of("x['__proto__'] == 1", JSON.parse('{"__proto__": 1}'), node)).toBe(true);
  });

  it('refuses lists of more than 10,000 items and values nested too deep', () => {
    const list = Array.from({ length: 10_001 }, (_, index) => index);
    expect(of('size(x) > 0', list, { type: 'array' })).toMatch(/a list has 10001 items/);
    expect(of('size(x) == 10000', list.slice(1), { type: 'array' })).toBe(true);
    const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`);
    expect(of('size(x) > 0', deep, { type: 'array' })).toMatch(/nested more than 64/);
  });
});

describe('user', () => {
  // Requirements: user.id
  it('has every documented key, with and without a caller', () => {
    expect(Object.keys(toPolicyUser(ALICE))).toEqual(USER_KEYS);
    expect(USER_KEYS).toEqual([
      'id',
      'user_id',
      'username',
      'email',
      'name',
      'provider',
      'role',
      'permissions',
      'groups',
      'capabilities',
      'claims',
    ]);
    expect(toPolicyUser(null)).toMatchObject({
      id: null,
      user_id: null,
      role: 'anonymous',
      permissions: [],
      claims: {},
    });
  });

  // Requirements: user.email, user.groups, user.id, user.name, user.permissions, user.role
  it.each([
    "user.permissions == ['orders.read', 'orders.write'] && user.groups == ['finance', 'eu'] && user.email == 'alice@acme.com'",
    "user.id == 'alice-1' && user.user_id == user.id && user.username == 'alice' && user.name == 'Alice'",
    "user.provider == 'acme' && user.role == 'analyst' && 'export' in user.capabilities && has(user.email)",
  ])('%s', (condition) => {
    expect(holds(condition)).toBe(true);
  });

  // Requirements: user.unnamed
  it.each([
    "user.role == 'anonymous' && user.id == null && user.email == null && user.groups == []",
    "!has(user.email) && user.permissions.size() == 0 && !('x' in user.groups) && user.claims == {}",
  ])('anonymous: %s', (condition) => {
    expect(holds(condition, { user: null })).toBe(true);
  });

  // Requirements: user.unnamed
  it('has no role and no permission if no mapping gave one', () => {
    const user = { ...ALICE, role: null, permissions: [] };
    expect(holds("user.role == null && user.role != 'anonymous' && user.permissions == []", { user })).toBe(
      true,
    );
  });

  it("never carries the identity provider's token", () => {
    expect(JSON.stringify(toPolicyUser(ALICE))).not.toContain('planted');
    expect(holds('has(user.externalToken)')).toBe(false);
  });

  it('is the caller even where a parameter has its name', () => {
    expect(holds("user.role == 'analyst'", { args: { user: { role: 'admin' } } })).toBe(true);
  });
});
