import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { answers } from '../../../idp/faults.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import { blockOf, failureOf, identityOf, providerOf, signal, signIn, TRIP, tokensOf } from './fixture.ts';

let idp: KeycloakIdp;
let old: KeycloakIdp;

beforeAll(async () => {
  [idp, old] = [await createKeycloakIdp(), await createKeycloakIdp({ prefix: '/auth' })];
  for (const one of [idp, old]) {
    one.client.redirects.push(TRIP.redirectUri);
    one.start();
  }
});
afterAll(async () => {
  await idp.close();
  await old.close();
});

const keycloak = (more: Partial<ProviderBlock> = {}, at = idp) =>
  providerOf(blockOf('keycloak', at.client, { server_url: at.serverUrl, realm: at.realm, ...more }));

// Requirements: provider-block.realm, provider.keycloak, user.groups
test('a login gives the claims, the groups without their first slash, and the roles', async () => {
  const mappings = {
    'realm_access.roles': { analyst: ['role:analyst', 'report'] },
    department: { engines: ['build'] },
  };
  expect(await identityOf(keycloak({ claim_mappings: mappings }))).toEqual({
    id: 'ada',
    username: 'ada',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    groups: ['staff', 'staff/admins'],
    role: 'analyst',
    permissions: [],
    capabilities: ['report', 'build'],
    domains: ['example.com'],
    organizations: [],
    mapped: expect.objectContaining({ realm_roles: ['analyst'], client_roles: ['reader'] }),
    claims: { department: 'engines', realm_roles: ['analyst'], client_roles: ['reader'] },
  });
});

// Requirements: provider-block.realm
test('old servers have /auth before their realms', async () => {
  expect((await identityOf(keycloak({}, old))).id).toBe('ada');
  expect((await identityOf(keycloak({ server_url: `${old.serverUrl}/` }, old))).id).toBe('ada');
});

test('an address that is not verified is none', async () => {
  idp.users.eve = { email: 'ada@example.com', email_verified: false, role: 'admin' };
  const mappings = { email: { 'ada@example.com': ['role:admin'] } };
  expect(await identityOf(keycloak({ claim_mappings: mappings }), { user: 'eve' })).toMatchObject({
    id: 'eve',
    email: null,
    role: null,
    claims: { email_unverified: 'ada@example.com' },
  });
});

test.each([
  ['a list of aliases', ['acme', 'other'], ['acme', 'other']],
  ['a map by alias', { acme: { id: '1' } }, ['acme']],
  ['another shape', [{ name: 'acme' }, 7], []],
])('organisations are %s', async (_name, organization, expected) => {
  idp.users.ada = { ...idp.users.ada, organization };
  expect((await identityOf(keycloak())).organizations).toEqual(expected);
  Reflect.deleteProperty(idp.users.ada, 'organization');
});

test('the callback names the realm, and nobody else', async () => {
  const provider = keycloak();
  const issuer = (await signIn(provider)).searchParams.get('iss');
  expect(issuer).toBe(idp.issuer);
  await provider.enforceIssuer?.(issuer);
  await provider.enforceIssuer?.(null);
  await failureOf(provider.enforceIssuer?.(old.issuer) ?? Promise.resolve(), 'login_refused');
});

test('a refresh token stays and works until it is ended', async () => {
  const provider = keycloak();
  const tokens = await tokensOf(provider);
  const fresh = await provider.refresh(tokens.refreshToken ?? '', signal());
  expect(fresh.refreshToken).toBe(tokens.refreshToken);
  expect((await provider.identify(fresh, null, signal())).claims.realm_roles).toEqual(['analyst']);
  await provider.revoke?.(fresh, signal());
  await failureOf(provider.refresh(tokens.refreshToken ?? '', signal()), 'login_refused');
});

test('a code that is replayed is refused, and what it opened ends', async () => {
  const provider = keycloak();
  const code = (await signIn(provider)).searchParams.get('code') ?? '';
  const tokens = await provider.exchange(code, TRIP, signal());
  await failureOf(provider.exchange(code, TRIP, signal()), 'login_refused');
  await failureOf(provider.refresh(tokens.refreshToken ?? '', signal()), 'login_refused');
});

// Requirements: provider-block.client_secret
test('a wrong secret, and a server under another name, are the operator’s to mend', async () => {
  await failureOf(tokensOf(keycloak({ client_secret: 'planted' })), 'config_invalid');
  const named = keycloak({
    server_url: idp.serverUrl.replace('127.0.0.1', 'localhost'),
    auth_url: `${idp.issuer}/protocol/openid-connect/auth`,
  });
  const failure = await failureOf(identityOf(named), 'config_invalid');
  expect(failure.message).toContain('issuer');
});

test('the secret that HTTP Basic would garble is form-encoded', () => {
  expect(idp.client.secret).toMatch(/[+%]/);
});

test('roles in a token that nobody signed are none', async () => {
  const provider = keycloak();
  const tokens = await tokensOf(provider);
  const [head, , tail] = tokens.accessToken.split('.');
  const claims = { iss: idp.issuer, typ: 'Bearer', realm_access: { roles: ['admin'] } };
  const forged = Buffer.from(JSON.stringify(claims)).toString('base64url');
  for (const accessToken of [`${head}.${forged}.${tail}`, 'opaque']) {
    idp.fail('GET /realms/main/protocol/openid-connect/userinfo', answers(200, { sub: 'ada' }));
    const identity = await provider.identify({ ...tokens, accessToken }, TRIP.nonce, signal());
    expect(identity.claims).toMatchObject({ realm_roles: [], client_roles: [] });
  }
});

// Requirements: provider-block.scope
test('scope needs openid, and the block its realm', () => {
  expect(() => keycloak({ scope: 'profile' })).toThrow(/openid/);
  const { client } = idp;
  expect(() => providerOf(blockOf('keycloak', client, { server_url: 'https://id.example' }))).toThrow(
    /realm/,
  );
});
