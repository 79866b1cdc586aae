import { expect, test } from 'vitest';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { PROVIDER_IDS } from '../../../../src/settings/schema/providers.ts';
import { blockOf, failureOf, providerOf, signal, TRIP } from './fixture.ts';

const CLIENT = { id: 'planted-id', secret: 'planted-secret', redirects: [] };
const OWN = { auth_url: 'https://id.example/start', token_url: 'https://id.example/redeem' };
const REALM = 'https://id.example/realms/main/protocol/openid-connect';

interface Case {
  readonly id: ProviderBlock['id'];
  readonly more: Partial<ProviderBlock>;
  readonly auth: string;
  readonly token: string;
}

const CASES: readonly Case[] = [
  { id: 'github', more: { ...OWN, scope: 'read:user repo' }, auth: OWN.auth_url, token: OWN.token_url },
  {
    id: 'atlassian',
    more: { ...OWN, scope: 'read:me read:jira-work' },
    auth: OWN.auth_url,
    token: OWN.token_url,
  },
  { id: 'salesforce', more: { ...OWN, scope: 'openid api' }, auth: OWN.auth_url, token: OWN.token_url },
  { id: 'google', more: { ...OWN, scope: 'openid email' }, auth: OWN.auth_url, token: OWN.token_url },
  {
    id: 'keycloak',
    more: { server_url: 'https://id.example', realm: 'main', scope: 'openid roles' },
    auth: `${REALM}/auth`,
    token: `${REALM}/token`,
  },
];

test('every provider has a case but oidc, whose addresses come from its own description', () => {
  expect([...CASES.map(({ id }) => id), 'oidc'].toSorted()).toEqual(PROVIDER_IDS.toSorted());
});

const KEYCLOAK = { server_url: 'https://id.example', realm: 'main' };
const ISSUER = 'https://id.example';

test.each<[ProviderBlock['id'], Partial<ProviderBlock>, Partial<ProviderBlock>]>([
  ['keycloak', KEYCLOAK, { ...KEYCLOAK, realm: 'test' }],
  ['keycloak', KEYCLOAK, { ...KEYCLOAK, server_url: 'https://other.example' }],
  ['salesforce', {}, { sandbox: true }],
  ['oidc', { config_url: ISSUER }, { config_url: `${ISSUER}/tenant` }],
  ['google', {}, OWN],
  ['github', {}, OWN],
  ['atlassian', {}, OWN],
])('%s: people at another server are others, though the provider has the same id', (id, some, others) => {
  const [one, other] = [some, others].map((more) => providerOf(blockOf(id, CLIENT, more)));
  expect(other?.id).toBe(one?.id);
  expect(other?.issuer).not.toBe(one?.issuer);
});

// Requirements: provider-block.*
test.each(CASES)('$id: the block says who asks, where, and for what', async ({ id, more, auth, token }) => {
  const sent: Request[] = [];
  const provider = providerOf(blockOf(id, CLIENT, more), {
    fetch: async (url, init) => {
      sent.push(new Request(url, init));
      return Response.json({}, { status: 500 });
    },
  });
  const url = await provider.authorizationUrl(TRIP);
  expect(url.origin + url.pathname).toBe(auth);
  expect(url.searchParams.get('client_id')).toBe(CLIENT.id);
  expect(url.searchParams.get('redirect_uri')).toBe(TRIP.redirectUri);
  expect(url.searchParams.get('response_type')).toBe('code');
  expect(url.searchParams.get('scope')?.split(' ')).toEqual(
    expect.arrayContaining(more.scope?.split(' ') ?? []),
  );
  expect(url.href).not.toContain(CLIENT.secret);

  await failureOf(provider.exchange('the-code', TRIP, signal()), 'login_unavailable');
  expect(sent.map((request) => request.url)).toEqual([token]);
  const [request] = sent;
  const [, basic = ''] = request?.headers.get('authorization')?.split('Basic ') ?? [];
  const text = `${await request?.text()} ${atob(basic)}`;
  for (const part of ['the-code', CLIENT.id, CLIENT.secret]) expect(text).toContain(part);
});
