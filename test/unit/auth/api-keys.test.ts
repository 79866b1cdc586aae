import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApiKeys } from '../../../src/auth/api-keys.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import { generateApiKey } from '../../../src/crypto/api-key.ts';
import type { ApiKey } from '../../../src/settings/model.ts';
import { createFakeRuntime, legacy, modern, post } from '../mcp/fixture.ts';
import { BASE, call, createDesk, type Desk, type Given, TOOLS, tokens } from './fixture.ts';

/** A key and its entry. */
interface Made {
  readonly key: string;
  readonly entry: ApiKey;
}

async function make(
  name: string,
  more: Partial<ApiKey> = {},
  user: Partial<ApiKey['user']> = {},
): Promise<Made> {
  const { key, hash } = await generateApiKey();
  const nobody = { username: null, email: null, name: null, role: null, permissions: [], capabilities: [] };
  const none = { groups: [], claims: {}, externalToken: null };
  const whole = { id: name, provider: 'api-key', ...nobody, ...none, ...user, apiKey: name };
  return { key, entry: { name, hash, scopes: [], expires: null, ...more, user: whole } };
}

/** A server that accepts API keys only. */
const only = (keys: readonly Made[], given: Given = {}): Desk =>
  createDesk({
    ...given,
    auth: { provider: null, keys: [], clients: [], api_keys: keys.map(({ entry }) => entry), ...given.auth },
  });

const mcp = (desk: Desk, headers: Record<string, string>, path = '/mcp', body = '{}') =>
  desk.fetch(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

const challengeOf = ({ headers }: Response) => headers.get('www-authenticate');

describe('an API key', () => {
  // Requirements: api-key.bearer
  it('lets a machine in as its user, without any provider', async () => {
    const made = await make('nightly', {}, { id: 'robot-1', email: 'robot@example.com', groups: ['ops'] });
    const desk = only([made]);
    expect((await call(desk, made.key)).status).toBe(200);
    expect(desk.users).toMatchObject([
      { id: 'robot-1', email: 'robot@example.com', groups: ['ops'], provider: 'api-key', apiKey: 'nightly' },
    ]);
    expect(desk.lines.find(({ message }) => message === 'authenticated')?.fields).toMatchObject({
      user_id: 'robot-1',
      api_key: 'nightly',
    });
  });

  // Requirements: api-key.bearer
  it('works beside a provider, whose tokens keep working', async () => {
    const made = await make('nightly');
    const desk = createDesk({ auth: { api_keys: [made.entry] } });
    const { access_token } = await tokens(desk);
    expect((await call(desk, made.key)).status).toBe(200);
    expect((await call(desk, access_token)).status).toBe(200);
    const refused = await call(desk, `${made.key}x`);
    expect(challengeOf(refused)).toContain('resource_metadata=');
  });

  it('works beside tokens of another server', async () => {
    const made = await make('nightly');
    const verifier = { issuer: 'https://id.example', audience: [] };
    const desk = only([made], { auth: { mode: 'verifier', verifier } });
    expect((await call(desk, made.key)).status).toBe(200);
    const refused = await mcp(desk, {});
    expect(challengeOf(refused)).toContain('resource_metadata=');
  });

  // Requirements: api-key.bearer
  it('holds svc:access and its own scopes, and no other', async () => {
    const [plain, sales] = [await make('plain'), await make('sales', { scopes: ['sales:read'] })];
    const desk = only([plain, sales]);
    const statuses = [];
    for (const tool of ['nothing', 'sales', 'audit']) {
      statuses.push([(await call(desk, plain.key, tool)).status, (await call(desk, sales.key, tool)).status]);
    }
    expect(statuses).toEqual([
      [200, 200],
      [403, 200],
      [403, 403],
    ]);
    const refused = await call(desk, sales.key, 'audit');
    expect(challengeOf(refused)).toMatch(
      /error="insufficient_scope".*The API key sales does not hold: audit:read/,
    );
    expect(challengeOf(refused)).not.toContain('resource_metadata');
  });

  it('must hold the scopes that every caller must hold', async () => {
    const [plain, staff] = [await make('plain'), await make('staff', { scopes: ['staff:only'] })];
    const desk = only([plain, staff], { auth: { required_scopes: ['staff:only'] } });
    expect((await call(desk, plain.key)).status).toBe(403);
    expect((await call(desk, staff.key)).status).toBe(200);
  });

  // Requirements: api-key.expires
  it('is over on the second, and its holder reads which key ended when', async () => {
    const made = await make('nightly', { expires: Date.UTC(2026, 5, 1, 12) });
    const desk = only([made]);
    desk.clock.ms = Date.UTC(2026, 5, 1, 12) - 1;
    expect((await call(desk, made.key)).status).toBe(200);
    desk.clock.ms += 1;
    const refused = await call(desk, made.key);
    expect(refused.status).toBe(401);
    expect(challengeOf(refused)).toMatch(/^Bearer error="invalid_token"/);
    expect(await refused.text()).toContain('The API key nightly expired at 2026-06-01T12:00:00.000Z.');
  });
});

describe('a server with API keys only', () => {
  it('challenges without an address that leads nowhere', async () => {
    const desk = only([await make('nightly')]);
    for (const headers of [{}, { authorization: 'Bearer abc' }]) {
      const refused = await mcp(desk, headers);
      expect(refused.status).toBe(401);
      expect(challengeOf(refused)).toMatch(/^Bearer [a-z_]+="/);
      expect(challengeOf(refused)).not.toContain('resource_metadata');
    }
  });

  it.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/authorize',
    '/token',
    '/register',
    '/callback',
  ])('has no %s', async (path) => {
    const desk = only([await make('nightly')]);
    expect((await desk.fetch(path)).status).toBe(404);
    expect((await desk.fetch(path, { method: 'POST', body: '' })).status).toBe(404);
  });

  it('says on its page that callers need a key', async () => {
    const desk = only([await make('nightly')]);
    expect(await (await desk.fetch('/')).json()).toMatchObject({ mcp: { authentication: 'api_key' } });
    const page = await (await desk.fetch('/', { headers: { accept: 'text/html' } })).text();
    expect(page).toContain('API key required');
    expect(page).not.toContain('log in');
  });

  it('lets nobody in without any key in the list', async () => {
    const made = await make('nightly');
    const desk = only([]);
    expect((await call(desk, made.key)).status).toBe(401);
    expect((await mcp(desk, {})).status).toBe(401);
  });
});

describe('a wrong key', () => {
  it('is refused in every form but the exact one', async () => {
    const made = await make('nightly');
    const other = await make('of-another-project');
    const desk = only([made]);
    const { key } = made;
    const wrong: readonly string[] = [
      other.key,
      key.slice(0, -1),
      key.slice(0, -7),
      `${key}A`,
      key.toUpperCase(),
      key.toLowerCase(),
      key.replace('svc_key_', 'SVC_KEY_'),
      `${key.slice(0, 20)} ${key.slice(20)}`,
      `${key}, ${key}`,
      `${key}, Bearer ${key}`,
      `${key}=`,
      `"${key}"`,
      encodeURIComponent(` ${key}`),
      made.entry.hash,
      `svc_key_${made.entry.hash}`,
    ];
    for (const token of wrong) {
      const refused = await mcp(desk, { authorization: `Bearer ${token}` });
      expect([token, refused.status]).toEqual([token, 401]);
      expect(challengeOf(refused)).toMatch(/^Bearer error="invalid_token"/);
      expect((await refused.text()) + challengeOf(refused)).not.toContain(key.slice(8, 40));
    }
    expect(JSON.stringify(desk.lines)).not.toContain(key.slice(8, 40));
    expect(JSON.stringify(desk.lines)).not.toContain(made.entry.hash);
  });

  it.each([
    ['x-api-key', (key: string) => key],
    ['api-key', (key: string) => key],
    ['cookie', (key: string) => `access_token=${key}`],
    ['proxy-authorization', (key: string) => `Bearer ${key}`],
    ['authorization', (key: string) => key],
    ['authorization', (key: string) => `Token ${key}`],
    ['authorization', (key: string) => `Basic ${btoa(`${key}:`)}`],
    ['authorization', (key: string) => `Basic ${btoa(`x:${key}`)}`],
  ])('counts only as a bearer token, not in %s (%#)', async (name, toValue) => {
    const { key, entry } = await make('nightly');
    expect((await mcp(only([{ key, entry }]), { [name]: toValue(key) })).status).toBe(401);
  });

  it.each([
    ['access_token', 400],
    ['api_key', 401],
    ['key', 401],
    ['token', 401],
  ])('is not read from the address (%s)', async (name, status) => {
    const { key, entry } = await make('nightly');
    const desk = only([{ key, entry }]);
    expect((await mcp(desk, {}, `/mcp?${name}=${key}`)).status).toBe(status);
    expect(JSON.stringify(desk.lines)).not.toContain(key);
  });

  // Requirements: api-key.bounds
  it('is slowed down by address, also without a rate limit, and never in the way of the right one', async () => {
    const [made, wrong] = [await make('nightly'), await make('other')];
    const desk = only([made]);
    const ask = async (key: string, address: string) => {
      const headers = { host: new URL(BASE).host, authorization: `Bearer ${key}` };
      const request = new Request(`${BASE}/mcp`, { method: 'POST', body: '{}', headers });
      return (await desk.app.fetch(request, { address })).status;
    };
    const statuses = [];
    for (let count = 0; count < 80; count += 1) statuses.push(await ask(wrong.key, '192.0.2.1'));
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
    expect(statuses.at(-1)).toBe(429);
    expect(await ask(wrong.key, '198.51.100.1')).toBe(401);
    expect(await ask(made.key, '192.0.2.1')).not.toBe(429);
  });
});

// Requirements: api-key.bounds
it('two keys of one user count towards their own rate limits', async () => {
  const [one, other] = [await make('one', {}, { id: 'robot' }), await make('other', {}, { id: 'robot' })];
  const desk = only([one, other], { app: { rateLimit: LIMIT } });
  expect((await call(desk, one.key)).status).toBe(200);
  expect((await call(desk, one.key)).status).toBe(429);
  expect((await call(desk, other.key)).status).toBe(200);
});

const LIMIT = { requestsPerMinute: 1, burst: 1 };

describe('a session', () => {
  const send = (desk: Desk, key: string, message: Request, session?: string) => {
    message.headers.set('authorization', `Bearer ${key}`);
    message.headers.set('host', new URL(BASE).host);
    if (session !== undefined) message.headers.set('mcp-session-id', session);
    return desk.app.fetch(message);
  };
  const message = (method: string, params: { readonly [key: string]: unknown } = {}) => {
    const { body, headers } = legacy(method, params);
    return post(body, headers);
  };
  const initialize = () =>
    message('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
  const listen = (headers: Record<string, string> = {}) =>
    new Request(`${BASE}/mcp`, { headers: { accept: 'text/event-stream', ...headers } });

  it('that one key began is closed to another key, even of the same user', async () => {
    const [a, b] = [await make('a', {}, { id: 'robot' }), await make('b', {}, { id: 'robot' })];
    const desk = only([a, b], { app: { stateless: false } });
    const begun = await send(desk, a.key, initialize());
    const id = begun.headers.get('mcp-session-id') ?? '';
    expect(id).not.toBe('');
    expect((await send(desk, b.key, message('tools/list'), id)).status).toBe(404);
    expect((await send(desk, b.key, listen(), id)).status).toBe(404);
    expect((await send(desk, a.key, message('tools/list'), id)).status).toBe(200);
    desk.app.close?.();
  });

  it('ends its stream when its key is removed or changed, and no other stream', async () => {
    const [gone, changed, kept] = [await make('gone'), await make('changed'), await make('kept')];
    const apiKeys = createApiKeys([gone.entry, changed.entry, kept.entry], { revocable: true });
    const desk = only([], { app: { stateless: false }, parts: { apiKeys } });
    const open = async ({ key }: Made) => {
      const id = (await send(desk, key, initialize())).headers.get('mcp-session-id') ?? '';
      const response = await send(desk, key, listen(), id);
      expect(response.status).toBe(200);
      return { id, ended: response.text() };
    };
    const streams = { gone: await open(gone), changed: await open(changed), kept: await open(kept) };
    apiKeys.replace([{ ...changed.entry, scopes: ['sales:read'] }, kept.entry]);
    expect(await Promise.all([streams.gone.ended, streams.changed.ended])).toEqual(['', '']);
    const late = Promise.race([streams.kept.ended.then(() => 'ended'), Promise.resolve('open')]);
    expect(await late).toBe('open');
    expect((await send(desk, gone.key, message('tools/list'), streams.gone.id)).status).toBe(401);
    expect((await send(desk, changed.key, message('tools/list'), streams.changed.id)).status).toBe(200);
    expect((await send(desk, kept.key, message('tools/list'), streams.kept.id)).status).toBe(200);
    desk.app.close?.();
    await streams.kept.ended;
  });

  /** A session's stream and a stream of changes. */
  const openBoth = async (desk: Desk, token: string) => {
    const id = (await send(desk, token, initialize())).headers.get('mcp-session-id') ?? '';
    const { body, headers } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const streams = [await send(desk, token, listen(), id), await send(desk, token, post(body, headers))];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    return { id, streams };
  };

  /** The ends of both streams, whose token has 150 milliseconds left. */
  const endsOf = async (desk: Desk, token: string) => {
    const { streams } = await openBoth(desk, token);
    const texts = await Promise.all(streams.map((stream) => stream.text()));
    desk.app.close?.();
    return texts;
  };

  it('ends its streams when the token of the stream ends: an API key', async () => {
    const made = await make('short', { expires: Date.UTC(2026, 5, 1) + 150 });
    const desk = only([made], { app: { stateless: false, reloads: true } });
    expect(await endsOf(desk, made.key)).toEqual(['', expect.stringContaining('"result"')]);
  });

  it('ends its streams when the token of the stream ends: an access token', async () => {
    const desk = createDesk({ app: { stateless: false, reloads: true } });
    const { access_token, expires_in } = await tokens(desk);
    desk.clock.ms += expires_in * 1_000 - 150;
    expect(await endsOf(desk, access_token)).toEqual(['', expect.stringContaining('"result"')]);
  });

  it('leaves no timer for the end of the token when its streams are closed', async () => {
    const made = await make('short', { expires: Date.UTC(2026, 5, 1) + 86_400_000 });
    const desk = only([made], { app: { stateless: false, reloads: true } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { id, streams } = await openBoth(desk, made.key);
    // A stream of a session also has one for the end of the session.
    expect(vi.getTimerCount()).toBe(3);
    await Promise.all(streams.map((stream) => stream.body?.cancel()));
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
    expect((await send(desk, made.key, listen(), `not ${id}`)).status).toBe(404);
    expect(vi.getTimerCount()).toBe(0);
    desk.app.close?.();
  });

  it('of 2026-07-28 ends too: its stream of changes stops', async () => {
    const made = await make('gone');
    const apiKeys = createApiKeys([made.entry], { revocable: true });
    const desk = only([], { app: { stateless: false, reloads: true }, parts: { apiKeys } });
    const { body, headers } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const response = await send(desk, made.key, post(body, headers));
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const text = response.text();
    apiKeys.replace([]);
    expect(await text).not.toContain('"result"');
    expect((await send(desk, made.key, post(body, headers))).status).toBe(401);
    desk.app.close?.();
  });
});

it('SQL and Python never see the header with a key', async () => {
  const made = await make('nightly');
  const seen: (ReadonlyMap<string, string> | null)[] = [];
  const observe: Runtime['observe'] = ({ context }) => void seen.push(context.headers());
  const desk = only([made], { runtime: { ...createFakeRuntime(TOOLS), observe } });
  expect((await call(desk, made.key)).status).toBe(200);
  expect(seen[0]?.has('authorization')).toBe(false);
  expect(seen[0]?.get('host')).toBe(new URL(BASE).host);
});
