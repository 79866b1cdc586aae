import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/context.ts';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import { compilePolicies } from '../../../src/policy/compile.ts';
import {
  combineDecisions,
  NO_DECISION,
  toAuditDecision,
  toDeniedError,
} from '../../../src/policy/decision.ts';
import { denialOf } from '../../../src/policy/enforce.ts';
import type { PolicyRule } from '../../../src/project/model.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { createRandom } from '../types/random.ts';
import {
  ALICE,
  CLOCK,
  decide,
  deny,
  dropSensitive,
  edit,
  filter,
  mask,
  policies,
  scope,
} from './fixtures.ts';

const PERSON = { name: 'Ann', salary: 10, address: { city: 'Bern', street: 'Weg 1' } };
const PERSON_TYPE: TypeNode = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    salary: { type: 'number', sensitive: true },
    address: {
      type: 'object',
      properties: { city: { type: 'string' }, street: { type: 'string', sensitive: true } },
    },
  },
};
const PEOPLE_TYPE: TypeNode = { type: 'array', items: PERSON_TYPE };
const FIELDS = ['salary', 'address.street'];

// Requirements: endpoint.policies
describe('the actions on every shape', () => {
  const filtered = { name: 'Ann', address: { city: 'Bern' } };
  const masked = { name: 'Ann', salary: '****', address: { city: 'Bern', street: '****' } };
  const rows: [string, PolicyRule, JsonValue, TypeNode | null, JsonValue][] = [
    ['filter an object', filter('true', ...FIELDS), PERSON, PERSON_TYPE, filtered],
    ['filter an array', filter('true', ...FIELDS), [PERSON, PERSON], PEOPLE_TYPE, [filtered, filtered]],
    ['filter without a declared type', filter('true', ...FIELDS), [PERSON], null, [filtered]],
    [
      'filter arrays in objects in arrays',
      filter('true', 'orders.lines.cost'),
      [{ orders: [{ lines: [{ cost: 1, sku: 'a' }, { cost: 2 }] }] }],
      null,
      [{ orders: [{ lines: [{ sku: 'a' }, {}] }] }],
    ],
    ['filter arrays of arrays', filter('true', 'x'), [[{ x: 1, y: 2 }]], null, [[{ y: 2 }]]],
    ['filter a whole object', filter('true', 'address'), PERSON, PERSON_TYPE, { name: 'Ann', salary: 10 }],
    [
      'filter a column with a dot in its name',
      filter('true', 'a.b'),
      { 'a.b': 1, a: { b: 2, c: 3 } },
      null,
      { a: { c: 3 } },
    ],
    [
      'filter columns that the table spells otherwise',
      filter('true', 'salary', 'address.street', 'Note'),
      [{ Salary: 10, ADDRESS: { Street: 'Weg 1', city: 'Bern' }, note: 1, notes: 2 }],
      null,
      [{ ADDRESS: { city: 'Bern' }, notes: 2 }],
    ],
    [
      'mask columns that the table spells otherwise',
      mask('true', 'salary', 'address.street'),
      [{ Salary: 10, Address: { STREET: 'Weg 1' } }],
      null,
      [{ Salary: '****', Address: { STREET: '****' } }],
    ],
    [
      'drop sensitive columns that the table spells otherwise',
      dropSensitive('true'),
      [{ Name: 'Ann', SALARY: 10, Address: { Street: 'Weg 1', city: 'Bern' } }],
      PEOPLE_TYPE,
      [{ Name: 'Ann', Address: { city: 'Bern' } }],
    ],
    [
      'keep what is declared beside a sensitive name in other letters',
      dropSensitive('true'),
      { ID: 1, id: 2, Id: 3 },
      { type: 'object', properties: { id: { type: 'integer' }, ID: { type: 'integer', sensitive: true } } },
      { id: 2 },
    ],
    ['filter null', filter('true', 'x'), null, null, null],
    [
      'filter an optional field that is not there',
      filter('true', 'salary'),
      { name: 'Ann' },
      PERSON_TYPE,
      { name: 'Ann' },
    ],
    [
      'filter an optional field of an object',
      filter('true', 'address.street'),
      [{ address: {} }],
      PEOPLE_TYPE,
      [{ address: {} }],
    ],
    ['filter a field that one row has', filter('true', 'x'), [{ x: 1 }, { y: 2 }], null, [{}, { y: 2 }]],
    ['filter inside of null', filter('true', 'address.street'), { address: null }, null, { address: null }],
    ['filter an empty list', filter('true', 'nope'), [], null, []],
    ['mask an object', mask('true', ...FIELDS), PERSON, PERSON_TYPE, masked],
    ['mask an array', mask('true', ...FIELDS), [PERSON], PEOPLE_TYPE, [masked]],
    [
      'mask null, lists and objects',
      mask('true', 'a', 'b', 'c'),
      { a: null, b: [1], c: { d: 1 } },
      null,
      { a: '****', b: '****', c: '****' },
    ],
    ['a rule that does not apply may name anything', filter('false', 'nope'), PERSON, null, PERSON],
    ['drop sensitive parts of an object', dropSensitive('true'), PERSON, PERSON_TYPE, filtered],
    ['drop sensitive parts of an array', dropSensitive('true'), [PERSON], PEOPLE_TYPE, [filtered]],
    [
      'drop sensitive items',
      dropSensitive('true'),
      { tags: ['a'] },
      { type: 'object', properties: { tags: { type: 'array', items: { type: 'string', sensitive: true } } } },
      { tags: [] },
    ],
    ['drop a sensitive scalar', dropSensitive('true'), 42, { type: 'integer', sensitive: true }, null],
    [
      'drop a sensitive object as a whole',
      dropSensitive('true'),
      { a: PERSON },
      { type: 'object', properties: { a: { type: 'object', sensitive: true } } },
      {},
    ],
    [
      'keep what is not declared',
      dropSensitive('true'),
      { ...PERSON, extra: 1 },
      PERSON_TYPE,
      { ...filtered, extra: 1 },
    ],
    ['a condition that is false changes nothing', filter('false', ...FIELDS), PERSON, PERSON_TYPE, PERSON],
  ];
  it.each(rows)('%s', (_, rule, value, returns, expected) => {
    const before = structuredClone(value);
    expect(edit([rule], value, { returns }).value).toEqual(expected);
    expect(value).toEqual(before);
  });

  it.each<[PolicyRule, JsonValue, TypeNode | null]>([
    [filter('true', 'salry'), [PERSON], PEOPLE_TYPE],
    [filter('true', 'salry'), PERSON, null],
    [filter('true', 'address.stret'), PERSON, PERSON_TYPE],
    [filter('true', 'name', 'salry'), PERSON, PERSON_TYPE],
    [filter('true', 'toString'), PERSON, null],
    [filter('true', '*'), PERSON, null],
    [filter('true', 'x'), 42, { type: 'integer' }],
    [mask('true', 'x'), 'text', { type: 'string' }],
    [mask('true', 'nope'), { a: 1 }, null],
  ])('a rule about fields that hides nothing denies: %j on %j', (rule, value, returns) => {
    const { value: edited, decision } = edit([rule], value, { returns });
    expect(edited).toBeNull();
    expect(decision).toMatchObject({ outcome: 'deny', failure: expect.stringContaining('hides nothing') });
  });

  it('keeps keys that JSON allows and objects do not', () => {
    const value = JSON.parse('{"__proto__": {"secret": 1, "open": 2}, "constructor": 3}');
    const { value: edited } = edit([filter('true', '__proto__.secret', 'constructor')], value);
    expect(JSON.stringify(edited)).toBe('{"__proto__":{"open":2}}');
  });
});

describe('output rules in order', () => {
  it('add up, while every condition sees the response as it was', () => {
    const rules = [
      filter('true', 'salary'),
      mask('response.salary == 10.0 && has(response.address)', 'address'),
      mask('false', 'name'),
    ];
    const { value, decision } = edit(rules, PERSON);
    expect(value).toEqual({ name: 'Ann', address: '****' });
    expect(decision).toEqual({
      outcome: 'filter',
      rules: ['output[0]', 'output[1]'],
      reason: null,
      evaluated: 3,
      failure: null,
    });
  });

  it('stop at the first denial, and nothing of the result is left', () => {
    const { value, decision } = edit(
      [mask('true', 'name'), deny('true', 'not today'), filter('true', 'x')],
      PERSON,
    );
    expect(value).toBeNull();
    expect(decision).toEqual({
      outcome: 'deny',
      rules: ['output[0]', 'output[1]'],
      reason: 'not today',
      evaluated: 2,
      failure: null,
    });
  });

  // Requirements: noninterference
  it.each([
    ['denies', deny("user.role == 'analyst'", 'Not for you.'), 'Not for you.'],
    [
      'cannot be evaluated',
      mask('user.claims.missing', 'a'),
      'Access denied: a policy could not be evaluated.',
    ],
  ])('that read the result decide nothing if another one %s', (_, other, reason) => {
    const rules = [deny('size(response) > 1', 'Too many.'), mask('size(response) > 0', 'a'), other];
    const decisions = [[], [{ a: 1 }], [{ a: 1 }, { a: 2 }]].map((value) => edit(rules, value).decision);
    expect(new Set(decisions.map((decision) => JSON.stringify(decision)))).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ outcome: 'deny', reason, rules: ['output[2]'], evaluated: 1 });
  });

  it('that read the result decide together with others that hide parts of it', () => {
    const rules = [deny('size(response) > 1', 'Too many.'), mask('true', 'a'), deny('false')];
    expect(edit(rules, [{ a: 1 }]).value).toEqual([{ a: '****' }]);
    expect(edit(rules, [{ a: 1 }, { a: 2 }]).decision).toMatchObject({
      reason: 'Too many.',
      rules: ['output[0]'],
    });
  });

  it('see arrays, scalars and null', () => {
    expect(edit([deny('size(response) > 1')], [1, 2]).decision.outcome).toBe('deny');
    expect(edit([deny('response > 41')], 42, { returns: { type: 'integer' } }).decision.outcome).toBe('deny');
    expect(edit([deny('response == null')], null).decision.outcome).toBe('deny');
    expect(edit([deny("response[0].name == 'Ann'")], [PERSON]).decision.outcome).toBe('deny');
  });
});

describe('the denial of a call whose arguments are not all valid', () => {
  const program = compilePolicies(
    policies({
      input: [
        deny('n > 100', 'Too much.'),
        { ...mask('true', 'n') },
        deny("user.role == 'guest'"),
        deny("now() > timestamp('2027-01-01T00:00:00Z')", 'Too late.'),
      ],
    }),
    scope([{ name: 'n', type: 'integer' }]),
  );
  const denial = (args: JsonObject, user: User | null = ALICE, clock = CLOCK) =>
    denialOf(program, args, user, clock);

  it('is that of the first rule that denies, whatever the other arguments are', () => {
    expect(denial({ n: 101 })).toEqual({
      outcome: 'deny',
      rules: ['input[0]'],
      reason: 'Too much.',
      evaluated: 1,
      failure: null,
    });
    expect(denial({}, { ...ALICE, role: 'guest' })).toMatchObject({
      rules: ['input[2]'],
      reason: 'Access denied by policy.',
      evaluated: 3,
    });
    expect(denial({}, ALICE, { now: () => Date.UTC(2027, 1, 1) })).toMatchObject({ reason: 'Too late.' });
  });

  it('is none if no rule denies, or only one that cannot be evaluated', () => {
    expect(denial({})).toBeNull();
    expect(denial({ n: 1 })).toBeNull();
  });
});

describe('the time of a call', () => {
  /** A clock on which each look takes a second. */
  const running = () => {
    let time = 0;
    const now = () => {
      time += 1_000;
      return time;
    };
    return { now, looks: () => time / 1_000 };
  };
  const SECOND = "now() == timestamp('1970-01-01T00:00:01Z')";

  it('is the same for all rules, and read only if one asks', () => {
    const clock = running();
    const rules = [deny(`!(${SECOND})`), deny(`!(${SECOND}) || now() != now()`)];
    expect(decide(rules, { clock })).toMatchObject({ outcome: 'allow', failure: null });
    const idle = running();
    decide([deny('false')], { clock: idle });
    expect([clock.looks(), idle.looks()]).toEqual([1, 0]);
  });
});

describe('decisions', () => {
  it('say what happened', () => {
    expect(decide([])).toEqual(NO_DECISION);
    expect(edit([], 1)).toEqual({ value: 1, decision: NO_DECISION });
    expect(decide([deny('false')])).toEqual({
      outcome: 'allow',
      rules: [],
      reason: null,
      evaluated: 1,
      failure: null,
    });
    expect(edit([mask('true', 'a')], { a: 1 }).decision.outcome).toBe('mask');
    expect(edit([filter('true', 'a'), mask('true', 'b')], { a: 1, b: 2 }).decision.outcome).toBe('filter');
    expect(decide([deny('true')]).reason).toBe('Access denied by policy.');
  });

  it('come from rules that are compiled once', () => {
    const own = policies({ input: [deny('true')] });
    expect(compilePolicies(own, scope())).toBe(compilePolicies(own, scope()));
  });

  // Requirements: attribute.svc.policy.decision
  it('combine into one for the call', () => {
    const allowed = decide([deny('false')]);
    const masked = edit([mask('true', 'a')], { a: 1 }).decision;
    expect(combineDecisions(allowed, masked)).toEqual({
      outcome: 'mask',
      rules: ['output[0]'],
      reason: null,
      evaluated: 2,
      failure: null,
    });
    expect(combineDecisions(NO_DECISION, allowed).outcome).toBe('allow');
    const denied = decide([deny('true', 'no')]);
    expect(combineDecisions(denied, NO_DECISION)).toEqual(denied);
    const failed = decide([deny('nope')]);
    expect(combineDecisions(failed, NO_DECISION)).toEqual(failed);
    expect(combineDecisions(NO_DECISION, failed)).toEqual(failed);
  });

  // Requirements: audit.policy_decision
  it('become the words of the audit record', () => {
    expect(
      [
        NO_DECISION,
        decide([deny('false')]),
        edit([mask('true', 'a')], { a: 1 }).decision,
        decide([deny('true')]),
      ].map(toAuditDecision),
    ).toEqual(['n/a', 'allow', 'allow', 'deny']);
  });

  it('become an error that carries the reason and the rule', () => {
    const error = toDeniedError(decide([deny('false'), deny('true', 'Only admins.')]));
    expect(error).toBeInstanceOf(SvcError);
    expect(error).toMatchObject({ code: 'denied', message: 'Only admins.', detail: { rule: 'input[1]' } });
  });
});

it('edits nothing for the name of a field that a value does not have', () => {
  const random = createRandom(11);
  const pieces = [...'abcdef._-*[]\'"\\ \n0$', '__proto__', 'constructor', '[0]', '[]', 'é', '\u{1f600}'];
  const value = { a: 1, b: [{ c: 2 }], 'd.e': { f: null } };
  for (let round = 0; round < 1000; round += 1) {
    const field = random.list(12, () => random.pick(pieces)).join('');
    const before = structuredClone(value);
    const { value: edited } = edit([filter('true', field)], value);
    expect(value).toEqual(before);
    expect(JSON.stringify(edited).length, field).toBeLessThanOrEqual(JSON.stringify(value).length);
  }
});
