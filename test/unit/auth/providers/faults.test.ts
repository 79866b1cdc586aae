import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Provider, ProviderPorts, UpstreamTokens } from '../../../../src/auth/upstream/provider.ts';
import type { ErrorCode } from '../../../../src/errors.ts';
import type { ProviderBlock } from '../../../../src/settings/model.ts';
import { PROVIDER_IDS } from '../../../../src/settings/schema/providers.ts';
import { createAtlassianIdp } from '../../../idp/atlassian.ts';
import {
  answers,
  type Fault,
  hangsUp,
  huge,
  malformed,
  moved,
  page,
  refusedPage,
  silent,
  slowBody,
} from '../../../idp/faults.ts';
import { createGithubIdp } from '../../../idp/github.ts';
import { createGoogleIdp } from '../../../idp/google.ts';
import type { Host } from '../../../idp/host.ts';
import { createKeycloakIdp } from '../../../idp/keycloak.ts';
import { createSalesforceIdp } from '../../../idp/salesforce.ts';
import { blockOf, failureOf, providerOf, signal, TRIP } from './fixture.ts';

/** A provider's addresses of which each may fail. */
interface Case {
  readonly idp: Host;
  readonly block: ProviderBlock;
  readonly token: string;
  readonly user: string;
  readonly more: readonly string[];
}

const cases = new Map<string, Case>();

beforeAll(async () => {
  const github = await createGithubIdp();
  const api = `GET /api/v3/user`;
  cases.set('github', {
    idp: github,
    block: blockOf('github', github.client, {
      auth_url: `${github.origin}/login/oauth/authorize`,
      token_url: `${github.origin}/login/oauth/access_token`,
    }),
    token: 'POST /login/oauth/access_token',
    user: api,
    more: [],
  });
  const atlassian = await createAtlassianIdp();
  const token_url = `${atlassian.origin}/oauth/token`;
  cases.set('atlassian', {
    idp: atlassian,
    block: blockOf('atlassian', atlassian.client, { token_url }),
    token: 'POST /oauth/token',
    user: 'GET /me',
    more: [],
  });
  const salesforce = await createSalesforceIdp();
  cases.set('salesforce', {
    idp: salesforce,
    block: blockOf('salesforce', salesforce.client, {
      token_url: `${salesforce.origin}/services/oauth2/token`,
    }),
    token: 'POST /services/oauth2/token',
    user: 'GET /services/oauth2/userinfo',
    more: [],
  });
  const google = await createGoogleIdp();
  cases.set('google', {
    idp: google,
    block: blockOf('google', google.client, { token_url: `${google.origin}/token` }),
    token: 'POST /token',
    user: 'GET /v1/userinfo',
    more: [],
  });
  for (const id of ['keycloak', 'oidc'] as const) {
    const keycloak = await createKeycloakIdp();
    const config_url = `${keycloak.issuer}/.well-known/openid-configuration`;
    const more = id === 'oidc' ? { config_url } : { server_url: keycloak.serverUrl, realm: keycloak.realm };
    const block = blockOf(id, keycloak.client, more);
    keycloak.start();
    cases.set(id, {
      idp: keycloak,
      block,
      token: 'POST /realms/main/protocol/openid-connect/token',
      user: 'GET /realms/main/protocol/openid-connect/userinfo',
      more: id === 'oidc' ? ['GET /realms/main/.well-known/openid-configuration'] : [],
    });
  }
});
afterAll(async () => {
  for (const { idp } of cases.values()) await idp.close();
});

function caseOf(name: string): Case {
  const found = cases.get(name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

const TOKENS: UpstreamTokens = {
  accessToken: 'planted-access',
  refreshToken: 'planted-refresh',
  idToken: null,
  expiresAt: null,
  scopes: null,
  extra: {},
};

const exchange = (provider: Provider) => provider.exchange('planted-code', TRIP, signal());
const refresh = (provider: Provider) => provider.refresh('planted-refresh', signal());
const identify = (provider: Provider) => provider.identify(TOKENS, null, signal());

const FAULTS: readonly (readonly [
  name: string,
  fault: Fault,
  code: ErrorCode,
  ports?: Partial<ProviderPorts>,
])[] = [
  ['429', answers(429, { error: 'slow' }, { 'retry-after': '7' }), 'login_unavailable'],
  ['500', answers(500, { error: 'invalid_grant' }), 'login_unavailable'],
  ['503', answers(503, 'leaked-text'), 'login_unavailable'],
  ['malformed JSON', malformed, 'login_unavailable'],
  ['a page', page, 'login_unavailable'],
  ['a page of a proxy with 403', refusedPage(403), 'login_unavailable'],
  ['a page of a proxy with 400', refusedPage(400), 'login_unavailable'],
  ['a proxy that asks for a password', answers(407), 'login_unavailable'],
  ['a proxy that waited too long', answers(408), 'login_unavailable'],
  ['an answer that is too early', answers(425, { error: 'invalid_grant' }), 'login_unavailable'],
  ['no object', answers(200, ['leaked-list']), 'login_unavailable'],
  ['two megabytes', huge, 'login_unavailable'],
  ['a hang-up', hangsUp, 'login_unavailable'],
  ['silence', silent, 'login_unavailable', { timeoutMs: 100 }],
  ['no end', slowBody, 'login_unavailable', { timeoutMs: 100 }],
  ['a redirect', moved('http://127.0.0.1:9/leaked-location'), 'config_invalid'],
];

// Requirements: provider-block.client_secret
test.each(PROVIDER_IDS)('%s: whatever goes wrong has its class, and no secret in its text', async (name) => {
  const { idp, block, token, user, more } = caseOf(name);
  // a description is read once and kept; here it is there before anything fails
  if (name === 'oidc') expect((await providerOf(block).authorizationUrl(TRIP)).href).toContain('/auth?');
  for (const [fault, act, code, ports] of FAULTS) {
    const attempts = [
      [token, exchange],
      [token, refresh],
      [user, identify],
      ...more.map((route) => [route, exchange] as const),
    ] as const;
    for (const [route, attempt] of attempts) {
      const provider = providerOf(block, ports);
      if (ports !== undefined && more.length > 0 && route !== more[0]) continue;
      idp.fail(route, act);
      const failure = await failureOf(attempt(provider), code).catch((thrown) => {
        throw new Error(`${fault} of ${route}: ${thrown.message}`, { cause: thrown });
      });
      // a deadline may end a question before the server has heard it
      idp.heal();
      if (fault === '429') expect(failure.detail).toMatchObject({ retry_after: 7, status: 429 });
    }
  }
});

test.each(PROVIDER_IDS)('%s: a server that is not there is worth another try', async (name) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { block, idp } = caseOf(name);
  const gone = JSON.parse(JSON.stringify(block).replaceAll(idp.origin, `http://127.0.0.1:${port}`));
  const failure = await failureOf(exchange(providerOf(gone)), 'login_unavailable');
  expect(failure.message).toContain('ECONNREFUSED');
});

test.each(PROVIDER_IDS)('%s: a client that leaves stops the question', async (name) => {
  const { idp, block, token } = caseOf(name);
  const leaving = new AbortController();
  idp.fail(token, () => leaving.abort());
  const provider = providerOf(block);
  await failureOf(provider.exchange('c', TRIP, leaving.signal), 'cancelled');
});
