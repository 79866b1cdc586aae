import { describe, expect, test } from 'vitest';
import { heldScopes, toMemberFacts, wantedFacts } from '../../../src/auth/held-scopes.ts';
import { type ProviderProfile, toIdentity } from '../../../src/auth/identity.ts';
import type { Members } from '../../../src/settings/model.ts';
import { grantTo, membersOf } from './fixture.ts';

const PROFILE: ProviderProfile = {
  id: '1',
  username: 'ada',
  email: 'ada@example.com',
  name: null,
  groups: ['staff/admins'],
  organizations: ['acme'],
  claims: {},
  mapped: {
    realm_access: { roles: ['analyst', 'not admin'] },
    scope: 'a:b c:d',
    level: 2,
    tenant: { id: 't' },
  },
};

/** The scopes of a user under one grant of `x`. */
function held(rule: Partial<Members>, profile: Partial<ProviderProfile> = {}) {
  const rules = { allow: null, grants: grantTo(rule, 'x') };
  return heldScopes(rules, toMemberFacts(toIdentity({ ...PROFILE, ...profile }), rules));
}

describe('a user holds a scope', () => {
  test.each<[string, Partial<Members>]>([
    ['address', { emails: ['Ada@Example.com'] }],
    ['domain', { domains: ['EXAMPLE.com'] }],
    ['group', { groups: ['staff/admins'] }],
    ['organisation', { organizations: ['acme'] }],
    ['role', { claims: { 'realm_access.roles': ['analyst'] } }],
    ['word of the scope', { claims: { scope: ['c:d'] } }],
    ['number', { claims: { level: ['2'] } }],
    ['one of several rules', { groups: ['none'], emails: ['ada@example.com'] }],
  ])('by %s', (_name, rule) => {
    expect(held(rule)).toEqual(['svc:access', 'x']);
  });

  test.each<[string, Partial<Members>, Partial<ProviderProfile>?]>([
    [
      'an address that is not verified',
      { emails: ['ada@example.com'], domains: ['example.com'] },
      { email: null },
    ],
    ['a part of a domain', { domains: ['ample.com', 'www.example.com'] }],
    ['a letter that looks alike', { emails: ['kit@example.com'] }, { email: '\u212Ait@example.com' }],
    ['a group above or beside', { groups: ['staff', 'Staff/admins', 'admins'] }],
    ['words of an item of a list', { claims: { 'realm_access.roles': ['admin'] } }],
    ['a claim of another shape', { claims: { tenant: ['t', '[object Object]'], realm_access: ['analyst'] } }],
    ['a claim that is inherited', { claims: { 'constructor.name': ['Object'], toString: ['x'] } }],
    [
      'a number that JSON may have rounded to that of the rule',
      { claims: { level: ['9007199254740992'] } },
      { mapped: JSON.parse('{"level":9007199254740993}') },
    ],
    ['an empty rule', {}],
  ])('never by %s', (_name, rule, profile) => {
    expect(held(rule, profile)).toEqual(['svc:access']);
  });
});

// Requirements: own.allow
test('whom `allow` does not name holds nothing at all, and an empty rule names nobody', () => {
  const of = (allow: Members | null) => {
    const rules = { allow, grants: grantTo({ groups: ['staff/admins'] }, 'x') };
    return heldScopes(rules, toMemberFacts(toIdentity(PROFILE), rules));
  };
  expect(of(null)).toEqual(['svc:access', 'x']);
  expect(of(membersOf({ organizations: ['acme'] }))).toEqual(['svc:access', 'x']);
  expect(of(membersOf({ organizations: ['other'] }))).toBeNull();
  expect(of(membersOf({}))).toBeNull();
});

test('tokens carry only values of claims that a rule names', () => {
  const rules = {
    allow: null,
    grants: grantTo({ claims: { 'realm_access.roles': ['analyst', 'boss'] } }, 'x'),
  };
  const { claims } = toMemberFacts(toIdentity(PROFILE), rules);
  expect(claims).toEqual({ 'realm_access.roles': ['analyst'] });
});

test('the provider learns which facts to find out', () => {
  const grants = grantTo({ groups: ['a'], claims: { permission_sets: ['p'] } }, 'x');
  expect(wantedFacts({ allow: membersOf({ emails: ['a@b.c'] }), grants })).toEqual([
    'groups',
    'permission_sets',
  ]);
});
