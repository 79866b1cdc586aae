import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import { authSettings, call, createDesk, type Desk, type Given, grantTo, login, tokens } from './fixture.ts';
import { createMemoryStore } from './memory-store.ts';

/** A desk with a store on the same clock. */
function create(
  expiresIn: number | null = 7_200,
  other?: Desk & { readonly store: object },
  given: Pick<Given, 'auth' | 'parts'> = {},
) {
  const clock = { ms: Date.UTC(2026, 5, 1) };
  const store = (other?.store ?? createMemoryStore(() => clock.ms)) as ReturnType<typeof createMemoryStore>;
  const desk = createDesk({
    auth: given.auth ?? {},
    parts: { store, ...given.parts },
    ...(other && { idp: other.idp }),
  });
  Object.defineProperty(clock, 'ms', { get: () => desk.clock.ms });
  desk.idp.expiresIn = expiresIn;
  return Object.assign(desk, { store });
}

type Answer = { access_token: string; refresh_token: string; error?: string; scope: string };

async function refresh(desk: Desk, client_id: string, refresh_token: string, more: object = {}) {
  const form = { grant_type: 'refresh_token', client_id, refresh_token, ...more };
  const response = await desk.form('/token', form);
  return { status: response.status, ...((await response.json()) as Answer) };
}

describe('a refresh token', () => {
  // Requirements: as.rotation
  it('is for one use: it gives a new one, and the access token still knows the person', async () => {
    const desk = create();
    const first = await tokens(desk);
    const second = await refresh(desk, first.client_id, first.refresh_token);
    expect([second.status, second.scope]).toEqual([200, 'svc:access']);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const third = await refresh(desk, first.client_id, second.refresh_token);
    expect((await call(desk, third.access_token)).status).toBe(200);
    expect(desk.users[0]).toMatchObject({ id: '1815', externalToken: expect.stringMatching(/^ghu_/) });
  });

  it('gives ten processes that use it at once the same successor', async () => {
    const desk = create(600);
    const { client_id, refresh_token } = await tokens(desk);
    desk.clock.ms += 550_000;
    const asked = desk.idp.asked.length;
    const all = await Promise.all(Array.from({ length: 10 }, () => refresh(desk, client_id, refresh_token)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    const [successor, ...others] = new Set(all.map((one) => one.refresh_token));
    expect(others).toEqual([]);
    const renewals = desk.idp.asked.slice(asked).filter((path) => path === '/token');
    expect(renewals).toHaveLength(1);
    expect((await refresh(desk, client_id, successor ?? '')).status).toBe(200);
  });

  it('does so on two instances at once, which share the store', async () => {
    const one = create(600);
    const other = create(600, one);
    const { client_id, refresh_token } = await tokens(one);
    one.clock.ms += 550_000;
    other.clock.ms += 550_000;
    const asked = one.idp.asked.length;
    const desks = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other));
    const all = await Promise.all(desks.map((desk) => refresh(desk, client_id, refresh_token)));
    expect(all.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(all.map((answer) => answer.refresh_token)).size).toBe(1);
    expect(one.idp.asked.slice(asked).filter((path) => path === '/token')).toHaveLength(1);
  });

  // Requirements: as.rotation, state.others
  it('that is used again within a minute gets the same successor, and later ends the whole session', async () => {
    const desk = create();
    const first = await tokens(desk);
    const second = await refresh(desk, first.client_id, first.refresh_token);
    desk.clock.ms += 59_000;
    const repeated = await refresh(desk, first.client_id, first.refresh_token);
    expect(repeated.refresh_token).toBe(second.refresh_token);
    desk.clock.ms += 1_000;
    const reused = await refresh(desk, first.client_id, first.refresh_token);
    expect([reused.status, reused.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(desk, first.client_id, second.refresh_token)).error).toBe('invalid_grant');
    expect((await call(desk, second.access_token)).status).toBe(401);
  });

  it('that is older than the last two ends the session at once', async () => {
    const desk = create();
    const first = await tokens(desk);
    const second = await refresh(desk, first.client_id, first.refresh_token);
    const third = await refresh(desk, first.client_id, second.refresh_token);
    expect((await refresh(desk, first.client_id, first.refresh_token)).error).toBe('invalid_grant');
    expect((await refresh(desk, first.client_id, third.refresh_token)).error).toBe('invalid_grant');
  });

  it('D26: is of one client', async () => {
    const desk = create();
    const [first, other] = [await tokens(desk), await tokens(desk)];
    const { error } = await refresh(desk, 'known', first.refresh_token, { client_secret: 'known-secret' });
    expect(error).toBe('invalid_grant');
    expect(other.client_id).not.toBe('known');
  });

  it('asks for fewer scopes, never for more', async () => {
    const auth = { grants: grantTo({ emails: ['ada@example.com'] }, 'sales:read', 'audit:read') };
    const desk = create(7_200, undefined, { auth });
    const { client_id, refresh_token } = await tokens(desk, { scope: 'svc:access sales:read' });
    const wider = await refresh(desk, client_id, refresh_token, { scope: 'svc:access audit:read' });
    expect(wider.error).toBe('invalid_scope');
    const narrow = await refresh(desk, client_id, refresh_token, { scope: 'svc:access' });
    expect(narrow.scope).toBe('svc:access');
    expect((await call(desk, narrow.access_token, 'sales')).status).toBe(403);
  });

  // Requirements: oauth.endpoints, state.others
  it('D26: is over after 30 days without use, and after 90 whatever happens', async () => {
    const desk = create(null);
    desk.idp.expiresIn = 365 * 86_400;
    const idle = await tokens(desk);
    const { client_id, ...first } = await tokens(desk);
    let { refresh_token } = first;
    for (let week = 0; week < 12; week += 1) {
      desk.clock.ms += 7 * 86_400_000;
      const next = await refresh(desk, client_id, refresh_token);
      expect([week, next.status]).toEqual([week, 200]);
      refresh_token = next.refresh_token;
    }
    expect((await refresh(desk, idle.client_id, idle.refresh_token)).error).toBe('invalid_grant');
    desk.clock.ms += 7 * 86_400_000;
    expect((await refresh(desk, client_id, refresh_token)).error).toBe('invalid_grant');
  });

  // Requirements: condition.expired, oauth.endpoints
  it('is not given without a store', async () => {
    const desk = createDesk();
    desk.idp.expiresIn = 7_200;
    const { refresh_token, client_id } = await tokens(desk);
    expect(refresh_token).toBeUndefined();
    expect((await refresh(desk, client_id, 'x')).error).toBe('invalid_grant');
  });
});

describe("the provider's token", () => {
  // Requirements: auth.persistence.refresh, oauth.endpoints
  it.each([
    ['before it ends', 545_000],
    ['after its end', 605_000],
  ])('is renewed %s, for a call that comes then', async (_name, ms) => {
    const desk = create(600);
    const { access_token, expires_in } = await tokens(desk);
    expect(expires_in).toBe(3_600);
    await call(desk, access_token);
    desk.clock.ms += ms;
    await Promise.all(Array.from({ length: 5 }, () => call(desk, access_token)));
    const [before, ...after] = desk.users.map((user) => user?.externalToken);
    expect(new Set(after).size).toBe(1);
    expect(after[0]).toMatch(/^ghu_/);
    expect(after[0]).not.toBe(before);
  });

  it('brings what is new about the person', async () => {
    const desk = create(600);
    const { access_token } = await tokens(desk);
    desk.idp.user = { ...desk.idp.user, name: 'Countess of Lovelace' };
    desk.clock.ms += 545_000;
    await call(desk, access_token);
    expect(desk.users[0]?.name).toBe('Countess of Lovelace');
  });

  it('ends the session with it when the provider says no', async () => {
    const desk = create(600);
    const { access_token, client_id, refresh_token } = await tokens(desk);
    desk.clock.ms += 545_000;
    desk.idp.broken = () => Response.json({ error: 'bad_refresh_token' });
    expect((await call(desk, access_token)).status).toBe(401);
    desk.idp.broken = null;
    expect((await refresh(desk, client_id, refresh_token)).error).toBe('invalid_grant');
  });

  it.each([
    ['a page of a firewall', 403, '<h1>blocked</h1>'],
    ['a page of a proxy', 400, '<h1>bad request</h1>'],
    ['a JSON error of a gateway', 403, '{"error":"Forbidden"}'],
    ['a time limit', 408, ''],
  ])('does not end the session after %s', async (_name, status, text) => {
    const desk = create(600);
    const { access_token, client_id, refresh_token } = await tokens(desk);
    desk.clock.ms += 605_000;
    const type = text.startsWith('{') ? 'application/json' : 'text/html';
    desk.idp.broken = () => new Response(text, { status, headers: { 'content-type': type } });
    expect((await call(desk, access_token)).status).toBe(200);
    expect((await refresh(desk, client_id, refresh_token)).status).toBe(503);
    desk.idp.broken = null;
    expect((await refresh(desk, client_id, refresh_token)).status).toBe(200);
  });

  it('does not end it when the provider is away: calls go on, and refreshes are told to come again', async () => {
    const desk = create(600);
    const { access_token, client_id, refresh_token } = await tokens(desk);
    desk.clock.ms += 605_000;
    desk.idp.broken = () => new Response(null, { status: 503 });
    expect((await call(desk, access_token)).status).toBe(200);
    expect(desk.users[0]?.externalToken).toBeNull();
    const refused = await refresh(desk, client_id, refresh_token);
    expect([refused.status, refused.error]).toEqual([503, 'temporarily_unavailable']);
    desk.idp.broken = null;
    expect((await refresh(desk, client_id, refresh_token)).status).toBe(200);
  });
});

/** What the provider is asked goes through here. */
function through(desk: Desk, pass: (request: Request) => Promise<Response> | null): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    return pass(request) ?? desk.idp.fetch(input, init);
  };
}

describe('a user with long facts', () => {
  const named = (desk: Desk, length: number) => {
    desk.idp.user = { ...desk.idp.user, name: 'x'.repeat(length) };
  };

  it('signs in, calls and refreshes as others do', async () => {
    const desk = create();
    named(desk, 100_000);
    const { access_token, client_id, refresh_token } = await tokens(desk);
    expect((await call(desk, access_token)).status).toBe(200);
    expect(desk.users[0]?.name).toHaveLength(100_000);
    expect((await refresh(desk, client_id, refresh_token)).status).toBe(200);
  });

  it('keeps the session when a renewal brings more of them', async () => {
    const desk = create(600);
    const { access_token } = await tokens(desk);
    named(desk, 100_000);
    desk.clock.ms += 545_000;
    for (const time of [1, 2]) expect([time, (await call(desk, access_token)).status]).toEqual([time, 200]);
    expect(desk.users[1]?.name).toHaveLength(100_000);
  });

  it('that no store keeps cannot sign in, and the log says why', async () => {
    const desk = create();
    named(desk, 400_000);
    const { back } = await login(desk);
    expect(back.searchParams.get('error')).toBe('server_error');
    expect(desk.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringMatching(/make a session of \d{6} characters, more than a store keeps \(400000\)/),
    ]);
  });

  it('that no store keeps since a renewal fails their calls, and the log says why', async () => {
    const desk = create(600);
    const { access_token } = await tokens(desk);
    named(desk, 400_000);
    desk.clock.ms += 545_000;
    expect((await call(desk, access_token)).status).toBe(500);
    expect(desk.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('more than a store keeps'),
    ]);
  });
});

describe('a provider in trouble', () => {
  it('does not cost the tokens that it has just given: they are kept before it is asked who it is', async () => {
    const desk = create(600);
    const { access_token, client_id, refresh_token } = await tokens(desk);
    desk.idp.user = { ...desk.idp.user, name: 'Countess of Lovelace' };
    let away = true;
    const failing = through(desk, ({ url }) =>
      away && url.includes('/api') ? Promise.resolve(new Response(null, { status: 503 })) : null,
    );
    const other = create(600, desk, { parts: { fetch: failing } });
    other.clock.ms += 605_000;
    desk.clock.ms += 605_000;
    expect((await call(other, access_token)).status).toBe(200);
    expect(other.users[0]).toMatchObject({
      externalToken: expect.stringMatching(/^ghu_/),
      name: 'Ada Lovelace',
    });
    away = false;
    expect((await refresh(other, client_id, refresh_token)).status).toBe(200);
    await call(other, access_token);
    expect(other.users[1]?.name).toBe('Countess of Lovelace');
  });

  it('is asked by calls no more than every half minute', async () => {
    const desk = create(600);
    const { access_token } = await tokens(desk);
    desk.clock.ms += 605_000;
    desk.idp.broken = () => new Response(null, { status: 503 });
    const asked = desk.idp.asked.length;
    for (let time = 0; time < 3; time += 1) expect((await call(desk, access_token)).status).toBe(200);
    expect(desk.idp.asked.slice(asked)).toEqual(['/token']);
    desk.clock.ms += 31_000;
    desk.idp.broken = null;
    await call(desk, access_token);
    expect(desk.users.at(-1)?.externalToken).toMatch(/^ghu_/);
  });

  it.each([
    ['a secret that was replaced there', () => Response.json({ error: 'invalid_client' }, { status: 401 })],
    ['an address that is gone', () => new Response('', { status: 404 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://other.example' } })],
  ])('does not stop calls after %s, and is asked every half minute', async (_name, broken) => {
    const desk = create(600);
    const { access_token, client_id, refresh_token } = await tokens(desk);
    desk.clock.ms += 605_000;
    desk.idp.broken = broken;
    const asked = desk.idp.asked.length;
    for (let time = 0; time < 3; time += 1) expect((await call(desk, access_token)).status).toBe(200);
    expect(desk.idp.asked.slice(asked)).toEqual(['/token']);
    expect(desk.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('a token was not renewed: GitHub '),
    ]);
    expect((await refresh(desk, client_id, refresh_token)).status).toBe(503);
    desk.idp.broken = null;
    expect((await refresh(desk, client_id, refresh_token)).status).toBe(200);
  });

  it('does not stop calls either where the store takes nothing more', async () => {
    const desk = create(600);
    const { access_token } = await tokens(desk);
    desk.clock.ms += 605_000;
    const full = () => Promise.reject(new SvcError('login_unavailable', 'The disk is full.'));
    Object.assign(desk.store, { claimOnce: full, put: full });
    expect((await call(desk, access_token)).status).toBe(200);
    expect(desk.users[0]).toMatchObject({ id: '1815', externalToken: null });
  });

  it('is asked to the end, though the caller who was first goes away', async () => {
    const desk = create(600);
    const { access_token } = await tokens(desk);
    const gone = new AbortController();
    // as fetch does it: with an aborted signal there is no answer
    const leaving = through(desk, ({ url, signal }) => {
      if (!url.endsWith('/token')) return null;
      gone.abort();
      return signal.aborted ? Promise.reject(signal.reason) : null;
    });
    const other = create(600, desk, { parts: { fetch: leaving } });
    other.clock.ms += 545_000;
    desk.clock.ms += 545_000;
    const headers = { authorization: `Bearer ${access_token}` };
    await other.fetch('/mcp', { method: 'POST', headers, signal: gone.signal });
    expect(gone.signal.aborted).toBe(true);
    expect(desk.idp.asked.filter((path) => path === '/token')).toHaveLength(2);
  });
});

describe('the end of a session', () => {
  it('comes for all that a browser opened, and for the oldest of more than 50 before', async () => {
    const desk = create();
    const first = await tokens(desk);
    const others: Answer[] = [];
    for (let count = 0; count < 50; count += 1) {
      const { fields } = await login(desk, {}, first.browser);
      others.push((await (await desk.form('/token', fields)).json()) as Answer);
    }
    const statuses = async () =>
      new Set(
        await Promise.all(others.map(async ({ access_token }) => (await call(desk, access_token)).status)),
      );
    expect([(await call(desk, first.access_token)).status, await statuses()]).toEqual([401, new Set([200])]);
    // A provider may end every session of the user with one of the tokens.
    expect(desk.idp.revoked).toEqual([]);
    await first.browser.go('/logout', { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });
    expect(await statuses()).toEqual(new Set([401]));
    expect(desk.idp.revoked).toHaveLength(50);
  });

  it('comes at once for all that a browser opened, however slow the provider is', async () => {
    const desk = create();
    const first = await tokens(desk);
    const { fields } = await login(desk, {}, first.browser);
    const second = (await (await desk.form('/token', fields)).json()) as Answer;
    const closed = new AbortController();
    let [ends, left] = [0, () => {}];
    const both = new Promise<void>((resolve) => {
      left = resolve;
    });
    const hanging = through(desk, ({ method }) => {
      if (method !== 'DELETE') return null;
      ends += 1;
      if (ends === 2) left();
      return new Promise((_, reject) => closed.signal.addEventListener('abort', reject));
    });
    const other = create(7_200, desk, { parts: { fetch: hanging } });
    const cookie = [...first.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const done = other.fetch('/logout', { method: 'POST', headers: { cookie }, signal: closed.signal });
    await both;
    expect((await call(other, first.access_token)).status).toBe(401);
    expect((await call(other, second.access_token)).status).toBe(401);
    closed.abort();
    expect((await done).status).toBe(200);
  });

  it.each([
    ['another provider', { id: 'atlassian' as const }],
    ['another server of the provider', { token_url: 'https://idp.example/elsewhere/token' }],
  ])('comes with %s, whose people have ids of their own', async (_name, change) => {
    const desk = create();
    const { access_token, client_id, refresh_token } = await tokens(desk);
    const { fields } = await login(desk);
    const { provider } = authSettings(desk.idp);
    const auth = { provider: provider && { ...provider, ...change } };
    const moved = create(7_200, desk, { auth });
    const before = desk.idp.asked.length;
    expect((await call(moved, access_token)).status).toBe(401);
    expect((await refresh(moved, client_id, refresh_token)).error).toBe('invalid_grant');
    expect(await (await moved.form('/token', fields)).json()).toMatchObject({ error: 'invalid_grant' });
    expect(desk.idp.asked.slice(before)).toEqual([]);
    const whole = await tokens(createDesk({ idp: desk.idp }));
    const bare = createDesk({ idp: desk.idp, auth });
    expect((await call(bare, whole.access_token)).status).toBe(401);
    await bare.form('/revoke', { client_id: whole.client_id, token: whole.access_token });
    expect(desk.idp.revoked).toEqual([]);
  });

  // Requirements: oauth.endpoints, state.others
  it('comes at once by /revoke, for every token of it, and at the provider', async () => {
    const desk = create();
    const first = await tokens(desk);
    const { client_id, access_token, refresh_token } = first;
    const response = await desk.form('/revoke', { client_id, token: refresh_token });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect((await call(desk, access_token)).status).toBe(401);
    expect((await refresh(desk, client_id, refresh_token)).error).toBe('invalid_grant');
    expect(desk.idp.revoked).toHaveLength(1);
  });

  it('does not come by another client, and a token that is none is no error', async () => {
    const desk = create();
    const { access_token } = await tokens(desk);
    const known = { client_id: 'known', client_secret: 'known-secret' };
    const foreign = await desk.form('/revoke', { ...known, token: access_token });
    expect(foreign.status).toBe(400);
    expect((await desk.form('/revoke', { ...known, token: 'nonsense' })).status).toBe(200);
    expect((await call(desk, access_token)).status).toBe(200);
  });

  // Requirements: auth.persistence.logout, oauth.endpoints, state.others
  it('comes by /logout in the browser that signed in', async () => {
    const desk = create();
    const { put } = desk.store;
    const stored = new Set<string>();
    desk.store.put = (key, ...more) => {
      stored.add(key);
      return put(key, ...more);
    };
    const { access_token, client_id, refresh_token, browser } = await tokens(desk);
    const sessions = [...stored].filter((key) => key.startsWith('session:'));
    const asked = await browser.go('/logout');
    expect([asked.status, (await call(desk, access_token)).status]).toEqual([200, 200]);
    expect(await Promise.all(sessions.map((key) => desk.store.get(key)))).toEqual([expect.any(Object)]);
    const done = await browser.go('/logout', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(done.status).toBe(200);
    expect([...browser.cookies.keys()]).toEqual([]);
    expect(await Promise.all(sessions.map((key) => desk.store.get(key)))).toEqual([null]);
    expect(desk.idp.revoked).toHaveLength(1);
    expect((await call(desk, access_token)).status).toBe(401);
    expect((await refresh(desk, client_id, refresh_token)).error).toBe('invalid_grant');
  });

  it('comes by /logout with the token, and not from a foreign page', async () => {
    const desk = create();
    const { access_token, browser } = await tokens(desk);
    const foreign = await browser.go('/logout', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect([foreign.status, (await call(desk, access_token)).status]).toEqual([403, 200]);
    const headers = { authorization: `Bearer ${access_token}` };
    await desk.fetch('/logout', { method: 'POST', headers });
    expect((await call(desk, access_token)).status).toBe(401);
  });

  it('comes when a code is used twice', async () => {
    const desk = create();
    const { fields } = await login(desk);
    const first = await desk.form('/token', fields);
    const { access_token }: Record<string, string> = await first.json();
    expect((await call(desk, access_token ?? '')).status).toBe(200);
    expect(await (await desk.form('/token', fields)).json()).toMatchObject({ error: 'invalid_grant' });
    expect((await call(desk, access_token ?? '')).status).toBe(401);
  });

  it('comes when a code is used again while its first use still waits for the store', async () => {
    const desk = create();
    const { fields } = await login(desk);
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { get } = desk.store;
    desk.store.get = async (key) => {
      if (key.startsWith('login:')) {
        asked.resolve();
        await answered.promise;
      }
      return get(key);
    };
    const first = desk.form('/token', fields);
    await asked.promise;
    expect(await (await desk.form('/token', fields)).json()).toMatchObject({ error: 'invalid_grant' });
    answered.resolve();
    expect(await (await first).json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('without a store is at the provider: its token is revoked', async () => {
    const desk = createDesk();
    const { access_token, client_id } = await tokens(desk);
    expect((await desk.form('/revoke', { client_id, token: access_token })).status).toBe(200);
    expect(desk.idp.revoked).toEqual([expect.stringMatching(/^ghu_/)]);
  });
});
