import { describe, expect, it } from 'vitest';
import { checkCallerColumns } from '../../../../src/policy/checks/check.ts';
import { checkTableRules, columnsOfRows } from '../../../../src/policy/checks/tables.ts';
import type { TableRule } from '../../../../src/project/model.ts';
import { deny, filter, mask, policies } from '../fixtures.ts';

const found = (...rules: readonly TableRule[]) =>
  checkTableRules(rules).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the rules of tables', () => {
  it.each<TableRule>([
    { name: 't' },
    { name: 't', to: "user.role == 'boss'" },
    { name: 't', to: 'user.claims.level > 3', rows: 'level == user.claims.level' },
    { name: 't', rows: 'region in user.groups && !(day == null)', hide: ['a'], mask: ['b'] },
    { name: 't', rows: 'true' },
    { name: 't', rows: "user != null && 'email' in user && a == 1" },
    { name: 't', rows: "region == user['username']" },
  ])('may be %j', (rule) => {
    expect(found(rule)).toEqual([]);
  });

  it.each<[Partial<TableRule>, string]>([
    [{ to: 'user.role ==' }, '0.to: The condition is not a valid CEL expression'],
    [{ to: 'region == 1' }, '0.to: The condition reads "region"'],
    [{ to: "user.emial == 'a'" }, '0.to: The condition reads "user.emial"'],
    [{ to: 'user.role' }, '0.to: The condition gives'],
    [{ to: 'user.email > 5' }, '0.to: The condition cannot be evaluated'],
    [{ rows: 'a ==' }, '0.rows: The condition is not a valid CEL expression'],
    [{ rows: 'a == user.emial' }, '0.rows: The condition reads "user.emial"'],
    [{ rows: "usr.role == 'manager'" }, '0.rows: The condition reads a field of usr'],
    [{ rows: 'a + 1 == 2' }, '0.rows: The condition calculates with a column'],
    [{ rows: 'a == nope()' }, '0.rows: The condition calls nope()'],
    [{ rows: "user != 'root'" }, '0.rows: The condition compares `user`'],
    [{ rows: 'a == 1 && user == user.username' }, '0.rows: The condition compares `user`'],
    [{ rows: "user in ['ada']" }, '0.rows: The condition compares `user`'],
    [{ rows: 'user == a' }, '0.rows: The condition compares `user`'],
    [{ rows: "'root' == user" }, '0.rows: The condition compares `user`'],
    [{ hide: ['Pay'], mask: ['b', 'PAY'] }, '0.mask: The column "PAY" is under `hide` and under `mask`.'],
  ])('must not be %j', (rule, message) => {
    const [issue, ...others] = found({ name: 't', ...rule });
    expect(issue).toContain(message);
    expect(others).toEqual([]);
  });

  it('are checked without a failure if a comparison has one operand', () => {
    expect(() => found({ name: 't', rows: 'user.contains()' })).not.toThrow();
  });

  it('are not all reached', () => {
    const never = 'The rule never applies, because an earlier rule for';
    expect(found({ name: 'a' }, { name: 'A', to: 'true' })).toEqual([
      expect.stringContaining(`1.name: ${never} A`),
    ]);
    expect(found({ name: 'a', to: 'true' }, { name: 'a' })).toEqual([]);
    expect(found({ name: 'a' }, { name: 'b' })).toEqual([]);
    expect(found({ name: 'a', to: 'true' }, { name: 'b' }, { name: 'a' }, { name: 'a' })).toEqual([
      expect.stringContaining('3.name:'),
    ]);
  });

  it('read columns', () => {
    expect(columnsOfRows({ name: 't', rows: 'a == user.email && .b in [c, a]' })).toEqual(['a', 'b', 'c']);
    expect(columnsOfRows({ name: 't', rows: 'a ==' })).toEqual([]);
    expect(columnsOfRows({ name: 't' })).toEqual([]);
  });
});

describe('rules about the columns of a statement that its caller writes', () => {
  it('can only deny', () => {
    const issues = checkCallerColumns(
      policies({ output: [deny('true'), filter('true', 'a'), mask('true', 'b')] }),
    );
    expect(issues.map(({ path }) => path)).toEqual([
      ['policies', 'output', 1, 'action'],
      ['policies', 'output', 2, 'action'],
    ]);
    expect(issues[0]?.message).toMatch(/^filter_fields cannot hold here/);
  });
});
