import { base64url } from 'jose';
import { describe, expect, it } from 'vitest';
import { toClientId } from '../../../src/auth/clients/dynamic.ts';
import type { FetchDocument } from '../../../src/auth/types.ts';
import { createKeyRing, generateKey, type Purpose, parseKeys } from '../../../src/crypto/keys.ts';
import { createSealer } from '../../../src/crypto/seal.ts';
import { SvcError } from '../../../src/errors.ts';
import {
  authorizePath,
  authSettings,
  BASE,
  Browser,
  call,
  createDesk,
  type Desk,
  KEY,
  login,
  pkce,
  REDIRECT,
  register,
  tokens,
} from './fixture.ts';
import { createIdp } from './idp.ts';
import { createMemoryStore } from './memory-store.ts';

const hashOf = async (text: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');
const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error;
const withStore = () => createDesk({ parts: { store: createMemoryStore(() => Date.UTC(2026, 5, 1)) } });

/** The same code, ten times at once: the answers that gave tokens. */
async function redeemTen(desk: Desk): Promise<readonly Response[]> {
  const { fields } = await login(desk);
  const all = await Promise.all(Array.from({ length: 10 }, () => desk.form('/token', fields)));
  return all.filter(({ status }) => status === 200);
}

/** Every artefact that this server gives out, from real logins. */
async function artefacts() {
  const desk = withStore();
  desk.idp.expiresIn = 3_600;
  const bare = createDesk({ idp: desk.idp });
  const dcr = await register(desk, { token_endpoint_auth_method: 'client_secret_basic' });
  const browser = new Browser(desk);
  const { client_id, code } = await login(desk, {}, browser);
  const page = await (
    await browser.go(authorizePath(client_id, pkce().challenge, { scope: 'sales:read' }))
  ).text();
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const away = await browser.go(authorizePath(client_id, pkce().challenge));
  const [, tx = ''] = /__Host-svc-tx-[\w-]+=([^;]+)/.exec(away.headers.get('set-cookie') ?? '') ?? [];
  const kept = await tokens(desk);
  const whole = await tokens(bare);
  return {
    desk,
    client_id,
    all: {
      'an access token': whole.access_token,
      'a handle': kept.access_token,
      'a refresh token': kept.refresh_token,
      'a code': code,
      'a ticket': ticket,
      'a trip': tx,
      'a consent': browser.cookies.get('__Host-svc-consent') ?? '',
      'a list of sessions': browser.cookies.get('__Host-svc-sessions') ?? '',
      'a client id': dcr.client_id,
      'a client secret': dcr.client_secret ?? '',
    },
  };
}

describe('each artefact in the place of every other', async () => {
  const { desk, client_id, all } = await artefacts();
  const rows = Object.entries(all);

  it('is there', () => {
    for (const [name, value] of rows) expect([name, value.length > 40]).toEqual([name, true]);
  });

  it.each(rows)('%s', async (name, value) => {
    const token = name === 'a handle' || name === 'an access token';
    expect((await call(desk, value)).status).toBe(token ? 200 : 401);
    const code = { grant_type: 'authorization_code', client_id, code: value, redirect_uri: REDIRECT };
    expect(await errorOf(await desk.form('/token', { ...code, code_verifier: 'v'.repeat(43) }))).toBe(
      'invalid_grant',
    );
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token: value };
    const refreshed = await errorOf(await desk.form('/token', refresh));
    expect(refreshed).toBe(name === 'a refresh token' ? undefined : 'invalid_grant');
    const known = await desk.fetch(authorizePath(value, pkce().challenge));
    expect(known.status).toBe(name === 'a client id' ? 200 : 400);
    const answered = await desk.form(
      '/authorize',
      { ticket: value, answer: 'allow' },
      { cookie: `__Host-svc-browser=${'b'.repeat(22)}` },
    );
    expect(answered.status).toBe(name === 'a ticket' ? 403 : 400);
    const state = 's'.repeat(22);
    const headers = { cookie: `__Host-svc-tx-${state}=${value}` };
    const back = await desk.fetch(`/callback?state=${state}&code=x`, { headers });
    expect(back.status).toBe(name === 'a trip' ? 303 : 400);
  });
});

describe('an access token', () => {
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

  it('must not be for another resource, though our key sealed it', async () => {
    const ring = createKeyRing(parseKeys([KEY]));
    const desk = createDesk();
    const sealer = createSealer({ ring, now: () => desk.clock.ms, notBefore: null });
    const who = { i: '1', un: null, em: null, nm: null, gr: [], rl: null, pm: [], cp: [], cl: {} };
    const claims = { h: 'x', sc: ['svc:access'], id: 'x', sid: 'x', idp: 'github', who };
    const seal = (aud: string) => sealer.seal('access', BASE, { ...claims, aud }, 60);
    expect((await call(desk, await seal(`${BASE}/mcp`))).status).toBe(200);
    expect((await call(desk, await seal(`${BASE}/other`))).status).toBe(401);
  });

  it.each(['access_token', 'token'])('is not read from the address (%s)', async (name) => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const response = await desk.fetch(`/mcp?${name}=${access_token}`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(name === 'token' ? 401 : 400);
  });

  it('is not read from a cookie', async () => {
    const desk = createDesk();
    const { access_token } = await tokens(desk);
    const headers = { cookie: `access_token=${access_token}; __Host-svc-browser=${access_token}` };
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

describe('a code', () => {
  const redeem = async (change: Record<string, string>, desk = createDesk()) => {
    const { fields } = await login(desk);
    const before = desk.idp.asked.length;
    const refused = await desk.form('/token', { ...fields, ...change });
    const asked = desk.idp.asked.length - before;
    return { error: await errorOf(refused), asked, again: await desk.form('/token', fields) };
  };

  it.each([
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: 'v' }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another redirect', { redirect_uri: `${REDIRECT}/` }, 'invalid_grant'],
    ['no redirect', { redirect_uri: '' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another client', { client_id: 'known', client_secret: 'known-secret' }, 'invalid_grant'],
    ['a client that is none', { client_id: 'nobody' }, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('is refused with %s, and the owner can still redeem it', async (_name, change, error) => {
    const { again, ...refused } = await redeem(change);
    expect(refused).toEqual({ error, asked: 0 });
    expect(again.status).toBe(200);
  });

  it('counts once, with a store and without', async () => {
    for (const desk of [createDesk(), withStore()]) {
      const { fields } = await login(desk);
      expect((await desk.form('/token', fields)).status).toBe(200);
      expect(await errorOf(await desk.form('/token', fields))).toBe('invalid_grant');
    }
  });

  it('counts once for ten that come at the same time', async () => {
    const desk = createDesk();
    expect(await redeemTen(desk)).toHaveLength(1);
  });

  it('opens nothing that lasts for ten that come at the same time, where there is a store', async () => {
    const desk = withStore();
    const good = await redeemTen(desk);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const response of good) {
      const { access_token } = (await response.json()) as { access_token: string };
      expect((await call(desk, access_token)).status).toBe(401);
    }
  });

  it('is over after a minute', async () => {
    const desk = createDesk();
    const { fields } = await login(desk);
    desk.clock.ms += 60_000;
    expect(await errorOf(await desk.form('/token', fields))).toBe('invalid_grant');
  });
});

describe('/authorize', () => {
  const ask = async (more: Record<string, string | null>, desk = createDesk()) => {
    const { client_id } = await register(desk, {
      redirect_uris: [REDIRECT, 'http://127.0.0.1:5000/cb?x=1', 'cursor://app/cb', 'http://localhost/cb'],
    });
    return desk.fetch(authorizePath(client_id, pkce().challenge, more));
  };

  it.each([
    `${REDIRECT}/`,
    `${REDIRECT}/more`,
    `${REDIRECT}?x=1`,
    `${REDIRECT}#x`,
    'https://client.example',
    'https://client.example.evil.example/back',
    'https://client.example@evil.example/back',
    'https://evil.example\\@client.example/back',
    'https:\\\\client.example\\back',
    '//client.example/back',
    'https://CLIENT.example/back',
    'HTTPS://client.example/back',
    'https://client.example/BACK',
    'https://client.example/%62ack',
    'https://client.example/x/../back',
    'https://client.example:443/back',
    'http://client.example/back',
    ' https://client.example/back',
    'https://client.example/back\t',
    'http://127.0.0.1:5001/cb',
    'http://127.0.0.1:5000/cb?x=1&y=2',
    'http://127.0.0.1:70000/cb?x=1',
    'http://127.0.0.1:5000@evil.example/cb?x=1',
    'http://127.0.0.2:5000/cb?x=1',
    'https://127.0.0.1:5000/cb?x=1',
    'http://localhost.evil.example/cb',
    'cursor://app/cb',
    'javascript:alert(1)',
  ])('sends nobody to %s', async (redirect_uri) => {
    const response = await ask({ redirect_uri });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(response.headers.get('content-type')).toContain('text/html');
  });

  it.each(['http://127.0.0.1:61234/cb?x=1', 'http://localhost:9/cb', 'http://localhost/cb'])(
    'lets the port of this machine be any: %s',
    async (redirect_uri) => {
      expect((await ask({ redirect_uri })).status).toBe(200);
    },
  );

  it.each([
    ['no PKCE', { code_challenge: null }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE of no method', { code_challenge_method: null }, 'invalid_request'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'x' }, 'invalid_request'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a resource that only begins alike', { resource: `${BASE}/mcp/more` }, 'invalid_target'],
    ['a resource with a name in it', { resource: 'https://svc.example@evil.example/mcp' }, 'invalid_target'],
  ])('tells the client about %s', async (_name, more, error) => {
    const response = await ask(more);
    const back = new URL(response.headers.get('location') ?? 'about:blank');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'of-the-client', iss: BASE });
  });

  it.each([`${BASE}/mcp`, `${BASE}/mcp/`, 'HTTPS://SVC.example/mcp'])(
    'takes the resource %s',
    async (resource) => {
      expect((await ask({ resource })).status).toBe(200);
    },
  );

  it('refuses what is repeated, and what is too long', async () => {
    const desk = createDesk();
    const path = authorizePath('known', pkce().challenge);
    for (const more of [
      '&client_id=other',
      '&redirect_uri=https%3A%2F%2Fevil.example',
      `&state=${'x'.repeat(1_025)}`,
    ]) {
      expect((await desk.fetch(`${path}${more}`)).status).toBe(400);
    }
  });

  it('refuses a client that is blocked', async () => {
    const desk = createDesk();
    const { client_id } = await register(desk);
    expect((await desk.fetch(authorizePath(client_id, pkce().challenge))).status).toBe(200);
    const hash = await hashOf(client_id);
    for (const written of [hash, hash.toUpperCase()]) {
      const blocked = createDesk({ auth: { blocked_clients: [written] } });
      expect((await blocked.fetch(authorizePath(client_id, pkce().challenge))).status).toBe(400);
    }
  });

  it('takes no token of a client that is blocked', async () => {
    const desk = createDesk();
    const { access_token, client_id } = await tokens(desk);
    const blocked = createDesk({ idp: desk.idp, auth: { blocked_clients: [await hashOf(client_id)] } });
    expect((await call(blocked, access_token)).status).toBe(401);
  });

  it('does not start with a block that blocks nobody', () => {
    expect(() => createDesk({ auth: { blocked_clients: ['dcr_eyJh'] } })).toThrow(/blocked_clients/);
  });
});

describe('a client id', () => {
  it('is refused when anything in it is changed, or another key signed it', async () => {
    const desk = createDesk();
    const { client_id } = await register(desk);
    const [header = '', payload = '', signature = ''] = client_id.slice(4).split('.');
    const other = JSON.stringify({
      ...JSON.parse(new TextDecoder().decode(base64url.decode(payload))),
      n: 'Other',
    });
    const none = base64url.encode(JSON.stringify({ alg: 'none', kid: KEY.kid, typ: 'svc-client+jws' }));
    const foreign = createKeyRing(parseKeys([{ ...generateKey(), kid: KEY.kid }]));
    const registration = {
      n: 'x',
      r: [REDIRECT],
      g: ['authorization_code' as const],
      m: 'none' as const,
      s: [],
      t: 1,
    };
    const ids = [
      `dcr_${header}.${base64url.encode(other)}.${signature}`,
      `dcr_${none}.${payload}.`,
      `dcr_${none}.${payload}.${signature}`,
      `dcr_${header}.${payload}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'B' : 'A'}`,
      `dcr_${header}.${payload}`,
      'dcr_',
      'dcr_...',
      await toClientId(foreign, BASE, registration),
      await toClientId(createKeyRing(parseKeys([KEY])), 'https://other.example', registration),
    ];
    for (const id of ids) {
      const response = await desk.fetch(authorizePath(id, pkce().challenge));
      expect([id, response.status]).toEqual([id, 400]);
    }
  });
});

describe('the consent page', () => {
  const open = async (desk: Desk, more: Record<string, unknown> = {}) => {
    const { client_id } = await register(desk, more);
    const browser = new Browser(desk);
    const response = await browser.go(authorizePath(client_id, pkce().challenge));
    return { browser, response, page: await response.text() };
  };

  it('runs nothing, loads nothing, is framed by nobody and kept nowhere', async () => {
    const { response, page } = await open(createDesk());
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'strict-origin',
    });
    expect(page).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|url\(|src=/i);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('shows what a client calls itself as text', async () => {
    const name = `<script>alert(1)</script>"'&\u202Egnp.exe\u0000`;
    const { page } = await open(createDesk(), { client_name: name });
    expect(page).not.toContain('<script');
    expect(page).not.toContain('\u202E');
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  });

  it('warns about programs on this computer, and names the host of others', async () => {
    const { page } = await open(createDesk());
    expect(page).toContain('<strong>client.example</strong>');
    const desk = createDesk();
    const { client_id } = await register(desk, { redirect_uris: ['http://localhost:7/cb'] });
    const local = await desk.fetch(
      authorizePath(client_id, pkce().challenge, { redirect_uri: 'http://localhost:7/cb' }),
    );
    expect(await local.text()).toContain('Any program on this computer can ask like this');
  });

  it.each([
    ['another browser', (browser: Browser) => browser.cookies.set('__Host-svc-browser', 'x'.repeat(22)), {}],
    ['a browser without its cookie', (browser: Browser) => browser.cookies.clear(), {}],
    ['a page of another site', () => {}, { 'sec-fetch-site': 'cross-site' }],
    ['a page of a sibling site', () => {}, { 'sec-fetch-site': 'same-site' }],
    ['nowhere', () => {}, { 'sec-fetch-site': 'none' }],
  ])('takes no answer from %s', async (_name, change, headers) => {
    const { browser, page } = await open(createDesk());
    change(browser);
    expect((await browser.answer(page, 'allow', headers as Record<string, string>)).status).toBe(403);
  });

  it('takes no answer after ten minutes', async () => {
    const desk = createDesk();
    const { browser, page } = await open(desk);
    desk.clock.ms += 600_000;
    expect((await browser.answer(page, 'allow')).status).toBe(400);
  });

  it('takes an answer without a known button for a no', async () => {
    const { browser, page } = await open(createDesk());
    const response = await browser.answer(page, 'other' as 'deny');
    expect(response.headers.get('location')).toContain('error=access_denied');
  });
});

describe('the callback', () => {
  const start = async () => {
    const desk = createDesk();
    const browser = new Browser(desk);
    const away = await browser.go(authorizePath('known', pkce().challenge));
    const back =
      desk.idp.authorize(new URL(away.headers.get('location') ?? '')).headers.get('location') ?? '';
    return { desk, browser, back };
  };

  it('is for the browser that left', async () => {
    const { desk, browser, back } = await start();
    expect((await desk.fetch(back)).status).toBe(400);
    expect((await new Browser(desk).go(back)).status).toBe(400);
    expect((await browser.go(back)).status).toBe(303);
  });

  it('D25: is for once: its cookie is gone', async () => {
    const { browser, back } = await start();
    expect((await browser.go(back)).status).toBe(303);
    expect((await browser.go(back)).status).toBe(400);
  });

  it.each(['', '?state=', '?state=unknown&code=x', `?state=${'x'.repeat(22)}&code=x`, '?code=x', '?error=x'])(
    'D25: without a login that it belongs to is a page, never a 500: %s',
    async (query) => {
      const response = await createDesk().fetch(`/callback${query}`);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(response.headers.get('content-type')).toContain('text/html');
    },
  );

  it('fits into a cookie, or the client is told at once', async () => {
    const desk = createDesk();
    const asked = (state: string) => desk.fetch(authorizePath('known', pkce().challenge, { state }));
    const fits = await asked('x'.repeat(1_024));
    expect(fits.headers.getSetCookie().join().length).toBeLessThan(4_096);
    expect(fits.headers.get('location')).toContain(desk.idp.origin);
    const large = await asked('漢'.repeat(1_024));
    const back = new URL(large.headers.get('location') ?? '');
    expect([back.origin, back.searchParams.get('error')]).toEqual([
      new URL(REDIRECT).origin,
      'invalid_request',
    ]);
    expect(large.headers.getSetCookie()).toEqual([]);
  });

  it('is over after ten minutes', async () => {
    const { desk, browser, back } = await start();
    desk.clock.ms += 600_000;
    expect((await browser.go(back)).status).toBe(400);
  });

  it('lets a browser sign in on four pages side by side', async () => {
    const desk = createDesk();
    const browser = new Browser(desk);
    const backs: string[] = [];
    for (let tab = 0; tab < 6; tab += 1) {
      const away = await browser.go(authorizePath('known', pkce().challenge));
      backs.push(
        desk.idp.authorize(new URL(away.headers.get('location') ?? '')).headers.get('location') ?? '',
      );
    }
    const ended: number[] = [];
    for (const back of backs) ended.push((await browser.go(back)).status);
    expect(ended).toEqual([400, 400, 303, 303, 303, 303]);
  });
});

describe('a client that is known by a document', () => {
  const ID = 'https://app.example/client.json';
  const sound = { client_id: ID, client_name: 'App', redirect_uris: [REDIRECT] };
  const desk = (document: unknown, cacheControl: string | null = null) => {
    const fetched: string[] = [];
    const fetchDocument: FetchDocument = async (url) => {
      fetched.push(url.href);
      if (document instanceof Error) throw document;
      const text = typeof document === 'string' ? document : JSON.stringify(document);
      return { text, cacheControl };
    };
    return Object.assign(createDesk({ parts: { fetchDocument } }), { fetched });
  };

  it('signs in, and the page names its address', async () => {
    const app = desk(sound);
    const page = await app.fetch(authorizePath(ID, pkce().challenge));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(ID)]);
    const { fields } = await login(app, {}, new Browser(app), ID);
    expect((await app.form('/token', fields)).status).toBe(200);
  });

  it.each([
    ['what it says', 'max-age=600', 599, 1],
    ['what it says', 'max-age=600', 601, 2],
    ['a day at most', 'max-age=999999', 86_401, 2],
    ['not at all', 'no-store', 0, 2],
    ['five minutes', null, 301, 2],
  ])('is kept for %s (%s)', async (_name, cacheControl, seconds, times) => {
    const app = desk(sound, cacheControl);
    await app.fetch(authorizePath(ID, pkce().challenge));
    app.clock.ms += seconds * 1_000;
    await app.fetch(authorizePath(ID, pkce().challenge));
    expect(app.fetched).toHaveLength(times);
  });

  it.each([
    ['another client', { ...sound, client_id: `${ID}x` }],
    ['no name', { ...sound, client_name: undefined }],
    ['no redirect', { ...sound, redirect_uris: [] }],
    ['a redirect that runs', { ...sound, redirect_uris: ['javascript:alert(1)', REDIRECT] }],
    ['a secret', { ...sound, client_secret: 'x' }],
    [
      'a way to prove itself that is not offered',
      { ...sound, token_endpoint_auth_method: 'private_key_jwt' },
    ],
    ['a list', []],
    ['no JSON', '<html>'],
    ['nothing, because it was refused', new SvcError('client_invalid', 'not public')],
  ])('is refused when its document has %s', async (_name, document) => {
    const response = await desk(document).fetch(authorizePath(ID, pkce().challenge));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it.each([
    'http://app.example/client.json',
    'https://app.example/',
    'https://app.example',
    'https://u:p@app.example/c.json',
    'https://app.example/c.json#x',
    'https://app.example/../c.json',
    'https://app.example/a/./c.json',
    'https://app.example/%2e%2e/c.json',
    'https://[::1]/c.json',
    'file:///etc/passwd',
  ])('is not asked for at %s', async (id) => {
    const app = desk(sound);
    expect((await app.fetch(authorizePath(id, pkce().challenge))).status).toBe(400);
    expect(app.fetched).toEqual([]);
  });

  it('is not asked for at all where that is not safe', async () => {
    const response = await createDesk().fetch(authorizePath(ID, pkce().challenge));
    expect(response.status).toBe(400);
  });
});

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

  it('D27: is the scheme of the proxy only where it is trusted', async () => {
    const base = 'http://localhost:8000';
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };
    const alone = createDesk({ base, http: { base_url: null } });
    expect(await metadata(alone, https)).toBe('http://localhost:8000/mcp');
    const behind = createDesk({ base, http: { base_url: null, trust_proxy: true } });
    expect(await metadata(behind, https)).toBe('https://localhost:8000/mcp');
    expect(await metadata(behind, { 'x-forwarded-proto': 'gopher' })).toBe('http://localhost:8000/mcp');
  });

  it('D27: decides on the redirect, the cookies and the challenge together', async () => {
    const base = 'http://svc.internal:8000';
    const desk = createDesk({ base, http: { base_url: null, trust_proxy: true } });
    const headers = { 'x-forwarded-proto': 'https' };
    const away = await desk.fetch(authorizePath('known', pkce().challenge), { headers });
    const url = new URL(away.headers.get('location') ?? '');
    expect(url.searchParams.get('redirect_uri')).toBe('https://svc.internal:8000/callback');
    expect(away.headers.get('set-cookie')).toMatch(/^__Host-svc-tx-.*; Secure/);
    const refused = await desk.fetch('/mcp', { method: 'POST', body: '{}', headers });
    expect(refused.headers.get('www-authenticate')).toContain('"https://svc.internal:8000/.well-known/');
    const plain = await desk.fetch(authorizePath('known', pkce().challenge));
    expect([plain.status, plain.headers.get('location')]).toEqual([400, null]);
    expect((await desk.fetch('/mcp', { method: 'POST', body: '{}' })).status).toBe(400);
  });

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
    const desk = createDesk({ base: 'http://localhost:8123', http: { base_url: null } });
    const away = await desk.fetch(authorizePath('known', pkce().challenge));
    expect(away.headers.get('set-cookie')).toMatch(
      /^svc8123-tx-[\w-]{22}=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
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

describe('noise', () => {
  const PURPOSES: readonly Purpose[] = ['access', 'code', 'refresh', 'ticket', 'tx'];

  it('in every place is an error that clients understand', async () => {
    const desk = withStore();
    const texts = [
      '',
      'null',
      '{}',
      '%',
      '%00',
      '\u0000',
      'a'.repeat(70_000),
      '=&=&',
      'client_id[]=x',
      '\u{1F600}',
    ];
    const paths = ['/token', '/revoke', '/register', '/authorize', '/logout', '/callback'];
    const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', ''];
    for (const path of paths) {
      for (const type of types) {
        for (const body of texts) {
          const response = await desk.fetch(path, {
            method: 'POST',
            headers: { 'content-type': type },
            body,
          });
          expect([path, type, body.slice(0, 20), response.status < 500]).toEqual([
            path,
            type,
            body.slice(0, 20),
            true,
          ]);
        }
      }
      for (const text of texts) {
        const query = encodeURIComponent(text);
        for (const name of ['client_id', 'state', 'code', 'redirect_uri']) {
          const response = await desk.fetch(`${path}?${name}=${query}`);
          expect([path, name, response.status < 500]).toEqual([path, name, true]);
        }
      }
    }
  });

  it('that our own key sealed is refused too', async () => {
    const desk = withStore();
    const ring = createKeyRing(parseKeys([KEY]));
    const sealer = createSealer({ ring, now: () => desk.clock.ms, notBefore: null });
    for (const purpose of PURPOSES) {
      for (const claims of [{}, { sc: 1 }, { h: null }]) {
        const text = await sealer.seal(purpose, BASE, claims, 60);
        expect((await call(desk, text)).status).toBe(401);
        const known = { client_id: 'known', client_secret: 'known-secret' };
        const code = { grant_type: 'authorization_code', code: text, code_verifier: 'v'.repeat(43) };
        expect(await errorOf(await desk.form('/token', { ...known, ...code }))).toBe('invalid_grant');
        const refresh = { grant_type: 'refresh_token', refresh_token: text };
        expect(await errorOf(await desk.form('/token', { ...known, ...refresh }))).toBe('invalid_grant');
      }
    }
  });
});
