import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/context.ts';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import { decisionAfter, NO_DECISION } from '../../../src/policy/decision.ts';
import { restrictTables } from '../../../src/policy/tables/restrict.ts';
import { holds } from '../../../src/policy/when.ts';
import type { RowCondition } from '../../../src/ports.ts';
import type { TableRule } from '../../../src/project/model.ts';
import { ALICE, CLOCK } from './fixtures.ts';

const tables = (rules: readonly TableRule[], user: User | null = ALICE) => restrictTables(rules, user, CLOCK);

function rowsOf(rows: string, claims: JsonObject = ALICE.claims): RowCondition | null {
  const [table] = tables([{ name: 't', rows }], { ...ALICE, claims });
  if (table === undefined) throw new Error('no such table');
  return table.rows;
}

const column = (name: string) => ({ column: name });
const compared = (left: string, operator: string, value: unknown) => ({
  left: column(left),
  operator,
  right: { value },
});
const UNKNOWN = { is: null };

describe('the rows of a table', () => {
  it.each<[string, unknown]>([
    ['a == 1', compared('a', '=', 1n)],
    ['a != 1', compared('a', '<>', 1n)],
    ['a < 1', compared('a', '<', 1n)],
    ['a <= 1', compared('a', '<=', 1n)],
    ['a > 1.5', compared('a', '>', 1.5)],
    ['a >= 1', compared('a', '>=', 1n)],
    ['1 >= a', { left: { value: 1n }, operator: '>=', right: column('a') }],
    ['.a == b', { left: column('a'), operator: '=', right: column('b') }],
    ["a.startsWith('x')", compared('a', 'starts_with', 'x')],
    ["a.endsWith('x')", compared('a', 'ends_with', 'x')],
    ["a.contains('x')", compared('a', 'contains', 'x')],
    ['a == true', compared('a', '=', true)],
    ['a', column('a')],
    ['!a', { not: column('a') }],
    ['a == null', { missing: column('a') }],
    ['null != a', { not: { missing: column('a') } }],
    ['a < null', UNKNOWN],
    ["a in ['x', 'y']", compared('a', 'in', { list: ['x', 'y'] })],
    ["a in ['x', null]", { some: [compared('a', 'in', { list: ['x'] }), UNKNOWN] }],
    ["a in [null, 'x', 5]", { some: [compared('a', 'in', { list: ['x'] }), UNKNOWN] }],
    [
      "a in [2, 1.5, 'x']",
      { some: [compared('a', 'in', { list: [2n] }), compared('a', 'in', { list: [1.5] }), UNKNOWN] },
    ],
    ['a in [null]', UNKNOWN],
    ['a in []', { is: false }],
    ['a in [["x"], null]', { some: [compared('a', 'in', { list: [{ list: ['x'] }] }), UNKNOWN] }],
    ['a in user.email', UNKNOWN],
    ['a in b', { left: column('a'), operator: 'in', right: column('b') }],
    ['null in a', UNKNOWN],
    ['1 in a', { left: { value: 1n }, operator: 'in', right: column('a') }],
    ['a && b', { every: [column('a'), column('b')] }],
    ['a || b', { some: [column('a'), column('b')] }],
    ['a && false', { is: false }],
    ['a && true', { every: [column('a'), { is: true }] }],
    ['a || true', null],
    ['a || false', { some: [column('a'), { is: false }] }],
    ['a && user.claims.missing', { every: [column('a'), UNKNOWN] }],
    ['true', null],
    ['false', { is: false }],
    ['user.email', UNKNOWN],
    ['!(user.claims.missing && a)', { not: { every: [UNKNOWN, column('a')] } }],
    ['!(a || true)', { is: false }],
    ['!(a && user.claims.missing == 1 && false)', null],
    ['!(a == user.claims.missing)', UNKNOWN],
    ['user.claims.missing == a', UNKNOWN],
    ['a == user.email', compared('a', '=', 'alice@acme.com')],
    ['a == user.claims.level', compared('a', '=', 3n)],
    ['a == user.claims.team', UNKNOWN],
    ['a == nope(1)', UNKNOWN],
    ['a == Foo{b: 1}', UNKNOWN],
    ['nope(1) && a', { every: [UNKNOWN, column('a')] }],
  ])('%s', (rows, expected) => {
    expect(rowsOf(rows)).toEqual(expected);
  });

  it.each([
    [2 ** 53, UNKNOWN],
    [2 ** 53 - 1, compared('a', '=', 9_007_199_254_740_991n)],
    [1.5, compared('a', '=', 1.5)],
    [['x', 'y'], compared('a', '=', { list: ['x', 'y'] })],
    [null, UNKNOWN],
  ])('compare with the claim %j', (claim, expected) => {
    expect(rowsOf('a == user.claims.c', { c: claim })).toEqual(expected);
  });

  it('compare with every number of a list, whole or not', () => {
    const inside = [compared('a', 'in', { list: [2n, 3n] }), compared('a', 'in', { list: [1.5] })];
    expect(rowsOf('a in user.claims.c', { c: [1.5, 2, 3] })).toEqual({ some: inside });
  });

  it('are not outside of a list with a number that may be another one', () => {
    const inside = compared('a', 'in', { list: [3n] });
    expect(rowsOf('a in user.claims.c', { c: [2 ** 53, 3] })).toEqual({ some: [inside, UNKNOWN] });
    expect(rowsOf('!(user.claims.c == 5)', { c: 2 ** 53 })).toEqual(UNKNOWN);
  });

  it.each(['a + 1 == 2', 'a.b == 1', '[1].exists(i, i == a)', 'size(a) == 1', 'a.matches("x")', 'a ? b : a'])(
    'are not shown if SQL cannot evaluate %s',
    (rows) => {
      expect(() => rowsOf(rows)).toThrow('cannot be used');
    },
  );

  it.each([
    ['[a]', 'has a part about columns that SQL cannot evaluate'],
    ['a.b', 'has a part about columns that SQL cannot evaluate'],
    ['a.startsWith()', 'uses startsWith on a column'],
    ['-a == 1', 'calculates with a column'],
    ['a + user.id == 1', 'calculates with a column'],
    ['users + 1 == 1', 'calculates with a column'],
    ["address.city == 'Bern'", 'calculates with a column'],
    ["{'mine': user.id, 'own': a}.own == 'x'", 'calculates with a column'],
    [
      "usr.role == 'manager'",
      'The condition reads a field of usr, which only `user` has. Did you mean user?',
    ],
  ])('are not shown for %s, and the error says why', (rows, message) => {
    expect(() => rowsOf(rows)).toThrow(message);
  });

  it('are found with a budget for each part of the condition', () => {
    const claims = { few: Array(15).fill(1), many: Array(9_999).fill(1) };
    const loop = 'user.claims.few.all(x, user.claims.many.all(y, true))';
    const same = compared('a', '=', true);
    expect(rowsOf(`a == ${loop} && a == ${loop}`, claims)).toEqual({ every: [same, same] });
    const more = { ...claims, few: Array(21).fill(1) };
    expect(rowsOf(`a == ${loop}`, more)).toEqual(UNKNOWN);
  });

  it('are not shown if the condition is no expression', () => {
    expect(() => rowsOf('a ==')).toThrow('cannot be used');
  });
});

describe('the tables of a caller', () => {
  it('are those of the first rule that is for the caller, in any spelling', () => {
    const rules: readonly TableRule[] = [
      { name: 'staff', to: "user.role == 'boss'" },
      { name: 'Staff', hide: ['pay'], mask: ['ssn'] },
      { name: 'STAFF', to: 'user.claims.missing == 1' },
      { name: 'other', to: "'finance' in user.groups", rows: 'true' },
      { name: 'closed', to: 'false' },
    ];
    expect(tables(rules)).toEqual([
      { name: 'Staff', rows: null, hide: ['pay'], mask: { ssn: '****' } },
      { name: 'other', rows: null, hide: [], mask: {} },
    ]);
    expect(tables(rules, { ...ALICE, role: 'boss' })[0]).toEqual({
      name: 'staff',
      rows: null,
      hide: [],
      mask: {},
    });
  });

  it('are none if a `to` cannot be evaluated', () => {
    const rules = [{ name: 'a' }, { name: 'b', to: 'user.claims.missing == 1' }];
    expect(() => tables(rules)).toThrow(
      expect.objectContaining({
        code: 'denied',
        detail: { rule: 'tables[1]' },
        message: expect.stringContaining('policy'),
      }),
    );
  });

  it('may depend on the time', () => {
    const at = (time: string) => tables([{ name: 'a', to: `now() == timestamp('${time}')` }]).length;
    expect([at('2026-01-31T14:30:00Z'), at('2026-01-31T14:31:00Z')]).toEqual([1, 0]);
    expect(rowsOf("now() > timestamp('2026-01-01T00:00:00Z') && a")).toEqual({
      every: [{ is: true }, column('a')],
    });
  });
});

describe('a condition outside of policies', () => {
  const given = {
    parameters: [{ name: 'n', type: 'integer' as const }],
    values: { n: 3 },
    user: ALICE,
    now: () => 0,
  };

  it('is true, false, or cannot be evaluated', () => {
    expect([holds('n > 2', given), holds('n > 3', given), holds('n > 2', given)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(holds('missing > 3', given)).toBeNull();
    expect(holds('n > 2', { ...given, values: { n: null } })).toBeNull();
  });
});

describe('the decision of a call that failed', () => {
  const denied = new SvcError('denied', 'No.', { detail: { rule: 'input[0]' } });

  it('is a denial if a rule denied something inside', () => {
    expect(decisionAfter(denied, NO_DECISION)).toEqual({ ...NO_DECISION, outcome: 'deny', reason: 'No.' });
    const before = { ...NO_DECISION, outcome: 'deny' as const, reason: 'First.' };
    expect(decisionAfter(denied, before)).toBe(before);
  });

  it.each([
    new SvcError('denied', 'A person declined.'),
    new SvcError('denied', 'A person declined.', { detail: {} }),
    new SvcError('internal', 'x', { detail: { rule: 'input[0]' } }),
  ])('stays as it was for another failure', (error) => {
    expect(decisionAfter(error, NO_DECISION)).toBe(NO_DECISION);
  });
});
