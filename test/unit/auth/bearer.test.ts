import { describe, expect, it } from 'vitest';
import { createKeyRing, generateKey, parseKeys } from '../../../src/crypto/keys.ts';
import { createSealer } from '../../../src/crypto/seal.ts';
import { BASE, COOKIES, call, createDesk, KEY, tokens } from './fixture.ts';

const ADDRESSES = 'https://idp.example/authorize https://idp.example/token';

describe('an access token', () => {
  // Requirements: auth.3, rs.invalid
  it('does not count with one character changed, in any of its parts', async () => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const parts = access_token.split('.');
    for (const index of [0, 2, 3, 4]) {
      const changed = parts.map((part, at) =>
        at === index ? part.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')) : part,
      );
      const response = await call(desk, changed.join('.'));
      expect([index, response.status]).toEqual([index, 401]);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  // Requirements: rs.every-request, user-file.stateless.token
  it('is over on the second', async () => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    desk.clock.ms += 3_599_000;
    expect((await call(desk, access_token)).status).toBe(200);
    desk.clock.ms += 1_000;
    expect((await call(desk, access_token)).status).toBe(401);
  });

  it.each([
    ['another key', { auth: { keys: [generateKey()] } }],
    ['another address', { base: 'https://other.example', http: { base_url: 'https://other.example' } }],
    ['times before which nothing counts', { auth: { not_before: Date.UTC(2026, 5, 2) } }],
  ])('does not count at a server with %s', async (_name, given) => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const other = createDesk({ ...given, idp: desk.idp });
    expect((await call(other, access_token)).status).toBe(401);
  });

  it('counts after a rotation until its key is taken away', async () => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const next = generateKey();
    expect((await call(createDesk({ auth: { keys: [next, KEY] } }), access_token)).status).toBe(200);
    expect((await call(createDesk({ auth: { keys: [next] } }), access_token)).status).toBe(401);
  });

  // Requirements: rs.audience
  it('must not be for another resource, though our key sealed it', async () => {
    const ring = createKeyRing(parseKeys([KEY]));
    const desk = createDesk();
    const sealer = createSealer({ ring, now: () => desk.clock.ms, notBefore: null });
    const who = { i: '1', un: null, em: null, nm: null, gr: [], rl: null, pm: [], cp: [], cl: {} };
    const claims = { h: 'x', sc: ['svc:access'], id: 'x', sid: 'x', idp: `github ${ADDRESSES}`, who };
    const seal = (aud: string) => sealer.seal('access', BASE, { ...claims, aud }, 60);
    expect((await call(desk, await seal(`${BASE}/mcp`))).status).toBe(200);
    expect((await call(desk, await seal(`${BASE}/other`))).status).toBe(401);
  });

  // Requirements: rs.every-request
  it.each(['access_token', 'token'])('is not read from the address (%s)', async (name) => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const response = await desk.fetch(`/mcp?${name}=${access_token}`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(name === 'token' ? 401 : 400);
  });

  // Requirements: rs.every-request, user-file.stateless.token
  it('is asked for in every request: none is remembered, and no cookie is set', async () => {
    const desk = createDesk({ app: { stateless: true } });
    const { access_token } = await tokens(desk);
    for (const _turn of [1, 2]) {
      const answered = await call(desk, access_token);
      expect(answered.status).toBe(200);
      expect(answered.headers.getSetCookie()).toEqual([]);
      expect((await call(desk, null)).status).toBe(401);
    }
  });

  // Requirements: rs.every-request, user-file.stateless.token
  it('is not read from a cookie', async () => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const headers = { cookie: `access_token=${access_token}; ${COOKIES}-browser-x=${access_token}` };
    expect((await desk.fetch('/mcp', { method: 'POST', body: '{}', headers })).status).toBe(401);
  });

  it.each(['Bearer', 'Bearer ', 'Bearer a b', 'Bearer "x"', `Bearer ${'a'.repeat(9_000)}`, 'bearer ....'])(
    'is none: %.20s',
    async (authorization) => {
      const desk = createDesk();
      const response = await desk.fetch('/mcp', { method: 'POST', body: '{}', headers: { authorization } });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    },
  );

  it.each(['Basic YTpi', 'Digest x', 'Token x'])(
    'is missing with %s, which is no error',
    async (authorization) => {
      const desk = createDesk();
      const response = await desk.fetch('/mcp', { method: 'POST', body: '{}', headers: { authorization } });
      expect(response.headers.get('www-authenticate')).not.toContain('error=');
    },
  );
});
