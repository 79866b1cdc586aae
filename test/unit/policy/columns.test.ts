import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/context.ts';
import type { JsonValue } from '../../../src/json.ts';
import type { ResultColumns } from '../../../src/policy/columns.ts';
import { compilePolicies } from '../../../src/policy/compile.ts';
import { enforceOutput, sightOfCompletion } from '../../../src/policy/enforce.ts';
import { declaresField, dropSensitive, hasField } from '../../../src/policy/fields.ts';
import type { PolicyRule } from '../../../src/project/model.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import {
  ALICE,
  CLOCK,
  deny,
  edit,
  filter,
  mask,
  policies,
  scope,
  dropSensitive as sensitive,
} from './fixtures.ts';

const FAILED = 'Access denied: a policy could not be evaluated.';

function columnsOf(types: { readonly [name: string]: string }, ...twice: readonly string[]): ResultColumns {
  return {
    columns: Object.entries(types).map(([name, type]) => ({ name, type })),
    twice: new Set(twice),
  };
}

function enforced(rules: readonly PolicyRule[], columns: ResultColumns, returns: TypeNode | null = null) {
  const program = compilePolicies(policies({ output: rules }), scope([], returns));
  return enforceOutput(program, [], ALICE, CLOCK, columns).decision;
}

describe('a rule about the columns of a statement', () => {
  const STRUCT = 'STRUCT(street VARCHAR, "zip ""code" VARCHAR, inner_part STRUCT(deep INTEGER))';

  it.each([
    ['pay', { pay: 'INTEGER' }],
    ['PAY', { pay: 'INTEGER' }],
    ['pay', { Pay: 'INTEGER' }],
    ['address.street', { Address: STRUCT }],
    ['address.Zip "Code', { address: STRUCT }],
    ['address.inner_part.deep', { address: STRUCT }],
    ['data.any.key', { data: 'JSON' }],
    ['data.any', { data: 'MAP(VARCHAR, INTEGER)' }],
    ['list.street', { list: `${STRUCT}[]` }],
    ['list.street', { list: `${STRUCT}[3][]` }],
    ['a.b.c.d', { 'a.b': 'STRUCT("c.d" INTEGER)' }],
    ['a.state', { a: "STRUCT(mood ENUM('(', 'it''s, state'), state INTEGER)" }],
    ['u.x', { u: 'UNION(n INTEGER, s STRUCT(x INTEGER))' }],
    ['l.u.x', { l: 'STRUCT(u UNION(n INTEGER, s STRUCT(x INTEGER)[])[])[]' }],
    ['a.m.key', { a: 'STRUCT(m MAP(VARCHAR, STRUCT(x INTEGER)))' }],
  ])('acts on %j', (field, types) => {
    expect(enforced([mask('true', field)], columnsOf(types)).outcome).toBe('mask');
  });

  it.each([
    ['pay', { salary: 'INTEGER' }, [], 'no column pay'],
    ['address.town', { address: STRUCT }, [], 'no column address.town'],
    ['address.stree', { address: STRUCT }, [], 'no column address.stree'],
    ['addres.street', { address: STRUCT }, [], 'no column addres.street'],
    ['address.inner_part.town', { address: STRUCT }, [], 'no column address.inner_part.town'],
    ['someone.street', { address: STRUCT }, [], 'no column someone.street'],
    ['address.deep', { address: STRUCT }, [], 'no column address.deep'],
    ['address.inner_part.street', { address: STRUCT }, [], 'no column address.inner_part.street'],
    ['address.street.street', { address: STRUCT }, [], 'no column address.street.street'],
    ['a.town', { a: "STRUCT(mood ENUM('it''s, town '), b INTEGER)" }, [], 'no column a.town'],
    ['pay.', { pay: 'INTEGER' }, [], 'no column pay.'],
    ['a.', { a: 'STRUCT(INTEGER, STRUCT(b INTEGER))' }, [], 'no column a.'],
    ['u.s.x', { u: 'UNION(n INTEGER, s STRUCT(x INTEGER))' }, [], 'no column u.s.x'],
    ['u.n', { u: 'UNION(n INTEGER, s STRUCT(x INTEGER))' }, [], 'no column u.n'],
    ['a.json', { a: 'STRUCT(n INTEGER, data JSON)' }, [], 'no column a.json'],
    ['address.town.street', { address: STRUCT }, [], 'no column address.town.street'],
    ["state.'a", { state: "ENUM('a b', 'c d')" }, [], "no column state.'a"],
    ['state.b', { state: "ENUM('struct(b INTEGER)')" }, [], 'no column state.b'],
    ['a.b', { a: `STRUCT(ENUM('x"b c'))` }, [], 'no column a.b'],
    ['pay.part', { pay: 'INTEGER' }, [], 'no column pay.part'],
    ['pay', { pay: 'INTEGER', pay_1: 'INTEGER' }, ['pay'], 'two columns pay'],
    ['pay.part', { pay: 'JSON', pay_1: 'JSON' }, ['pay'], 'two columns pay.part'],
  ] as const)('denies where %j is not one column', (field, types, twice, failure) => {
    const decision = enforced([mask('true', field)], columnsOf(types, ...twice));
    expect(decision).toMatchObject({ outcome: 'deny', reason: FAILED });
    expect(decision.failure).toContain(failure);
  });

  it('denies nothing where it does not apply, and where it denies by itself', () => {
    expect(enforced([mask('false', 'pay')], columnsOf({ n: 'INTEGER' })).outcome).toBe('allow');
    expect(enforced([deny('true', 'No.')], columnsOf({ n: 'INTEGER' }))).toMatchObject({ reason: 'No.' });
    expect(
      enforced([{ ...deny('true', 'No.'), fields: ['gone'] }], columnsOf({ n: 'INTEGER' })),
    ).toMatchObject({
      reason: 'No.',
    });
    expect(enforced([mask('true', 'pay')], columnsOf({ pay: 'INTEGER' }, 'other')).outcome).toBe('mask');
    expect(enforced([mask('true', 'pays')], columnsOf({ pays: 'INTEGER' }, 'pay')).outcome).toBe('mask');
  });

  it.each<[JsonValue, string | null]>([
    [{ pay: 1 }, null],
    [[{ pay: 1 }, { pay: 2 }], null],
    [null, null],
    [1, 'the value of pay alone'],
    [[1, 2], 'the value of pay alone'],
    [[{ pay: 1 }, 2], 'the value of pay alone'],
  ])('hides the column in %j only if it has its name there', (value, failure) => {
    const judge = (rule: PolicyRule) => {
      const program = compilePolicies(policies({ output: [rule] }), scope());
      return enforceOutput(program, value, ALICE, CLOCK, columnsOf({ pay: 'INTEGER' })).decision;
    };
    const { outcome, failure: why } = judge(mask('true', 'pay'));
    expect(outcome).toBe(failure === null ? 'mask' : 'deny');
    expect(why ?? '').toContain(failure ?? '');
    expect(judge(deny('true', 'No.')).reason).toBe('No.');
  });

  it('looks for each column that `return` declares sensitive', () => {
    const row: TypeNode = {
      type: 'object',
      properties: { pay: { type: 'integer', sensitive: true }, n: { type: 'integer' } },
    };
    const returns: TypeNode = { type: 'array', items: row };
    expect(enforced([sensitive('true')], columnsOf({ pay: 'INTEGER' }), returns).outcome).toBe('filter');
    expect(enforced([sensitive('true')], columnsOf({ n: 'INTEGER' }), returns).failure).toContain(
      'no column pay',
    );
    expect(enforced([sensitive('true')], columnsOf({ n: 'INTEGER' }), row).failure).toContain(
      'no column pay',
    );
    expect(enforced([sensitive('true')], columnsOf({ n: 'INTEGER' })).failure).toContain('`return` type');
  });

  it('looks for each part of a column that `return` declares sensitive', () => {
    const ssn: TypeNode = { type: 'string', sensitive: true };
    const person: TypeNode = { type: 'object', properties: { SSN: ssn, n: { type: 'integer' } } };
    const known: TypeNode = { ...person, sensitive: true };
    const row: TypeNode = {
      type: 'object',
      properties: {
        person,
        others: { type: 'array', items: person },
        known,
        codes: { type: 'array', items: ssn },
      },
    };
    const failureOf = (types: { readonly [name: string]: string }) =>
      enforced([sensitive('true')], columnsOf(types), { type: 'array', items: row }).failure;
    const PERSON = 'STRUCT(ssn VARCHAR, n INTEGER)';
    const all = { person: PERSON, others: `${PERSON}[]`, known: 'JSON', codes: 'VARCHAR[]' };
    expect(failureOf(all)).toBeNull();
    expect(failureOf({ ...all, known: 'STRUCT(id VARCHAR)' })).toBeNull();
    expect(failureOf({ ...all, person: 'STRUCT(n INTEGER)' })).toContain('no column person.SSN');
    expect(failureOf({ ...all, others: 'INTEGER[]' })).toContain('no column others.SSN');
    const { codes: _, ...others } = all;
    expect(failureOf(others)).toContain('no column codes');
    // The items of this result are the values of one column, whose name is in no path.
    const alone: TypeNode = { type: 'array', items: { type: 'array', items: person } };
    expect(enforced([sensitive('true')], columnsOf({ list: `${PERSON}[]` }), alone).outcome).toBe('filter');
  });
});

describe('the values of a completion', () => {
  const sight = (rules: readonly PolicyRule[], column: string, user: User | null = ALICE) =>
    sightOfCompletion(compilePolicies(policies({ output: rules }), scope()), column, user, CLOCK);

  // Requirements: noninterference.completion
  it.each([
    [[deny("user.role == 'analyst'")], 'hidden'],
    [[deny("user.role == 'boss'")], 'shown'],
    [[deny('size(response) > 0')], 'shown'],
    [[mask('size(response) > 0', 'pay')], 'shown'],
    [[deny('user.claims.missing')], 'hidden'],
    [[deny("now() > timestamp('2020-01-01T00:00:00Z')")], 'hidden'],
    [[deny("now() < timestamp('2020-01-01T00:00:00Z')")], 'shown'],
    [[deny('not an expression')], 'shown'],
    [[mask('true', 'PAY')], 'hidden'],
    [[mask('true', 'other', 'pay')], 'hidden'],
    [[mask('false', 'pay')], 'shown'],
    [[filter('true', 'pay.part')], 'hidden'],
    [[filter('true', 'payment', 'part.pay')], 'unsure'],
    [[filter('false', 'payment')], 'shown'],
    [[filter('true', 'payment'), deny('false')], 'unsure'],
    [[filter('true', 'payment'), deny('true')], 'hidden'],
    [[deny('false'), filter('true', 'pay')], 'hidden'],
    [[], 'shown'],
  ] as const)('are judged by %j: %s', (rules, expected) => {
    expect(sight(rules, 'Pay')).toBe(expected);
  });

  it('are hidden if the whole result, its rows or lists in it are sensitive', () => {
    const ssn: TypeNode = { type: 'string', sensitive: true };
    const person: TypeNode = { type: 'object', properties: { ssn } };
    const open: TypeNode = { type: 'object', properties: { n: { type: 'integer' } } };
    const listOf = (items: TypeNode): TypeNode => ({ type: 'array', items });
    const sight = (returns: TypeNode, rule = sensitive('true')) =>
      sightOfCompletion(
        compilePolicies(policies({ output: [rule] }), { ...scope(), returns }),
        'id',
        null,
        CLOCK,
      );
    for (const returns of [
      { ...open, sensitive: true },
      { ...listOf(person), sensitive: true },
    ])
      expect(sight(returns)).toBe('hidden');
    expect(sight(listOf({ ...person, sensitive: true }))).toBe('hidden');
    expect(sight(listOf(listOf(person)))).toBe('hidden');
    expect(sight(listOf(person))).toBe('unsure');
    expect(sight(listOf(ssn), sensitive('false'))).toBe('shown');
    expect(sight({ ...open, sensitive: true }, mask('true', 'n'))).toBe('unsure');
  });

  it('are hidden with the column that they are a part of', () => {
    expect(sight([filter('true', 'pay')], 'Pay.net')).toBe('hidden');
    expect(sight([filter('true', 'Pay.net')], 'pay.net')).toBe('hidden');
    expect(sight([filter('true', 'pay')], 'payment')).toBe('unsure');
  });
});

describe('an edited result', () => {
  it('has a condition that reads the time', () => {
    const rule = deny(
      "now() > timestamp('2026-01-31T14:00:00Z') && now() < timestamp('2026-01-31T15:00:00Z')",
    );
    expect(edit([rule], [{ n: 1 }]).decision).toMatchObject({ outcome: 'deny', failure: null });
    const over = deny("now() > timestamp('2026-01-31T15:00:00Z')");
    expect(edit([over], [{ n: 1 }]).decision.outcome).toBe('allow');
  });

  it('gives the reason of an author only for a rule that denies', () => {
    const rule = { ...mask("user.email.endsWith('x')", 'n'), reason: 'Sign in.' };
    const { decision } = edit([rule], [{ n: 1 }], { user: { ...ALICE, email: null } });
    expect(decision.reason).toBe(FAILED);
  });

  it('is denied or edited by a rule that names fields beside its action', () => {
    const fields = ['gone'];
    expect(edit([{ ...deny('true', 'No.'), fields }], { a: 1 }).decision.reason).toBe('No.');
    const returns: TypeNode = { type: 'object', properties: { a: { type: 'integer', sensitive: true } } };
    expect(edit([{ ...sensitive('true'), fields }], { a: 1 }, { returns }).value).toEqual({});
  });

  it.each<[JsonValue, string, boolean]>([
    ['abc', '0', false],
    ['abc', 'length', false],
    [7, 'n', false],
    [null, 'n', true],
    [[], 'n', true],
    [[{ a: 1 }, { n: 1 }], 'N', true],
    [{ a: { b: 1 } }, 'a.b', true],
    [{ a: { b: 1 } }, 'a.c', false],
    [{ a: { b: 1 } }, 'ab', false],
  ])('of %j has the field %s: %s', (value, field, expected) => {
    expect(hasField(value, field)).toBe(expected);
  });

  it('declares a field at any depth', () => {
    const node: TypeNode = {
      type: 'array',
      items: { type: 'object', properties: { A: { type: 'object', properties: { b: { type: 'string' } } } } },
    };
    expect(['a', 'a.B', 'a.c', 'b', 'a.b.c'].map((path) => declaresField(node, path))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(declaresField(null, 'a')).toBe(false);
  });

  it.each([
    [{ Name: { type: 'string' }, NAME: { type: 'string', sensitive: true } }],
    [{ NAME: { type: 'string', sensitive: true }, Name: { type: 'string' } }],
  ] as const)('drops a field of any spelling if one declaration of %j is sensitive', (properties) => {
    expect(dropSensitive({ name: 'x', n: 1 }, { type: 'object', properties })).toEqual({ n: 1 });
  });

  it('keeps the items of a list without a declaration', () => {
    expect(dropSensitive([1, { a: 2 }], { type: 'array' })).toEqual([1, { a: 2 }]);
    expect(dropSensitive([1], { type: 'array', items: { type: 'integer', sensitive: true } })).toEqual([]);
  });
});
