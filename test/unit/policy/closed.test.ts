import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../../src/project/model.ts';
import type { TypeNode } from '../../../src/types/node.ts';
import { ALICE, decide, deny, dropSensitive, edit, filter, mask } from './fixtures.ts';

const REASON = 'Access denied: a policy could not be evaluated.';
const NOBODY = { ...ALICE, email: null };

describe('a rule that cannot be evaluated', () => {
  it.each([
    ['an unknown key of the caller', "user.nope == 'x'"],
    ['a missing claim', 'user.claims.level < 3'],
    ['an unknown name', 'nope'],
    ['an unknown function', 'nope(1)'],
    ['a message of a protocol', 'Foo{a: 1} == 1'],
    ['a syntax error', 'user.role =='],
    ['an empty condition', ''],
    ['a text instead of true or false', 'user.role'],
    ['a type instead of true or false', 'string'],
    ['a timestamp instead of true or false', 'now()'],
    ['null instead of true or false', 'null'],
    ['types that do not compare', "1 < 'a'"],
    ['an index outside of a list', 'user.groups[9] == 1'],
    ['a division by zero', '1 / 0 == 1'],
    ['a time that is none', "timestamp('yesterday') < now()"],
    ['an unknown time zone', "now().getHours('Mars/Base') > 1"],
    ['a wrong pattern', "user.id.matches('(')"],
    ['a pattern that is not written down', 'user.id.matches(user.id)'],
    ['the name of something every object has', 'constructor'],
    ['a condition over 4,096 characters', `true ${'|| true '.repeat(600)}`],
    ['a condition nested too deep', `${'['.repeat(70)}1${']'.repeat(70)} == []`],
  ])('denies: %s', (_, condition) => {
    const user = { ...NOBODY, claims: {} };
    const decision = decide([deny(condition, 'not this reason')], { user });
    expect(decision).toMatchObject({ outcome: 'deny', rules: ['input[0]'], reason: REASON, evaluated: 1 });
    expect(decision.failure).toMatch(/^input\[0\]: (?!undefined)./);
  });

  // The provider may have sent 9007199254740993, which JSON cannot tell from 9007199254740992.
  it.each([
    ['account != user.claims.account', '9007199254740992'],
    ['!(account == user.claims.account)', '9007199254740992'],
    ['!(account in user.claims.accounts)', '9007199254740992'],
    ['account > user.claims.account', 5],
    ['user.claims.account != null && account > user.claims.account', 5],
    ['account == user.claims.account', '9007199254740993'],
    ['account in user.claims.accounts', '9007199254740993'],
    ['user.claims.account == 9007199254740992', 5],
    ["user.claims.account in [9007199254740992] && user.id != ''", 5],
    ['user.claims.accounts != [5]', 5],
    ['user.claims.accounts.exists(one, one == 9007199254740992)', 5],
    ['user.claims.deep.account == 9007199254740992', 5],
  ])('denies if a claim is a number that may be another one: %s', (condition, account) => {
    const user = { ...ALICE, claims: { account: 2 ** 53, accounts: [2 ** 53], deep: { account: 2 ** 53 } } };
    const parameters = [{ name: 'account', type: 'integer' as const }];
    expect(decide([deny(condition)], { args: { account }, parameters, user }).outcome).toBe('deny');
  });

  it('reads the other claims beside such a number', () => {
    const user = { ...ALICE, claims: { account: 2 ** 53, level: 3, list: [2 ** 53, 3] } };
    const rules = ['user.claims.level != 3', 'user.claims.level > 3 && user.claims.account == 1'].map(
      (rule) => deny(rule),
    );
    expect(decide(rules, { user }).outcome).toBe('allow');
  });

  it('has the reason in the log', () => {
    expect(decide([deny('')]).failure).toContain('not a valid CEL expression: it is empty');
    expect(decide([deny('user.role')]).failure).toContain('the condition gives a value of type string');
    expect(decide([deny('string')]).failure).toContain('the condition gives a type, not true or false');
  });

  it.each([
    ['without an e-mail address', NOBODY],
    ['who is not signed in', null],
  ])('denies a user %s with the reason of the rule, and the log says why', (_, user) => {
    const rule = deny("!user.email.endsWith('@acme.com')", 'Sign in with an address of acme.com.');
    const decisions = [decide([rule], { user }), edit([rule], { a: 1 }, { user }).decision];
    for (const decision of decisions) {
      expect(decision).toMatchObject({ outcome: 'deny', reason: 'Sign in with an address of acme.com.' });
      expect(decision.failure).toMatch(/^(in|out)put\[0\]: ./);
    }
  });

  it.each([
    ['a null of the arguments', "text.endsWith('x')", { text: null }],
    ['another error beside the null', "!user.email.endsWith('x') && user.nope == 1", {}],
    ['a claim that is missing', "!user.claims.mail.endsWith('x')", {}],
  ])('keeps the general reason for %s', (_, condition, args) => {
    const decision = decide([deny(condition, 'not this reason')], { user: NOBODY, args });
    expect(decision).toMatchObject({ outcome: 'deny', reason: REASON });
  });

  it('keeps the general reason if the rule has none', () => {
    const decision = decide([deny("!user.email.endsWith('x')")], { user: NOBODY });
    expect(decision).toMatchObject({ outcome: 'deny', reason: REASON });
  });

  it.each([
    ['filter', filter("user.email.endsWith('x')", 'a')],
    ['mask', mask("user.email.endsWith('x')", 'a')],
    ['drop sensitive', dropSensitive("user.email.endsWith('x')")],
  ])('denies where it should %s', (_, rule: PolicyRule) => {
    const returns: TypeNode = { type: 'object', properties: { a: { type: 'integer', sensitive: true } } };
    const { value, decision } = edit([rule], { a: 1 }, { user: NOBODY, returns });
    expect(value).toBeNull();
    expect(decision).toMatchObject({ outcome: 'deny', rules: ['output[0]'], reason: REASON });
  });

  it.each([
    ['a field action on the input', 'input', filter('false', 'a')],
    ['a field action without fields', 'output', { condition: 'false', action: 'mask_fields' }],
    ['sensitive fields of an undeclared result', 'output', dropSensitive('false')],
    ['sensitive fields of a result without any', 'output', dropSensitive('false'), { type: 'object' }],
  ] as const)('denies what cannot do what it says: %s', (_, side, rule, returns: TypeNode | null = null) => {
    const decision = side === 'input' ? decide([rule]) : edit([rule], { a: 1 }, { returns }).decision;
    expect(decision).toMatchObject({ outcome: 'deny', reason: REASON, rules: [`${side}[0]`] });
  });

  it('does not deny where the answer does not depend on the error', () => {
    expect(
      decide([deny("user.role == 'analyst' || user.email.endsWith('x')", 'r')], { user: NOBODY }).reason,
    ).toBe('r');
    expect(decide([deny("user.role == 'admin' && user.email.endsWith('x')")], { user: NOBODY }).outcome).toBe(
      'allow',
    );
    expect(decide([deny("has(user.email) && user.email.endsWith('x')")], { user: NOBODY }).outcome).toBe(
      'allow',
    );
  });

  // Requirements: endpoint.policies, provider-detail.domain
  it('lets somebody with the right e-mail in, and nobody else', () => {
    const rule = [deny("!user.email.endsWith('@acme.com')")];
    expect(decide(rule, { user: ALICE }).outcome).toBe('allow');
    expect(decide(rule, { user: { ...ALICE, email: 'eve@evil.com' } }).outcome).toBe('deny');
    expect(decide(rule, { user: null }).outcome).toBe('deny');
  });
});
