import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { UpstreamTokens } from '../../../../src/auth/upstream/provider.ts';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { answers } from '../../../idp/faults.ts';
import { createSalesforceIdp, type SalesforceIdp } from '../../../idp/salesforce.ts';
import { blockOf, failureOf, identityOf, providerOf, signal, signIn, TRIP, tokensOf } from './fixture.ts';

let idp: SalesforceIdp;

beforeAll(async () => {
  idp = await createSalesforceIdp();
});
afterAll(() => idp.close());

const base = () => `${idp.origin}/services/oauth2`;
const salesforce = (more: Partial<ProviderBlock> = {}, offline = false, wanted: readonly string[] = []) => {
  const urls = { auth_url: `${base()}/authorize`, token_url: `${base()}/token` };
  return providerOf(blockOf('salesforce', idp.client, { ...urls, ...more }), { offline, wanted });
};
const CLAIMS = { organization_id: '00Dxx0000001gPLEAY', instance_url: 'https://acme.my.salesforce.com' };

// Requirements: oauth.default-scope, provider.salesforce
test('a login gives the user, the organisation and the address of its API', async () => {
  const provider = salesforce();
  expect(provider.scopes).toEqual(['openid', 'profile', 'email']);
  const tokens = await tokensOf(provider);
  expect(tokens).toMatchObject({ expiresAt: null, refreshToken: null });
  expect(await provider.identify(tokens, TRIP.nonce, signal())).toEqual({
    id: '005xx000001X8UzAAK',
    username: 'ada@acme.example',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    groups: [],
    role: null,
    permissions: [],
    capabilities: [],
    domains: ['example.com'],
    organizations: ['00Dxx0000001gPLEAY'],
    mapped: expect.any(Object),
    claims: CLAIMS,
  });
});

test('rules about profiles and permission sets query them', async () => {
  idp.instance = idp.origin;
  onTestFinished(() => {
    idp.instance = 'https://acme.my.salesforce.com';
  });
  const wanted = ['profile', 'permission_sets'];
  const provider = salesforce({}, false, wanted);
  expect(provider.scopes).toEqual(['openid', 'profile', 'email', 'api']);
  const { claims, mapped } = await identityOf(provider);
  const rights = { profile: 'Sales User', permission_sets: ['Export_Data', 'View_Audit'] };
  expect(claims).toMatchObject(rights);
  expect(mapped).toMatchObject(rights);
  // claim_mappings can use them too
  const mappings = { permission_sets: { Export_Data: ['export'] } };
  expect((await identityOf(salesforce({ claim_mappings: mappings }))).capabilities).toEqual(['export']);
  expect((await identityOf(salesforce())).claims).not.toHaveProperty('profile');
});

test('a user whose rights cannot be read is not signed in', async () => {
  const provider = salesforce({}, false, ['profile']);
  // the token goes to no other address than Salesforce's
  idp.instance = 'https://evil.example';
  onTestFinished(() => {
    idp.instance = 'https://acme.my.salesforce.com';
  });
  await failureOf(identityOf(provider), 'login_refused');
  idp.instance = idp.origin;
  idp.fail('GET /services/data/v59.0/query', answers(400, [{ errorCode: 'INVALID_TYPE' }]));
  await failureOf(identityOf(provider), 'login_unavailable');
  const limit = [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }];
  idp.fail('GET /services/data/v59.0/query', answers(403, limit));
  await failureOf(identityOf(provider), 'login_unavailable');
});

test('without the scope openid the identity address says who it is', async () => {
  const before = idp.requests.length;
  const identity = await identityOf(salesforce({ scope: 'api refresh_token' }));
  expect(identity).toMatchObject({ id: '005xx000001X8UzAAK', name: 'Ada Lovelace', claims: CLAIMS });
  const asked = idp.requests.slice(before);
  expect(asked).toContain('GET /id/00Dxx0000001gPLEAY/005xx000001X8UzAAK');
  expect(asked).not.toContain('GET /services/oauth2/userinfo');
});

test('the token goes to no identity address outside of Salesforce', async () => {
  const provider = salesforce({ scope: 'api' });
  const tokens = await tokensOf(provider);
  for (const id of ['https://evil.example/id/1/2', 'http://login.salesforce.com/id/1/2', 'nonsense']) {
    const moved: UpstreamTokens = { ...tokens, extra: { ...tokens.extra, id } };
    await failureOf(provider.identify(moved, null, signal()), 'login_refused');
  }
});

// Requirements: provider-detail.offline
test('a refresh token stays, and ends with everything else', async () => {
  const provider = salesforce({}, true);
  expect(provider.scopes).toContain('refresh_token');
  const tokens = await tokensOf(provider);
  const fresh = await provider.refresh(tokens.refreshToken ?? '', signal());
  expect(fresh.refreshToken).toBe(tokens.refreshToken);
  expect((await provider.identify(fresh, null, signal())).claims).toEqual(CLAIMS);
  await provider.revoke?.(fresh, signal());
  await failureOf(provider.refresh(tokens.refreshToken ?? '', signal()), 'login_refused');
  await provider.revoke?.(fresh, signal());
});

test('errors tell whose they are', async () => {
  const provider = salesforce();
  const code = (await signIn(provider)).searchParams.get('code') ?? '';
  await provider.exchange(code, TRIP, signal());
  await failureOf(provider.exchange(code, TRIP, signal()), 'login_refused');
  await failureOf(tokensOf(salesforce({ client_secret: 'planted' })), 'config_invalid');
  const other = (await signIn(provider)).searchParams.get('code') ?? '';
  const trip = { ...TRIP, redirectUri: 'https://svc.example/other' };
  const moved = await failureOf(provider.exchange(other, trip, signal()), 'config_invalid');
  expect(moved.message).toContain('callback_path');
  idp.fail('POST /services/oauth2/token', answers(400, { error: 'inactive_user' }));
  await failureOf(provider.exchange('c', TRIP, signal()), 'login_refused');
});

test('what does not fit together is refused', async () => {
  const provider = salesforce();
  const tokens = await tokensOf(provider);
  await failureOf(provider.identify(tokens, 'another nonce', signal()), 'login_refused');
  const say = (body: unknown) => {
    idp.fail('GET /services/oauth2/userinfo', answers(200, body));
    return provider.identify(tokens, TRIP.nonce, signal());
  };
  const user = { user_id: '005xx000001X8UzAAK', organization_id: 'o' };
  await failureOf(say({ ...user, user_id: '005xx000001OTHERAA' }), 'login_refused');
  await failureOf(say({ ...user, active: false }), 'login_refused');
  await failureOf(say({ user_id: user.user_id }), 'login_refused');
  expect(await say({ ...user, email: 'a@b.example', email_verified: false })).toMatchObject({ email: null });
});

// Requirements: provider-block.auth_url, provider-block.token_url
test.each([
  [{}, 'https://login.salesforce.com/services/oauth2/authorize'],
  // Requirements: provider-detail.sandbox
  [{ sandbox: true }, 'https://test.salesforce.com/services/oauth2/authorize'],
  // Requirements: provider-detail.sandbox
  [
    {
      auth_url: 'https://test.salesforce.com/services/oauth2/authorize',
      token_url: 'https://test.salesforce.com/services/oauth2/token',
    },
    'https://test.salesforce.com/services/oauth2/authorize',
  ],
  [
    { auth_url: 'https://acme.my.site.com/shop/services/oauth2/authorize' },
    'https://acme.my.site.com/shop/services/oauth2/authorize',
  ],
])('%j begins at %s, and goes on where it began', async (more, authorize) => {
  const asked: string[] = [];
  const provider = providerOf(blockOf('salesforce', idp.client, more), {
    fetch: async (url) => {
      asked.push(String(url));
      return Response.json({}, { status: 500 });
    },
  });
  const url = await provider.authorizationUrl(TRIP);
  expect(url.origin + url.pathname).toBe(authorize);
  await failureOf(provider.exchange('c', TRIP, signal()), 'login_unavailable');
  const tokens = {
    accessToken: 't',
    refreshToken: null,
    idToken: null,
    expiresAt: null,
    scopes: null,
    extra: {},
  };
  await failureOf(provider.identify(tokens, null, signal()), 'login_unavailable');
  await failureOf(provider.revoke?.(tokens, signal()) ?? Promise.resolve(), 'login_unavailable');
  const at = authorize.replace('/authorize', '');
  expect(asked).toEqual([`${at}/token`, `${at}/userinfo`, `${at}/revoke`]);
});
