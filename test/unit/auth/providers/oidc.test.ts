import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { answers } from '../../../idp/faults.ts';
import { createKeycloakIdp, type KeycloakIdp } from '../../../idp/keycloak.ts';
import { blockOf, failureOf, identityOf, providerOf, signal, signIn, TRIP, tokensOf } from './fixture.ts';

let idp: KeycloakIdp;

beforeAll(async () => {
  idp = await createKeycloakIdp();
  idp.client.redirects.push(TRIP.redirectUri);
  idp.start();
});
afterAll(() => idp.close());

const ROUTE = 'GET /realms/main/.well-known/openid-configuration';
const urlOf = () => `${idp.issuer}/.well-known/openid-configuration`;
const oidc = (more: Partial<ProviderBlock> = {}, ports = {}) =>
  providerOf(blockOf('oidc', idp.client, { config_url: urlOf(), ...more }), ports);

test('a login by discovery gives the claims; roles in the access token are not looked at', async () => {
  const provider = oidc({ provider_name: 'acme', claim_mappings: { groups: { staff: ['role:staff'] } } });
  expect(provider.id).toBe('acme');
  expect(await identityOf(provider)).toMatchObject({
    id: 'ada',
    email: 'ada@example.com',
    groups: ['staff', 'staff/admins'],
    role: 'staff',
    claims: { department: 'engines' },
  });
  expect(oidc().id).toBe('oidc');
});

test('the issuer by itself is enough of an address', async () => {
  expect((await identityOf(oidc({ config_url: idp.issuer }))).id).toBe('ada');
});

test('a discovery document is read at the address as it is written, with its query', async () => {
  const asked: string[] = [];
  const config_url = `${urlOf()}?appid=1&p=a%20b`;
  const provider = oidc(
    { config_url },
    {
      fetch: (url: string, init?: RequestInit) => {
        asked.push(url);
        return fetch(url, init);
      },
    },
  );
  expect(provider.issuer).toBe(idp.issuer);
  expect((await identityOf(provider)).id).toBe('ada');
  expect(asked[0]).toBe(config_url);
});

test('audience and further parameters go along', async () => {
  const { searchParams } = await oidc({
    audience: 'https://api.example',
    extra_authorize_params: { acr_values: 'mfa' },
  }).authorizationUrl(TRIP);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    audience: 'https://api.example',
    acr_values: 'mfa',
  });
});

// Requirements: provider-detail.offline
test('offline access is asked for where it can be kept, and consented to', async () => {
  const provider = oidc({}, { offline: true });
  const { searchParams } = await provider.authorizationUrl(TRIP);
  expect(searchParams.get('scope')).toBe('openid profile email offline_access');
  expect(searchParams.get('prompt')).toBe('consent');
  const tokens = await tokensOf(provider);
  const fresh = await provider.refresh(tokens.refreshToken ?? '', signal());
  expect((await provider.identify(fresh, null, signal())).id).toBe('ada');
  await provider.revoke?.(fresh, signal());
  await failureOf(provider.refresh(fresh.refreshToken ?? '', signal()), 'login_refused');
});

test('a server that says it names itself must', async () => {
  const provider = oidc();
  await provider.enforceIssuer?.((await signIn(provider)).searchParams.get('iss'));
  await failureOf(provider.enforceIssuer?.(null) ?? Promise.resolve(), 'login_refused');
});

test('the description is read once an hour, and outlives an outage', async () => {
  let now = Date.now();
  const provider = oidc({}, { now: () => now });
  const count = () => idp.requests.filter((route) => route === ROUTE).length;
  const before = count();
  await provider.authorizationUrl(TRIP);
  await provider.authorizationUrl(TRIP);
  expect(count()).toBe(before + 1);
  now += 3_600_001;
  idp.fail(ROUTE, answers(503));
  await provider.authorizationUrl(TRIP);
  expect(count()).toBe(before + 2);
  // whoever comes next does not wait for it again
  idp.fail(ROUTE, answers(503));
  await provider.authorizationUrl(TRIP);
  expect(count()).toBe(before + 2);
  now += 60_001;
  await provider.authorizationUrl(TRIP);
  expect(count()).toBe(before + 3);
  idp.heal();
});

test.each<[string, Record<string, unknown>]>([
  ['by another name', { issuer: 'https://evil.example' }],
  ['without a token address', { token_endpoint: undefined }],
  ['with an address that is none', { token_endpoint: 'javascript:alert(1)' }],
  ['with a list for an address', { jwks_uri: ['https://a.example'] }],
  ['without keys', { jwks_uri: null }],
  ['with no way to prove who we are', { token_endpoint_auth_methods_supported: ['private_key_jwt'] }],
])('a server that describes itself %s is for the operator to look at', async (_name, changes) => {
  const document = { ...(await (await fetch(urlOf())).json()), ...changes };
  idp.fail(ROUTE, answers(200, document));
  await failureOf(oidc().authorizationUrl(TRIP), 'config_invalid');
});

test('no description is for the operator to look at', async () => {
  const failure = await failureOf(
    oidc({ config_url: `${idp.origin}/nowhere` }).authorizationUrl(TRIP),
    'config_invalid',
  );
  expect(failure.message).toContain('404');
  expect(() => oidc({ scope: 'email' })).toThrow(/openid/);
});

test('the secret goes into the body where the server wants it there', async () => {
  const document = await (await fetch(urlOf())).json();
  const bodies: string[] = [];
  const provider = oidc(
    {},
    {
      fetch: async (url: string, init?: RequestInit) => {
        if (url === urlOf())
          return Response.json({
            ...document,
            token_endpoint_auth_methods_supported: ['client_secret_post'],
          });
        bodies.push(String(init?.body));
        return Response.json({ error: 'invalid_grant' }, { status: 400 });
      },
    },
  );
  await failureOf(provider.exchange('c', TRIP, signal()), 'login_refused');
  const { client } = idp;
  expect(new URLSearchParams(bodies[0]).get('client_secret')).toBe(client.secret);
});

test('a public client proves nothing', async () => {
  const headers: (string | null)[] = [];
  const provider = oidc(
    { client_secret: null, token_url: `${idp.origin}/token` },
    {
      fetch: async (url: string, init?: RequestInit) => {
        if (url === urlOf()) return fetch(url);
        headers.push(new Headers(init?.headers).get('authorization'));
        expect(new URLSearchParams(String(init?.body)).get('client_id')).toBe('svc');
        return Response.json({ error: 'invalid_grant' }, { status: 400 });
      },
    },
  );
  await failureOf(provider.exchange('c', TRIP, signal()), 'login_refused');
  expect(headers).toEqual([null]);
});
