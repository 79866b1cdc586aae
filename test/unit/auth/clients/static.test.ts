import { expect, it } from 'vitest';
import type { StaticClient } from '../../../../src/settings/model.ts';
import { settingsOf, userFile } from '../../settings/fixture.ts';
import { authorizePath, Browser, call, createDesk, type Desk, login, pkce, REDIRECT } from '../fixture.ts';

/** A server with one static client, as a user file configures it. */
async function deskWith(client: string): Promise<Desk> {
  const user = userFile(`auth:\n  clients: [{ client_id: app, name: App, ${client} }]\n`);
  const { clients }: { clients: readonly StaticClient[] } = (await settingsOf({ user })).auth;
  return createDesk({ auth: { clients } });
}

const opens = async (desk: Desk, more: Record<string, string | null>) =>
  (await desk.fetch(authorizePath('app', pkce().challenge, more))).status;

async function own(desk: Desk, more: Record<string, string>) {
  const response = await desk.form('/token', {
    grant_type: 'client_credentials',
    client_id: 'app',
    ...more,
  });
  return (await response.json()) as Record<string, string>;
}

// Requirements: client.redirect_uris
it('is redirected to each of its addresses, and to no other', async () => {
  const second = 'https://second.example/back';
  const desk = await deskWith(`redirect_uris: ["${REDIRECT}", "${second}"]`);
  for (const redirect_uri of [REDIRECT, second]) expect(await opens(desk, { redirect_uri })).toBe(303);
  for (const redirect_uri of [`${second}/more`, 'https://other.example/back']) {
    expect(await opens(desk, { redirect_uri })).toBe(400);
  }
  expect(await opens(await deskWith('scopes: [svc:access]'), {})).toBe(400);
});

it.each(['HTTPS://app.example/cb', 'https://app.example/cb#x', 'http://intranet.example/cb'])(
  'is not redirected to %s, and the page says which addresses are',
  async (uri) => {
    const desk = await deskWith(`redirect_uris: "${uri}"`);
    const response = await desk.fetch(authorizePath('app', pkce().challenge, { redirect_uri: uri }));
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining(
        'must begin with https://, or with http:// and this computer, and have no fragment',
      ),
    ]);
  },
);

// Requirements: client.grant_types
it('may only sign people in by default', async () => {
  const secret = 'client_secret: s';
  const desk = await deskWith(`${secret}, redirect_uris: "${REDIRECT}"`);
  expect(await opens(desk, {})).toBe(303);
  expect((await own(desk, { client_secret: 's' })).error).toBe('unauthorized_client');
  const machine = await deskWith(
    `${secret}, grant_types: [client_credentials], redirect_uris: "${REDIRECT}"`,
  );
  expect((await own(machine, { client_secret: 's' })).access_token).toEqual(expect.any(String));
  const refused = await machine.fetch(authorizePath('app', pkce().challenge));
  expect(refused.headers.get('location')).toContain('error=unauthorized_client');
});

// Requirements: client.scopes
it('has svc:access by default, and no scope that its list lacks', async () => {
  const grant = 'client_secret: s, grant_types: [client_credentials]';
  const usual = await deskWith(grant);
  expect((await own(usual, { client_secret: 's' })).scope).toBe('svc:access');
  expect((await own(usual, { client_secret: 's', scope: 'sales:read' })).error).toBe('invalid_scope');
  const sales = await deskWith(`${grant}, scopes: ["sales:read"]`);
  const { scope, access_token } = await own(sales, { client_secret: 's', scope: 'svc:access sales:read' });
  expect(scope).toBe('sales:read');
  expect((await call(sales, access_token ?? '', 'sales')).status).toBe(200);
});

// Requirements: client.client_secret
it('with a secret must send it for every token; without one it is public', async () => {
  const redirects = `redirect_uris: "${REDIRECT}"`;
  const desk = await deskWith(`client_secret: right, ${redirects}`);
  const { fields } = await login(desk, {}, new Browser(desk), 'app');
  for (const more of [{}, { client_secret: '' }, { client_secret: 'wrong' }]) {
    const refused = await desk.form('/token', { ...fields, ...more });
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  }
  expect((await desk.form('/token', { ...fields, client_secret: 'right' })).status).toBe(200);
  const open = await deskWith(redirects);
  const { fields: free } = await login(open, {}, new Browser(open), 'app');
  expect((await open.form('/token', free)).status).toBe(200);
});

// Requirements: auth.clients
it('need not register, each of several', async () => {
  const one = `redirect_uris: "${REDIRECT}" }, { client_id: other, name: Other, redirect_uris: "${REDIRECT}"`;
  const desk = await deskWith(one);
  for (const id of ['app', 'other']) {
    const { fields } = await login(desk, {}, new Browser(desk), id);
    expect((await desk.form('/token', fields)).status).toBe(200);
  }
  expect((await desk.fetch(authorizePath('third', pkce().challenge))).status).toBe(400);
});
