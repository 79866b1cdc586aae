import { describe, expect, it } from 'vitest';
import { authorizePath, BASE, call, createDesk, pkce, REDIRECT, tokens } from './fixture.ts';

const LIMIT = { requestsPerMinute: 1, burst: 2 };
const ADDRESS = '192.0.2.1';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'content-type': 'application/json' };
const REGISTRATION = JSON.stringify({ redirect_uris: [REDIRECT] });

function start(rateLimit: typeof LIMIT | null = LIMIT) {
  const desk = createDesk({ app: { rateLimit } });
  const ask = (path: string, init: RequestInit = {}, address: string | undefined = ADDRESS) => {
    const request = new Request(new URL(path, BASE), init);
    request.headers.set('host', new URL(BASE).host);
    return desk.app.fetch(request, address === undefined ? {} : { address });
  };
  return { desk, ask };
}

const ENDPOINTS: readonly (readonly [string, string, RequestInit])[] = [
  ['GET /authorize', authorizePath('known', pkce().challenge), {}],
  ['POST /authorize', '/authorize', { method: 'POST', headers: FORM, body: 'ticket=x' }],
  ['GET /callback', '/callback?state=x', {}],
  ['POST /token', '/token', { method: 'POST', headers: FORM, body: 'grant_type=x' }],
  ['POST /register', '/register', { method: 'POST', headers: JSON_TYPE, body: REGISTRATION }],
  ['POST /revoke', '/revoke', { method: 'POST', headers: FORM, body: 'token=x' }],
  ['POST /logout', '/logout', { method: 'POST' }],
];

describe('a client that asks too often', () => {
  it.each(ENDPOINTS)('is sent away by %s, and told when to come again', async (_name, path, init) => {
    const { ask } = start();
    for (const time of [1, 2]) expect([time, (await ask(path, init)).status]).not.toEqual([time, 429]);
    const refused = await ask(path, init);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(59);
    expect((await ask(path, init, '192.0.2.2')).status).not.toBe(429);
  });

  it('reads an error of OAuth where a program asks, which a page of the web may read too', async () => {
    const { ask } = start();
    const [, path, init] = ENDPOINTS[3] ?? ['', '', {}];
    await ask(path, init);
    await ask(path, init);
    const refused = await ask(path, init);
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
  });

  it('reads a page where a browser asks', async () => {
    const { ask } = start();
    const [, path, init] = ENDPOINTS[0] ?? ['', '', {}];
    await ask(path, init);
    await ask(path, init);
    const refused = await ask(path, init);
    expect(refused.headers.get('content-type')).toContain('text/html');
    expect(await refused.text()).toContain('Too many requests');
  });

  it('has one bucket for all of them, and for calls without a good token', async () => {
    const { desk, ask } = start();
    await ask('/token', { method: 'POST', headers: FORM });
    expect((await ask('/mcp', { method: 'POST' })).status).toBe(401);
    expect((await ask('/register', { method: 'POST', headers: JSON_TYPE })).status).toBe(429);
    expect((await ask('/mcp', { method: 'POST' })).status).toBe(429);
    // who has a token is counted as a user
    const { access_token } = await tokens(desk);
    expect((await call(desk, access_token)).status).toBe(200);
  });

  it('still reads metadata and preflights', async () => {
    const { ask } = start();
    for (let time = 0; time < 5; time += 1) {
      expect((await ask('/.well-known/oauth-authorization-server')).status).toBe(200);
      expect((await ask('/token', { method: 'OPTIONS' })).status).toBe(204);
    }
  });

  it('is not known where there is no limit, or no address', async () => {
    const [, path, init] = ENDPOINTS[4] ?? ['', '', {}];
    const free = start(null);
    const nowhere = start();
    for (let time = 0; time < 5; time += 1) {
      expect((await free.ask(path, init)).status).toBe(201);
      const response = await nowhere.desk.fetch(path, init);
      expect(response.status).toBe(201);
    }
  });
});
