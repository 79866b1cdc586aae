import { expect, test } from 'vitest';
import { toGrants, toIdentity } from '../../../src/auth/identity.ts';
import { toOpenIdProfile } from '../../../src/auth/upstream/openid.ts';
import type { JsonObject } from '../../../src/json.ts';

const held = (claims: JsonObject, path: string, value: string) =>
  toGrants(claims, { [path]: { [value]: ['yes'] } }).capabilities.length === 1;

test.each<[JsonObject, string, string]>([
  [{ department: 'engines' }, 'department', 'engines'],
  [{ roles: ['a', 'b'] }, 'roles', 'b'],
  [{ roles: 'a b' }, 'roles', 'b'],
  [{ scope: 'a b' }, 'scope', 'a'],
  [{ staff: true }, 'staff', 'true'],
  [{ level: 3 }, 'level', '3'],
  [{ tenant: 9_007_199_254_740_991 }, 'tenant', '9007199254740991'],
  [{ tenant: '9007199254740993' }, 'tenant', '9007199254740993'],
  [{ realm_access: { roles: ['admin'] } }, 'realm_access.roles', 'admin'],
  [{ 'https://acme.example/roles': ['admin'] }, 'https://acme.example/roles', 'admin'],
  [{ resource_access: { 'my.app': { roles: ['admin'] } } }, 'resource_access.my.app.roles', 'admin'],
  [{ 'a.b': 'flat', a: { b: 'nested' } }, 'a.b', 'flat'],
  [{ cloud_ids: [{ id: '1' }, { id: '2' }] }, 'cloud_ids.id', '2'],
])('%j holds at %s the value %s', (claims, path, value) => {
  expect(held(claims, path, value)).toBe(true);
});

test.each<[JsonObject, string, string]>([
  [{ department: 'engines' }, 'department', 'Engines'],
  [{ name: 'Ada admin' }, 'name', 'admin'],
  [{ groups: ['not admin'] }, 'groups', 'admin'],
  [{ realm_access: null }, 'realm_access.roles', 'admin'],
  [{ a: {} }, 'a', '[object Object]'],
  [{}, 'constructor.name', 'Object'],
  [{}, '__proto__', 'null'],
  [{ a: null }, 'a', 'null'],
  [{ a: 'x' }, '', 'x'],
  [JSON.parse('{"tenant":9007199254740993}'), 'tenant', '9007199254740992'],
  [JSON.parse('{"tenants":[-9007199254740993]}'), 'tenants', '-9007199254740992'],
  [JSON.parse('{"tenant":1000000000000000000000001}'), 'tenant', '1e+24'],
])('%j holds at %s nothing like %s', (claims, path, value) => {
  expect(held(claims, path, value)).toBe(false);
});

// Requirements: user.permissions, user.role
test('role and permissions are named in what a claim grants; the first role counts', () => {
  const claims = { groups: ['a', 'b'] };
  const mappings = {
    groups: { a: ['role:admin', 'export'], b: ['role:guest', 'permission:orders.read', 'export'] },
  };
  expect(toGrants(claims, mappings)).toEqual({
    role: 'admin',
    permissions: ['orders.read'],
    capabilities: ['export'],
  });
});

// Requirements: user.permissions, user.role
test('only mappings give a role and permissions; claims of these names are claims', () => {
  const named = { role: 'admin', permissions: ['a'] };
  const profile = toOpenIdProfile({ sub: '1', ...named, groups: ['/ops'] });
  const unmapped = toIdentity(profile);
  expect(unmapped).toMatchObject({ role: null, permissions: [], groups: ['ops'], claims: named });
  const mappings = { role: { admin: ['role:boss'] }, permissions: { a: ['permission:b'] } };
  expect(toIdentity(profile, mappings)).toMatchObject({ role: 'boss', permissions: ['b'], claims: named });
});

test('policies see claims that mean something, not those of the protocol', () => {
  const { claims, email, username } = toOpenIdProfile({
    ...{ sub: '1', iss: 'i', aud: 'a', exp: 1, nonce: 'n', at_hash: 'h', picture: 'p', address: {} },
    ...{ email: 'a@b.example', tenant: 't', level: 2, flags: ['x'] },
  });
  expect(claims).toEqual({ tenant: 't', level: 2, flags: ['x'], email_unverified: 'a@b.example' });
  expect({ email, username }).toEqual({ email: null, username: null });
});

// Requirements: user.email
test('an address is verified only when the provider says so', () => {
  const of = (email_verified: JsonObject[string]) =>
    toOpenIdProfile({ sub: '1', email: 'a@b.example', email_verified }).email;
  expect([true, 'true'].map(of)).toEqual(['a@b.example', 'a@b.example']);
  expect([false, 'false', null, 1, 'yes', {}].map(of)).toEqual([null, null, null, null, null, null]);
});
