import { describe, expect, it } from 'vitest';
import type { AuthSettings } from '../../../src/settings/model.ts';
import {
  authorizePath,
  authSettings,
  Browser,
  call,
  createDesk,
  type Desk,
  grantTo,
  login,
  membersOf,
  pkce,
  REDIRECT,
  register,
  tokens,
} from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';

const ADA = { emails: ['ada@example.com'] };
const stored = (auth: Partial<AuthSettings>) =>
  createDesk({ auth, parts: { store: createMemoryStore(() => Date.UTC(2026, 5, 1)) } });

/** Signs in until the browser shows a page or is sent to the client. */
async function signIn(desk: Desk, scope: string | null = null): Promise<Response> {
  const { client_id } = await register(desk);
  const browser = new Browser(desk);
  const page = await browser.go(authorizePath(client_id, pkce().challenge, { scope }));
  const away = await browser.answer(await page.text(), 'allow');
  const back = desk.idp.authorize(new URL(away.headers.get('location') ?? ''));
  return browser.go(back.headers.get('location') ?? '');
}

describe('a person whom the server does not let in', () => {
  const closed = { allow: membersOf({ groups: ['acme'] }) };

  it('reads why on a page, which leads back to the client with access_denied', async () => {
    const desk = stored(closed);
    const page = await signIn(desk);
    expect([page.status, page.headers.get('cache-control')]).toEqual([403, 'no-store']);
    const text = await page.text();
    expect(text).toContain('ada@example.com signed in, and is not in a group that may use this server.');
    const [, seconds, location] = /^(\d+); url=(.+)$/.exec(page.headers.get('refresh') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(5);
    expect(text).toContain(`href="${(location ?? '').replaceAll('&', '&amp;').replaceAll("'", '&#39;')}"`);
    const back = new URL(location ?? '');
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: 'access_denied',
      error_description: expect.stringContaining('ada@example.com signed in'),
      state: 'of-the-client',
    });
    // the provider's token is of no use any more
    expect(desk.idp.revoked).toHaveLength(1);
  });

  it('is told by the client where nothing is stored: the code is redeemed at the token endpoint', async () => {
    const desk = createDesk({ auth: closed });
    const { fields } = await login(desk);
    const response = await desk.form('/token', fields);
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: 'access_denied',
        error_description: 'ada@example.com signed in, and is not in a group that may use this server.',
      },
    ]);
    expect(desk.idp.revoked).toHaveLength(1);
  });

  it('reads markup of the provider as text', async () => {
    const desk = stored(closed);
    desk.idp.user = { ...desk.idp.user, email: '"<b>"@example.com' };
    expect(await (await signIn(desk)).text()).not.toContain('<b>');
  });
});

it('a person who holds none of the requested scopes reads that, and the client gets invalid_scope', async () => {
  const page = await signIn(stored({}), 'sales:read');
  expect(await page.text()).toContain('ada@example.com holds none of the requested scopes: sales:read.');
  expect(page.headers.get('refresh')).toContain('error=invalid_scope');
});

describe('a change of the rules', () => {
  const changed = (desk: Desk, auth: Partial<AuthSettings>) => createDesk({ idp: desk.idp, auth });

  it('applies to tokens that were issued before', async () => {
    const desk = createDesk({ auth: { grants: grantTo(ADA, 'sales:read') } });
    const { access_token } = await tokens(desk, { scope: 'svc:access sales:read' });
    expect((await call(desk, access_token, 'sales')).status).toBe(200);
    const narrowed = await call(changed(desk, {}), access_token, 'sales');
    expect(narrowed.status).toBe(403);
    expect(narrowed.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", error_description="ada@example.com does not hold: sales:read."',
    );
    const closed = await call(
      changed(desk, { allow: membersOf({ domains: ['acme.example'] }) }),
      access_token,
    );
    expect([closed.status, closed.headers.get('www-authenticate')]).toEqual([
      403,
      expect.stringContaining(
        'ada@example.com signed in, and is not one of the people who may use this server.',
      ),
    ]);
  });

  it('of a client’s registration applies to the client’s own tokens', async () => {
    const desk = createDesk();
    const form = { grant_type: 'client_credentials', client_id: 'known', client_secret: 'known-secret' };
    const { access_token } = (await (await desk.form('/token', form)).json()) as { access_token: string };
    expect((await call(desk, access_token, 'sales')).status).toBe(200);
    const clients = authSettings(desk.idp).clients.map((one) => ({ ...one, scopes: ['svc:access'] }));
    const narrowed = changed(desk, { clients });
    expect((await call(narrowed, access_token, 'sales')).status).toBe(403);
    expect((await call(changed(desk, { clients: [] }), access_token)).status).toBe(401);
  });
});

describe('a change of a client of the operator', () => {
  const known = { client_id: 'known', client_secret: 'known-secret' };
  const open = async () => {
    const parts = { store: createMemoryStore(() => Date.UTC(2026, 5, 1)) };
    const auth = { grants: grantTo(ADA, 'sales:read') };
    const desk = createDesk({ auth, parts });
    desk.idp.expiresIn = 7_200;
    const { fields } = await login(desk, {}, new Browser(desk), 'known');
    const answer = await desk.form('/token', { ...fields, ...known });
    const { refresh_token } = (await answer.json()) as { refresh_token: string };
    const refreshWith = async (scopes: readonly string[], scope: object = {}) => {
      const clients = authSettings(desk.idp).clients.map((one) => ({ ...one, scopes }));
      const changed = createDesk({ idp: desk.idp, auth: { ...auth, clients }, parts });
      const refresh = { grant_type: 'refresh_token', refresh_token, ...known, ...scope };
      return (await changed.form('/token', refresh)).json();
    };
    return refreshWith;
  };

  it('takes scopes from refreshed tokens', async () => {
    const refreshWith = await open();
    expect(await refreshWith(['svc:access', 'sales:read'])).toMatchObject({ scope: 'svc:access sales:read' });
    expect(await refreshWith(['svc:access'])).toMatchObject({ scope: 'svc:access' });
    expect(await refreshWith(['svc:access'], { scope: 'sales:read' })).toMatchObject({
      error: 'invalid_scope',
    });
    expect(await refreshWith(['audit:read'])).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining('It may have: audit:read.'),
    });
  });
});

describe('a client of the operator', () => {
  const form = { grant_type: 'client_credentials', client_id: 'known', client_secret: 'known-secret' };

  it('holds the scopes of its registration, whatever the rules say about people', async () => {
    const desk = createDesk({ auth: { allow: membersOf({ groups: ['none'] }) } });
    const own = (await (await desk.form('/token', form)).json()) as { access_token: string; scope: string };
    expect(own.scope).toBe('svc:access sales:read');
    expect((await call(desk, own.access_token, 'sales')).status).toBe(200);
  });

  it('gets no other scope by asking', async () => {
    const desk = createDesk();
    const more = await desk.form('/token', { ...form, scope: 'svc:access audit:read' });
    expect(await more.json()).toMatchObject({ scope: 'svc:access' });
    const alone = await desk.form('/token', { ...form, scope: 'audit:read' });
    expect(await alone.json()).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining('svc:access sales:read'),
    });
  });
});

it('the scopes of grants are in the metadata, and /authorize names them', async () => {
  const desk = createDesk({ auth: { grants: grantTo(ADA, 'rare:scope') } });
  const metadata = await desk.fetch('/.well-known/oauth-authorization-server');
  expect(await metadata.json()).toMatchObject({
    scopes_supported: ['svc:access', 'sales:read', 'audit:read', 'rare:scope'],
  });
  const { client_id } = await register(desk);
  const refused = await desk.fetch(authorizePath(client_id, pkce().challenge, { scope: 'unknown' }));
  expect(await refused.text()).toContain('svc:access sales:read audit:read rare:scope');
});

describe('a login that the provider refuses', () => {
  const refuse = () => Response.json({ error: 'bad_verification_code' });

  it('is a line of the log without the code, once, where the client redeems it', async () => {
    const desk = createDesk();
    const { fields, code } = await login(desk);
    desk.idp.broken = refuse;
    const response = await desk.form('/token', fields);
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
    const message = expect.stringMatching(
      /^signing in failed: GitHub refused the code \(bad_verification_code\)/,
    );
    expect(desk.lines).toEqual([{ level: 'info', message }]);
    expect(JSON.stringify(desk.lines)).not.toContain(code);
  });

  it('is a line of the log where the browser comes back to a server with a store', async () => {
    const desk = stored({});
    desk.idp.broken = refuse;
    const back = new URL((await signIn(desk)).headers.get('location') ?? '');
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(desk.lines).toEqual([
      { level: 'info', message: expect.stringContaining('refused the code (bad_verification_code)') },
    ]);
  });
});
