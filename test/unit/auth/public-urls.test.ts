import { describe, expect, it } from 'vitest';
import { authorizePath, authSettings, BASE, call, createDesk, type Desk, pkce } from './fixture.ts';
import { createIdp } from './idp.ts';

describe('where the server is', () => {
  const metadata = async (desk: Desk, headers: Record<string, string> = {}) => {
    const response = await desk.fetch('/.well-known/oauth-protected-resource/mcp', { headers });
    return ((await response.json()) as { resource?: string }).resource;
  };

  it('is what base_url says, whatever the request pretends', async () => {
    const lies = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
    };
    for (const trust_proxy of [false, true]) {
      expect(await metadata(createDesk({ http: { trust_proxy } }), lies)).toBe(`${BASE}/mcp`);
    }
  });

  // Requirements: user-file.transport.http.trust_proxy
  it('D27: is the scheme of the proxy only where it is trusted', async () => {
    const base = 'http://localhost:8000';
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    const alone = createDesk({ base, http: { base_url: null } });
    expect(await metadata(alone, https)).toBe('http://localhost:8000/mcp');
    const behind = createDesk({ base, http: { base_url: null, trust_proxy: true } });
    expect(await metadata(behind, https)).toBe('https://localhost:8000/mcp');
    expect(await metadata(behind, { 'x-forwarded-proto': 'gopher' })).toBe('http://localhost:8000/mcp');
  });

  it('is on the start page too', async () => {
    const address = { baseUrl: 'http://localhost:8000', trustProxy: true, scheme: null };
    const http = { base_url: address.baseUrl, trust_proxy: true };
    const desk = createDesk({ http, app: { publicAddress: address } });
    const headers = { 'x-forwarded-proto': 'https' };
    const page = await (await desk.fetch('/', { headers })).json();
    expect(page).toMatchObject({ mcp: { url: await metadata(desk, headers) } });
  });

  it('has no port where a proxy ends TLS at the usual one', async () => {
    const desk = createDesk({ http: { base_url: 'http://svc.example:443/team', trust_proxy: true } });
    expect(await metadata(desk, { 'x-forwarded-proto': 'https' })).toBe('https://svc.example/team/mcp');
  });

  // Requirements: provider-block.callback_path, user-file.transport.http.trust_proxy
  it('D27: decides on the redirect, the cookies and the challenge together', async () => {
    const base = 'http://svc.internal:8000';
    const desk = createDesk({ base, http: { base_url: null, trust_proxy: true } });
    const headers = { 'x-forwarded-proto': 'https' };
    const away = await desk.fetch(authorizePath('known', pkce().challenge), { headers });
    const url = new URL(away.headers.get('location') ?? '');
    expect(url.searchParams.get('redirect_uri')).toBe('https://svc.internal:8000/callback');
    expect(away.headers.get('set-cookie')).toMatch(/^__Host-svc-[\w-]{6}-tx-.*; Secure/);
    const refused = await desk.fetch('/mcp', { method: 'POST', body: '{}', headers });
    expect(refused.headers.get('www-authenticate')).toContain('"https://svc.internal:8000/.well-known/');
    const plain = await desk.fetch(authorizePath('known', pkce().challenge));
    expect([plain.status, plain.headers.get('location')]).toEqual([400, null]);
    expect((await desk.fetch('/mcp', { method: 'POST', body: '{}' })).status).toBe(400);
  });

  // Requirements: provider-block.callback_path
  it('has the callback path of the configuration', async () => {
    const { provider } = authSettings(createIdp());
    if (provider === null) throw new Error('no provider');
    const desk = createDesk({ auth: { provider: { ...provider, callback_path: '/back/here' } } });
    const away = await desk.fetch(authorizePath('known', pkce().challenge));
    const url = new URL(away.headers.get('location') ?? '');
    expect(url.searchParams.get('redirect_uri')).toBe(`${BASE}/back/here`);
    expect((await desk.fetch('/back/here?state=x&code=x')).status).toBe(400);
    expect((await desk.fetch('/callback?state=x&code=x')).status).toBe(404);
  });

  it('has cookies of its own on each port of this machine', async () => {
    const names = [8_123, 8_124].map(async (port) => {
      const desk = createDesk({ base: `http://localhost:${port}`, http: { base_url: null } });
      const cookie = (await desk.fetch(authorizePath('known', pkce().challenge))).headers.get('set-cookie');
      expect(cookie).toMatch(
        /^svc-[\w-]{6}-tx-[\w-]{22}=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
      );
      return cookie?.slice(0, 'svc-123456'.length);
    });
    expect(new Set(await Promise.all(names)).size).toBe(2);
  });

  it('may have a path, which metadata has in both forms', async () => {
    const desk = createDesk({ http: { base_url: `${BASE}/team` } });
    const paths = ['', '/mcp', '/team/mcp'].map((end) => `/.well-known/oauth-protected-resource${end}`);
    for (const path of paths) {
      expect(await (await desk.fetch(path)).json()).toMatchObject({ resource: `${BASE}/team/mcp` });
    }
    const refused = await call(desk, null);
    expect(refused.headers.get('www-authenticate')).toContain(
      `resource_metadata="${BASE}/.well-known/oauth-protected-resource/team/mcp"`,
    );
    const server = await desk.fetch('/.well-known/oauth-authorization-server/team');
    expect(await server.json()).toMatchObject({
      issuer: `${BASE}/team`,
      token_endpoint: `${BASE}/team/token`,
    });
  });

  // Requirements: as.https
  it.each([
    ['an address that others reach', { base_url: null, host: '0.0.0.0' }, '0.0.0.0'],
    ['http that is not of this machine', { base_url: 'http://svc.example' }, '127.0.0.1'],
  ])('must not be %s without https', (_name, http, host) => {
    expect(() => createDesk({ http, parts: { listens: { host } } })).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining('trust_proxy') }),
    );
  });

  it('needs keys', () => {
    expect(() => createDesk({ auth: { keys: [] } })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringContaining('svc auth keygen'),
      }),
    );
  });
});
