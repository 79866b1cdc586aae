import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { answers } from '../../../idp/faults.ts';
import { createGithubIdp, type GithubIdp } from '../../../idp/github.ts';
import { blockOf, failureOf, identityOf, providerOf, signal, signIn, TRIP, tokensOf } from './fixture.ts';

let idp: GithubIdp;
let app: GithubIdp;

beforeAll(async () => {
  [idp, app] = [await createGithubIdp(), await createGithubIdp({ app: true })];
});
afterAll(async () => {
  await idp.close();
  await app.close();
});

const urls = ({ origin }: GithubIdp) => ({
  auth_url: `${origin}/login/oauth/authorize`,
  token_url: `${origin}/login/oauth/access_token`,
});
const github = (more: Partial<ProviderBlock> = {}, at = idp) =>
  providerOf(blockOf('github', at.client, { ...urls(at), ...more }));

// Requirements: oauth.default-scope, provider.github
test('a login gives the id, the login and the primary verified address', async () => {
  const provider = github();
  expect(provider.scopes).toEqual(['read:user', 'user:email']);
  const tokens = await tokensOf(provider);
  expect(tokens).toMatchObject({ refreshToken: null, expiresAt: null, scopes: ['read:user', 'user:email'] });
  expect(await provider.identify(tokens, TRIP.nonce, signal())).toEqual({
    id: '1815',
    username: 'ada',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    groups: [],
    role: null,
    permissions: [],
    capabilities: [],
    domains: ['example.com'],
    organizations: [],
    mapped: expect.any(Object),
    claims: {},
  });
});

test('rules about groups or organisations ask for the scope that shows them', async () => {
  for (const wanted of [['groups'], ['organizations']]) {
    for (const at of [idp, app]) {
      const provider = providerOf(blockOf('github', at.client, urls(at)), { wanted });
      expect(provider.scopes).toEqual(['read:user', 'user:email', 'read:org']);
      const { organizations, groups } = await identityOf(provider);
      expect({ organizations, groups }).toEqual({ organizations: ['acme'], groups: ['acme', 'acme/admins'] });
    }
  }
});

test('somebody who denies comes back with an error and the state', async () => {
  const { searchParams } = await signIn(github(), { decision: 'deny' });
  expect(Object.fromEntries(searchParams)).toEqual({ error: 'access_denied', state: TRIP.state });
});

test('an address that is not primary and verified is none', async () => {
  const ada = idp.users.ada;
  if (ada === undefined) throw new Error('no ada');
  idp.users.ada = { ...ada, emails: [{ email: 'ada@example.com', primary: true, verified: false }] };
  expect((await identityOf(github())).email).toBeNull();
  idp.users.ada = ada;
});

// Requirements: user.groups
test('groups are organisations and teams, through every page', async () => {
  const ada = idp.users.ada;
  if (ada === undefined) throw new Error('no ada');
  const teams = Array.from({ length: 250 }, (_, n) => ['acme', `team-${n}`] as const);
  idp.users.ada = { ...ada, teams };
  const provider = github({
    scope: 'read:user,user:email,read:org',
    claim_mappings: { groups: { 'acme/team-249': ['role:admin', 'permission:orders.read', 'export'] } },
  });
  const identity = await identityOf(provider);
  expect(identity.groups).toEqual(['acme', ...teams.map(([org, slug]) => `${org}/${slug}`)]);
  expect(identity).toMatchObject({ role: 'admin', permissions: ['orders.read'], capabilities: ['export'] });
  idp.users.ada = { ...ada, teams: Array.from({ length: 1000 }, (_, n) => ['acme', `team-${n}`] as const) };
  await failureOf(identityOf(provider), 'login_refused');
  idp.users.ada = ada;
});

test('scopes that somebody left out refuse the login; a bigger one holds the smaller', async () => {
  const failure = await failureOf(tokensOf(github(), { tick: ['read:user'] }), 'login_refused');
  expect(failure.message).toContain('user:email');
  await tokensOf(github(), { tick: ['user'] });
  await tokensOf(github({ scope: 'read:org' }), { tick: ['admin:org'] });
  await failureOf(tokensOf(github({ scope: 'admin:org' }), { tick: ['write:org'] }), 'login_refused');
});

test('errors with status 200 are errors', async () => {
  const provider = github();
  const callback = await signIn(provider);
  const code = callback.searchParams.get('code') ?? '';
  await provider.exchange(code, TRIP, signal());
  const again = await failureOf(provider.exchange(code, TRIP, signal()), 'login_refused');
  expect(again.message).toContain('bad_verification_code');
  const secret = await failureOf(tokensOf(github({ client_secret: 'other-planted' })), 'config_invalid');
  expect(secret.message).toContain('client_secret');
  const other = { ...TRIP, redirectUri: 'https://svc.example/other' };
  const moved = await failureOf(provider.exchange(code, other, signal()), 'config_invalid');
  expect(moved.message).toContain('callback_path');
});

test('a code is of no use without its verifier', async () => {
  const provider = github();
  const callback = await signIn(provider);
  const trip = { ...TRIP, verifier: 'x'.repeat(43) };
  const code = callback.searchParams.get('code') ?? '';
  await failureOf(provider.exchange(code, trip, signal()), 'login_refused');
});

test('the tokens of a GitHub App end, and refresh once', async () => {
  const provider = github({ scope: 'read:org' }, app);
  const tokens = await tokensOf(provider);
  expect(tokens.scopes).toEqual([]);
  expect(tokens.expiresAt).toBeGreaterThan(Date.now() / 1000 + 28_000);
  const fresh = await provider.refresh(tokens.refreshToken ?? '', signal());
  expect(fresh.refreshToken).not.toBe(tokens.refreshToken);
  expect((await provider.identify(fresh, null, signal())).groups).toEqual(['acme', 'acme/admins']);
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
  const failure = await failureOf(provider.refresh(tokens.refreshToken ?? '', signal()), 'login_refused');
  expect(failure.message).toContain('bad_refresh_token');
});

test('a token that is ended is of no use, and may be ended again', async () => {
  const provider = github();
  const tokens = await tokensOf(provider);
  await provider.revoke?.(tokens, signal());
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
  await provider.revoke?.(tokens, signal());
});

test('too many questions are worth another try, a forbidden address is none', async () => {
  const provider = github();
  const tokens = await tokensOf(provider);
  idp.fail('GET /api/v3/user', answers(403, {}, { 'x-ratelimit-remaining': '0' }));
  await failureOf(provider.identify(tokens, null, signal()), 'login_unavailable');
  idp.fail('GET /api/v3/user/emails', answers(403, {}, { 'x-ratelimit-remaining': '0' }));
  await failureOf(provider.identify(tokens, null, signal()), 'login_unavailable');
  // GitHub's secondary limit may come without a header.
  const secondary = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };
  for (const path of ['user', 'user/emails']) {
    idp.fail(`GET /api/v3/${path}`, answers(403, secondary));
    await failureOf(provider.identify(tokens, null, signal()), 'login_unavailable');
  }
  idp.fail('GET /api/v3/user', answers(403, { message: 'Sorry. Your account was suspended.' }));
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
  idp.fail('GET /api/v3/user/emails', answers(403, { message: 'Resource not accessible by integration' }));
  expect((await provider.identify(tokens, null, signal())).email).toBeNull();
  idp.fail('GET /api/v3/user', answers(200, { login: 'nobody' }));
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
  idp.fail('GET /api/v3/user', answers(404));
  await failureOf(provider.identify(tokens, null, signal()), 'config_invalid');
});

test.each([
  ['https://github.com', {}, 'https://api.github.com/user'],
  ['https://acme.ghe.com', {}, 'https://api.acme.ghe.com/user'],
  ['https://git.acme.example', {}, 'https://git.acme.example/api/v3/user'],
  ['https://github.com', { api_url: 'https://proxy.example/github/' }, 'https://proxy.example/github/user'],
])('%s has its API where it belongs', async (origin, more, expected) => {
  const asked: string[] = [];
  const block = blockOf('github', idp.client, { auth_url: `${origin}/login/oauth/authorize`, ...more });
  const provider = providerOf(block, {
    fetch: async (url) => {
      asked.push(String(url));
      return Response.json({}, { status: 401 });
    },
  });
  const tokens = {
    accessToken: 't',
    refreshToken: null,
    idToken: null,
    expiresAt: null,
    scopes: null,
    extra: {},
  };
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
  expect(asked).toEqual([expected]);
});
