import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { type AtlassianIdp, createAtlassianIdp } from '../../../idp/atlassian.ts';
import { answers } from '../../../idp/faults.ts';
import { blockOf, failureOf, identityOf, providerOf, signal, signIn, TRIP, tokensOf } from './fixture.ts';

let idp: AtlassianIdp;

beforeAll(async () => {
  idp = await createAtlassianIdp();
});
afterAll(() => idp.close());

const atlassian = (more: Partial<ProviderBlock> = {}, offline = false, wanted: readonly string[] = []) => {
  const urls = { auth_url: `${idp.origin}/authorize`, token_url: `${idp.origin}/oauth/token` };
  return providerOf(blockOf('atlassian', idp.client, { ...urls, ...more }), { offline, wanted });
};
const PRODUCTS = 'read:me read:jira-user read:confluence-user offline_access';
const SITE = { id: '11223344-a1b2', name: 'acme', url: 'https://acme.atlassian.net' };

// Requirements: provider-detail.cloud-ids, provider.atlassian
test('a login gives the account, its address, and its sites once each', async () => {
  const mappings = { 'cloud_ids.id': { [SITE.id]: ['role:member'] } };
  const before = idp.requests.length;
  const identity = await identityOf(atlassian({ scope: PRODUCTS, claim_mappings: mappings }));
  expect(identity).toEqual({
    id: '5b10:ada',
    username: 'ada',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    groups: ['acme.atlassian.net/jira-administrators'],
    role: 'member',
    permissions: [],
    capabilities: [],
    domains: ['example.com'],
    organizations: [SITE.id, 'acme.atlassian.net'],
    mapped: expect.any(Object),
    claims: { cloud_ids: [SITE] },
  });
  expect(idp.requests.slice(before)).toEqual(
    expect.arrayContaining([
      'GET /oauth/token/accessible-resources',
      `GET /ex/jira/${SITE.id}/rest/api/3/user/groups`,
    ]),
  );
});

// Requirements: provider-detail.cloud-ids
test('the list of sites is asked for with the bearer token', async () => {
  const asked: (string | null)[] = [];
  const provider = providerOf(blockOf('atlassian', idp.client, {}), {
    fetch: async (url, init) => {
      const { pathname } = new URL(String(url));
      if (pathname !== '/oauth/token/accessible-resources') return Response.json({ account_id: '1' });
      asked.push(new Headers(init?.headers).get('authorization'));
      return Response.json([]);
    },
  });
  const none = { refreshToken: null, idToken: null, expiresAt: null, scopes: null, extra: {} };
  await provider.identify({ ...none, accessToken: 'of-ada' }, null, signal());
  expect(asked).toEqual(['Bearer of-ada']);
});

// Requirements: oauth.default-scope, provider-block.scope
test('the usual scopes tell who it is, and no more', async () => {
  const provider = atlassian();
  expect(provider.scopes).toEqual(['read:me']);
  expect(await identityOf(provider)).toMatchObject({ groups: [], claims: { cloud_ids: [] } });
  expect(provider.revoke).toBeUndefined();
});

test('rules about sites or groups ask for the scope that shows them', async () => {
  for (const wanted of [['groups'], ['organizations']]) {
    const provider = atlassian({}, false, wanted);
    expect(provider.scopes).toEqual(['read:me', 'read:jira-user']);
    const { organizations, groups } = await identityOf(provider);
    expect(organizations).toContain('acme.atlassian.net');
    expect(groups).toEqual(['acme.atlassian.net/jira-administrators']);
  }
  // the name of a site is free to choose
  expect((await identityOf(atlassian({ scope: PRODUCTS }))).organizations).not.toContain(SITE.name);
});

// Requirements: provider-detail.offline
test('refresh tokens rotate, and a dead one is final though it is answered with 403', async () => {
  const provider = atlassian({}, true);
  expect(provider.scopes).toEqual(['read:me', 'offline_access']);
  expect((await tokensOf(atlassian())).refreshToken).toBeNull();
  const tokens = await tokensOf(provider);
  expect(tokens.expiresAt).toBeGreaterThan(Date.now() / 1000 + 3000);
  const fresh = await provider.refresh(tokens.refreshToken ?? '', signal());
  expect(fresh.refreshToken).not.toBe(tokens.refreshToken);
  expect((await provider.identify(fresh, null, signal())).id).toBe('5b10:ada');
  await failureOf(provider.refresh(tokens.refreshToken ?? '', signal()), 'login_refused');
  idp.fail('POST /oauth/token', answers(403, { error: 'unauthorized_client' }));
  await failureOf(provider.refresh(fresh.refreshToken ?? '', signal()), 'login_refused');
});

test('a wrong secret is the operator’s, a used code is not', async () => {
  const failure = await failureOf(tokensOf(atlassian({ client_secret: 'planted' })), 'config_invalid');
  expect(failure.message).toContain('client_secret');
  const provider = atlassian();
  const code = (await signIn(provider)).searchParams.get('code') ?? '';
  const tokens = await provider.exchange(code, TRIP, signal());
  await failureOf(provider.exchange(code, TRIP, signal()), 'login_refused');
  // whoever replays a code ends what it opened
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
});

test('accounts that are closed, and answers about nobody, are refused', async () => {
  const provider = atlassian();
  const tokens = await tokensOf(provider);
  const say = (body: unknown) => {
    idp.fail('GET /me', answers(200, body));
    return provider.identify(tokens, null, signal());
  };
  await failureOf(say({ account_id: '1', account_status: 'closed' }), 'login_refused');
  await failureOf(say({ email: 'ada@example.com' }), 'login_refused');
  await failureOf(say([]), 'login_unavailable');
  expect(await say({ account_id: '1', email: 'a@b.example', email_verified: false })).toMatchObject({
    email: null,
  });
});

test('scopes that the login lacks are named as the way out', async () => {
  const failure = await failureOf(identityOf(atlassian({ scope: 'read:jira-user' })), 'login_refused');
  expect(failure.message).toContain('scope');
});

test('more sites than can be carried are refused, not cut', async () => {
  const provider = atlassian();
  const tokens = await tokensOf(provider);
  const sites = Array.from({ length: 21 }, (_, n) => ({ id: `s${n}`, name: 's', url: 'https://s.example' }));
  idp.fail('GET /oauth/token/accessible-resources', answers(200, sites));
  await failureOf(provider.identify(tokens, null, signal()), 'login_refused');
});

test.each([{}, { token_url: 'https://auth.atlassian.com/oauth/token' }])(
  'the API is where it is, whether the usual addresses are written down or not: %j',
  async (urls) => {
    const asked: string[] = [];
    const provider = providerOf(blockOf('atlassian', idp.client, urls), {
      fetch: async (url) => {
        asked.push(String(url));
        return Response.json({}, { status: 500 });
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
    await failureOf(provider.exchange('c', TRIP, signal()), 'login_unavailable');
    await failureOf(provider.identify(tokens, null, signal()), 'login_unavailable');
    expect(asked).toEqual(['https://auth.atlassian.com/oauth/token', 'https://api.atlassian.com/me']);
  },
);
