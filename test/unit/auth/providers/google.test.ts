import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { answers } from '../../../idp/faults.ts';
import { createGoogleIdp, type GoogleIdp } from '../../../idp/google.ts';
import { createSigner } from '../../../idp/signer.ts';
import { blockOf, failureOf, identityOf, providerOf, signal, signIn, TRIP, tokensOf } from './fixture.ts';

let idp: GoogleIdp;

beforeAll(async () => {
  idp = await createGoogleIdp();
});
afterAll(() => idp.close());

const google = (more: Partial<ProviderBlock> = {}, offline = false) => {
  const urls = { auth_url: `${idp.origin}/o/oauth2/v2/auth`, token_url: `${idp.origin}/token` };
  return providerOf(blockOf('google', idp.client, { ...urls, ...more }), { offline });
};

// Requirements: oauth.default-scope, provider.google
test('a login gives the subject, the address and the domain, all from the id token', async () => {
  const before = idp.requests.length;
  expect(google().scopes).toEqual(['openid', 'email', 'profile']);
  expect(await identityOf(google())).toEqual({
    id: '1081815',
    username: 'ada@example.com',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    groups: [],
    role: null,
    permissions: [],
    capabilities: [],
    domains: ['example.com'],
    organizations: [],
    mapped: expect.any(Object),
    claims: { hd: 'example.com' },
  });
  expect(idp.requests.slice(before)).not.toContain('GET /v1/userinfo');
});

test('the domain is that of the Workspace account, never that of the address', async () => {
  const { ada } = idp.users;
  onTestFinished(() => void Object.assign(idp.users, { ada }));
  const login = async (user: string) => (await identityOf(google(), { user })).domains;
  expect([await login('ada'), await login('bob')]).toEqual([['example.com'], []]);
  Object.assign(idp.users, { ada: { ...ada, hd: undefined } });
  expect(await identityOf(google())).toMatchObject({ email: 'ada@example.com', domains: [] });
});

test('a refresh token is asked for where it can be kept, and is no other after a refresh', async () => {
  expect((await tokensOf(google())).refreshToken).toBeNull();
  const provider = google({}, true);
  const tokens = await tokensOf(provider);
  const fresh = await provider.refresh(tokens.refreshToken ?? '', signal());
  expect(fresh.refreshToken).toBe(tokens.refreshToken);
  expect(fresh.accessToken).not.toBe(tokens.accessToken);
  expect((await provider.identify(fresh, null, signal())).id).toBe('1081815');
  await provider.revoke?.(fresh, signal());
  await failureOf(provider.refresh(tokens.refreshToken ?? '', signal()), 'login_refused');
  await provider.revoke?.(fresh, signal());
});

test('after a refresh without an id token, user information says who it is', async () => {
  const provider = google();
  const tokens = await tokensOf(provider);
  const identity = await provider.identify({ ...tokens, idToken: null }, null, signal());
  expect(identity).toMatchObject({ id: '1081815', email: 'ada@example.com', claims: { hd: 'example.com' } });
  await failureOf(provider.identify({ ...tokens, idToken: null }, TRIP.nonce, signal()), 'login_refused');
});

test('a scope that somebody unticks refuses the login', async () => {
  const failure = await failureOf(tokensOf(google(), { tick: ['openid'] }), 'login_refused');
  expect(failure.message).toContain('email, profile');
});

test('the domain that is asked for is the domain that counts', async () => {
  const only = (hd: string) => google({ extra_authorize_params: { hd } });
  expect((await only('example.com').authorizationUrl(TRIP)).searchParams.get('hd')).toBe('example.com');
  expect((await identityOf(only('example.com'))).id).toBe('1081815');
  expect((await identityOf(only('*'))).id).toBe('1081815');
  await failureOf(identityOf(only('example.com'), { user: 'bob' }), 'login_refused');
  await failureOf(identityOf(only('*'), { user: 'bob' }), 'login_refused');
});

// Requirements: provider-block.client_id
test('nothing that a parameter of the operator’s says takes the place of our own', async () => {
  const params = {
    state: 'x',
    redirect_uri: 'x',
    client_id: 'x',
    code_challenge: 'x',
    nonce: 'x',
    login_hint: 'a',
  };
  const { searchParams } = await google({ extra_authorize_params: params }).authorizationUrl(TRIP);
  expect(searchParams.getAll('state')).toEqual([TRIP.state]);
  expect(searchParams.getAll('nonce')).toEqual([TRIP.nonce]);
  expect(searchParams.getAll('redirect_uri')).toEqual([TRIP.redirectUri]);
  expect(searchParams.getAll('client_id')).toEqual([idp.client.id]);
  expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
  expect(searchParams.get('login_hint')).toBe('a');
});

test('the callback may name Google, and nobody else', async () => {
  const provider = google();
  await provider.enforceIssuer?.(null);
  await provider.enforceIssuer?.(idp.origin);
  await failureOf(provider.enforceIssuer?.('https://evil.example') ?? Promise.resolve(), 'login_refused');
  const real = providerOf(blockOf('google', idp.client));
  await real.enforceIssuer?.('https://accounts.google.com');
  const url = await real.authorizationUrl(TRIP);
  expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
});

// Requirements: provider-block.auth_url
test.each([
  {},
  {
    auth_url: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_url: 'https://oauth2.googleapis.com/token',
  },
])('the usual addresses are the same whether they are written down or not: %j', async (urls) => {
  const asked: string[] = [];
  const provider = providerOf(blockOf('google', idp.client, urls), {
    fetch: async (url) => {
      asked.push(String(url));
      return Response.json({}, { status: 500 });
    },
  });
  const tokens = { accessToken: 't', refreshToken: null, expiresAt: null, scopes: null, extra: {} };
  const idToken = await createSigner().then((signer) => signer.sign({ sub: '1' }));
  await failureOf(provider.exchange('c', TRIP, signal()), 'login_unavailable');
  await failureOf(provider.identify({ ...tokens, idToken }, null, signal()), 'login_unavailable');
  await failureOf(provider.identify({ ...tokens, idToken: null }, null, signal()), 'login_unavailable');
  await failureOf(
    provider.revoke?.({ ...tokens, idToken }, signal()) ?? Promise.resolve(),
    'login_unavailable',
  );
  expect(asked).toEqual([
    'https://oauth2.googleapis.com/token',
    'https://www.googleapis.com/oauth2/v3/certs',
    'https://openidconnect.googleapis.com/v1/userinfo',
    'https://oauth2.googleapis.com/revoke',
  ]);
  await provider.enforceIssuer?.('https://accounts.google.com');
});

test('errors tell whose they are', async () => {
  const provider = google();
  const code = (await signIn(provider)).searchParams.get('code') ?? '';
  const thief = { ...TRIP, verifier: 'y'.repeat(43) };
  await failureOf(provider.exchange(code, thief, signal()), 'login_refused');
  await failureOf(tokensOf(google({ client_secret: 'planted' })), 'config_invalid');
  idp.fail('POST /token', answers(400, { error: 'invalid_scope' }));
  expect((await failureOf(provider.exchange('c', TRIP, signal()), 'config_invalid')).message).toContain(
    'scope',
  );
  idp.fail('POST /token', answers(400, { error: 'planted <script>' }));
  await failureOf(provider.exchange('c', TRIP, signal()), 'login_unavailable');
});

test('keys that cannot be had are worth another try', async () => {
  const provider = google();
  const tokens = await tokensOf(provider);
  idp.fail('GET /oauth2/v3/certs', answers(503));
  await failureOf(provider.identify(tokens, TRIP.nonce, signal()), 'login_unavailable');
  idp.fail('GET /oauth2/v3/certs', answers(200, { keys: [] }));
  await failureOf(provider.identify(tokens, TRIP.nonce, signal()), 'login_unavailable');
  expect((await provider.identify(tokens, TRIP.nonce, signal())).id).toBe('1081815');
});
