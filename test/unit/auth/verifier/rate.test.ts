import { expect, test } from 'vitest';
import type { AuthSettings, VerifierBlock } from '../../../../src/settings/model.ts';
import { modern } from '../../mcp/fixture.ts';
import { BASE, createDesk } from '../fixture.ts';

const LIMIT = { requestsPerMinute: 1, burst: 2 };
const ISSUER = 'https://id.example';
const INTROSPECTION = { introspection_url: `${ISSUER}/introspect`, client_id: 'svc' };

/** A server in verifier mode. Tokens that begin with `good` are active. */
function start(more: Partial<VerifierBlock> = INTROSPECTION, rateLimit: typeof LIMIT | null = LIMIT) {
  const asked: string[] = [];
  const answer: typeof fetch = async (url, init) => {
    const token = new URLSearchParams(String(init?.body ?? '')).get('token');
    asked.push(token ?? String(url));
    if (token === null) return Response.json({}, { status: 503 });
    const active = { active: true, sub: token, aud: `${BASE}/mcp`, scope: 'svc:access' };
    return Response.json(token.startsWith('good') ? active : { active: false });
  };
  const verifier = { issuer: ISSUER, audience: [], ...more };
  const auth: Partial<AuthSettings> = { mode: 'verifier', provider: null, verifier };
  const desk = createDesk({ auth, parts: { fetch: answer }, app: { rateLimit } });
  const call = async (token: string, address = '192.0.2.1') => {
    const { body, headers } = modern('tools/call', { name: 'nothing', arguments: {} });
    const request = new Request(`${BASE}/mcp`, {
      method: 'POST',
      headers: {
        ...{ host: new URL(BASE).host, authorization: `Bearer ${token}` },
        ...{ 'content-type': 'application/json', accept: 'application/json', ...headers },
      },
      body: JSON.stringify(body),
    });
    return (await desk.app.fetch(request, { address })).status;
  };
  return { desk, asked, call };
}

const tokens = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${kind}-${index}`);

test('invented tokens of an address ask the issuer no more often than its limit allows', async () => {
  const { asked, call } = start();
  const statuses: number[] = [];
  for (const token of tokens('bad', 4)) statuses.push(await call(token));
  expect(statuses).toEqual([401, 401, 429, 429]);
  expect(asked).toEqual(['bad-0', 'bad-1']);
  expect(await call('bad-9', '192.0.2.2')).toBe(401);
});

test('nor do those that come at once', async () => {
  const { asked, call } = start();
  const statuses = await Promise.all(tokens('bad', 6).map((token) => call(token)));
  expect(statuses.toSorted()).toEqual([401, 401, 429, 429, 429, 429]);
  expect(asked).toHaveLength(2);
});

test('good tokens behind one address refuse no others, however many come at once', async () => {
  const { asked, call } = start();
  const statuses = await Promise.all(tokens('good', 6).map((token) => call(token)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(asked).toHaveLength(6);
  expect(await call('bad')).toBe(401);
});

test('an address that used up its limit still calls with a token that was checked before', async () => {
  const { asked, call } = start();
  expect(await call('good')).toBe(200);
  for (const token of tokens('bad', 3)) await call(token);
  expect(await call('good')).toBe(200);
  expect(await call('good-new')).toBe(429);
  expect(asked).toEqual(['good', 'bad-0', 'bad-1']);
});

test('nor do invented JWTs ask for keys while there are none', async () => {
  const { asked, call } = start({ jwks_url: `${ISSUER}/keys` });
  const header = Buffer.from('{"alg":"RS256","typ":"at+jwt"}').toString('base64url');
  const statuses: number[] = [];
  for (const end of tokens('bad', 4)) statuses.push(await call(`${header}.e30.${end}`));
  expect(statuses).toEqual([503, 503, 429, 429]);
  expect(asked).toEqual([`${ISSUER}/keys`, `${ISSUER}/keys`]);
});

test('without a limit, each token is asked about', async () => {
  const { asked, call } = start(INTROSPECTION, null);
  for (const token of tokens('bad', 4)) expect(await call(token)).toBe(401);
  expect(asked).toHaveLength(4);
});

test('many calls ask a server once whose discovery failed, and again after some seconds', async () => {
  const { desk, asked, call } = start({});
  const callAll = () => Promise.all([1, 2, 3, 4].map((host) => call('x', `192.0.2.${host}`)));
  expect(await call('x', '192.0.2.9')).toBe(503);
  expect(await callAll()).toEqual([503, 503, 503, 503]);
  expect(asked).toHaveLength(1);
  desk.clock.ms += 5_001;
  expect(await call('x', '192.0.2.9')).toBe(503);
  expect(asked).toHaveLength(2);
});
