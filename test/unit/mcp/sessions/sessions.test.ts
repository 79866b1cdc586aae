import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { App } from '../../../../src/app.ts';
import type { User } from '../../../../src/context.ts';
import { createSessions } from '../../../../src/mcp/sessions/sessions.ts';
import { toResponse } from '../../../../src/mcp/transport/response.ts';
import { createMcpHandler } from '../../../../src/mcp/transport/streamable-http.ts';
import { eventually } from '../eventually.ts';
import { CALLER, createFakeRuntime, createTestApp, legacy, modern, post, TOOLS, tool } from '../fixture.ts';
import { allMessages, messagesOf, nextMessage } from '../stream.ts';

type Body = { [key: string]: unknown };

const FORM = {
  kind: 'form',
  name: 'who',
  message: 'Who?',
  otherwise: 'deny',
  fields: [{ name: 'name', type: 'string', minLength: 2 }],
} as const;
const ASKING = { ...tool('asking', { sql: 'greet', order: ['name'] }), ask: [[FORM]] };
const runtime = createFakeRuntime([...TOOLS, ASKING]);

let user: User | null = null;
const options = { stateless: false, authenticate: async () => ({ user }) };
let app: App;
beforeEach(() => {
  app = createTestApp(runtime, options);
});
afterEach(() => {
  user = null;
  app.close?.();
});

const userOf = (id: string) => ({ id, provider: 'p' }) as User;

const CAPABILITIES = { elicitation: {} };

function initialize(capabilities: Body = CAPABILITIES) {
  const clientInfo = { name: 'test', version: '1' };
  return legacy('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo }, null);
}

async function begin(of: App = app, capabilities?: Body): Promise<string> {
  const { body, headers } = initialize(capabilities);
  const response = await of.fetch(post(body, headers));
  return response.headers.get('mcp-session-id') ?? '';
}

async function send(session: string, body: unknown, more: Record<string, string> = {}): Promise<Response> {
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
  return app.fetch(post(body, { ...headers, ...more }));
}

const request = (method: string, params: Body = {}, id: unknown = 7) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

function visit(method: string, headers: Record<string, string> = {}): Promise<Response> {
  const all = { host: 'localhost:8000', accept: 'text/event-stream', ...headers };
  return app.fetch(new Request('http://localhost:8000/mcp', { method, headers: all }));
}

describe('a session', () => {
  // Requirements: legacy.session.id
  it('begins with initialize, under an id that nobody guesses', async () => {
    const [one, other] = [await begin(), await begin()];
    expect(one).toMatch(/^[\da-f-]{36}$/);
    expect(other).not.toBe(one);
    expect((await send(one, request('tools/list'))).status).toBe(200);
  });

  // Requirements: modern.session
  it('begins neither with a failed initialize, nor in the modern era, nor where nothing is kept', async () => {
    const failed = legacy('initialize', {}, null);
    const discover = modern('server/discover');
    for (const [of, { body, headers }] of [
      [app, failed],
      [app, discover],
      [createTestApp(runtime), initialize()],
    ] as const) {
      expect((await of.fetch(post(body, headers))).headers.get('mcp-session-id')).toBeNull();
    }
  });

  // Requirements: legacy.session.unknown
  it('is not found under another id, by another user, or after its end', async () => {
    const id = await begin();
    expect((await send('nonsense', request('tools/list'))).status).toBe(404);
    user = userOf('mallory');
    for (const response of [
      await send(id, request('tools/list')),
      await visit('GET', { 'mcp-session-id': id }),
      await visit('DELETE', { 'mcp-session-id': id }),
    ]) {
      expect(response.status).toBe(404);
    }
    user = null;
    expect((await visit('DELETE', { 'mcp-session-id': id })).status).toBe(204);
    expect((await send(id, request('tools/list'))).status).toBe(404);
    expect((await visit('DELETE', { 'mcp-session-id': id })).status).toBe(404);
  });

  it('is no matter for requests without one, which are answered all the same', async () => {
    const { body, headers } = legacy('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    expect(await (await app.fetch(post(body, headers))).json()).toHaveProperty('result');
    for (const method of ['GET', 'DELETE']) {
      const response = await visit(method);
      expect(response.status).toBe(405);
      expect((await visit('HEAD', { 'mcp-session-id': await begin() })).status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST, GET, DELETE');
      const newer = { 'mcp-session-id': await begin(), 'mcp-protocol-version': '2026-07-28' };
      expect((await visit(method, newer)).status).toBe(405);
    }
  });

  it('keeps of what its client declares only which questions it answers', async () => {
    const sessions = createSessions();
    const endpoint = createMcpHandler(runtime, { version: '1', sessions });
    const { body } = initialize({ roots: {}, elicitation: { url: {} }, experimental: { x: 'planted' } });
    const headers = new Headers({ 'content-type': 'application/json' });
    const response = toResponse(await endpoint({ headers, body: JSON.stringify(body), caller: CALLER }));
    const session = sessions.find(response.headers.get('mcp-session-id') ?? '', null);
    expect(session).toMatchObject({ answers: ['roots'] });
    expect(JSON.stringify(session)).not.toContain('planted');
  });

  // Requirements: legacy.logging
  it('keeps the level of what its client is told, and no other session’s', async () => {
    const [loud, quiet] = [await begin(), await begin()];
    expect(await (await send(loud, request('logging/setLevel', { level: 'info' }))).json()).toMatchObject({
      result: {},
    });
    const told = await allMessages(await send(loud, request('tools/call', { name: 'numbers' })));
    expect(told.map(({ method, id }) => method ?? id)).toEqual(['notifications/message', 7]);
    const answer = await send(quiet, request('tools/call', { name: 'numbers' }));
    expect(answer.headers.get('content-type')).toBe('application/json');
    const wrong = await (await send(loud, request('logging/setLevel', { level: 'loud' }))).json();
    expect(wrong).toMatchObject({ error: { code: -32602 } });
  });

  // Requirements: legacy.cancelled
  it('ends a call that its client cancels, and answers it with nothing', async () => {
    const id = await begin();
    const answering = send(id, request('tools/call', { name: 'wait' }, 'w'));
    await eventually(() => runtime.fake.calls.at(-1)?.request.sql).toBe('wait');
    const signal = runtime.fake.calls.at(-1)?.call.signal;
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } };
    expect((await send(await begin(), cancelled)).status).toBe(202);
    expect(signal?.aborted).toBe(false);
    expect((await send(id, cancelled)).status).toBe(202);
    expect(await allMessages(await answering)).toEqual([]);
    expect(signal?.aborted).toBe(true);
  });

  // Requirements: legacy.cancelled
  it('runs no request of a batch that its client cancels while it waits', async () => {
    const id = await begin();
    const before = runtime.fake.calls.length;
    const batch = [
      request('tools/call', { name: 'wait' }, 'first'),
      request('tools/call', { name: 'numbers' }, 'second'),
      request('ping', {}, 'third'),
    ];
    const answering = send(id, batch, { 'mcp-protocol-version': '2025-03-26' });
    await eventually(() => runtime.fake.calls.at(-1)?.request.sql).toBe('wait');
    for (const requestId of ['second', 'first']) {
      await send(id, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    }
    expect(await (await answering).json()).toMatchObject([{ id: 'third', result: {} }]);
    expect(runtime.fake.calls.slice(before).map(({ request: { sql } }) => sql)).toEqual(['wait']);
  });

  it('has one stream for what belongs to no call', async () => {
    const id = await begin();
    const first = await visit('GET', { 'mcp-session-id': id });
    expect(first.headers.get('content-type')).toBe('text/event-stream');
    const second = await visit('GET', { 'mcp-session-id': id });
    expect(await allMessages(first)).toEqual([]);
    expect((await visit('GET', { 'mcp-session-id': id, accept: 'application/json' })).status).toBe(406);
    app.close?.();
    expect(await allMessages(second)).toEqual([]);
  });

  it('has a stream that ends at once when the server is stopping', async () => {
    const id = await begin();
    app.close?.();
    expect(await allMessages(await visit('GET', { 'mcp-session-id': id }))).toEqual([]);
  });
});

describe('a call that asks in a session', () => {
  async function ask(id: string) {
    const messages = messagesOf(await send(id, request('tools/call', { name: 'asking' })));
    return { messages, asked: await nextMessage(messages) };
  }

  // Requirements: legacy.elicitation
  it('asks on its own stream, and goes on with the answer', async () => {
    const id = await begin();
    const { messages, asked } = await ask(id);
    expect(asked).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema: { properties: { name: { type: 'string' } } } },
    });
    const result = { action: 'accept', content: { name: 'Ada' } };
    // Only the session that was asked can answer.
    await send(await begin(), { jsonrpc: '2.0', id: asked.id, result: { action: 'decline' } });
    expect((await send(id, { jsonrpc: '2.0', id: asked.id, result })).status).toBe(202);
    expect(await nextMessage(messages)).toMatchObject({
      id: 7,
      result: { content: [{ text: expect.stringContaining('Hello, Ada!') }] },
    });
  });

  // Requirements: legacy.elicitation
  it.each([
    ['declines', { result: { action: 'decline' } }],
    ['answers with an error', { error: { code: -1, message: 'no' } }],
    ['answers something else', { result: { action: 'maybe' } }],
  ])('does nothing when its client %s', async (_, answer) => {
    const id = await begin();
    const { messages, asked } = await ask(id);
    await send(id, { jsonrpc: '2.0', id: asked.id, ...answer });
    expect(await nextMessage(messages)).toMatchObject({ id: 7, result: { isError: true } });
  });

  it('says why it did nothing to a client that cannot be asked', async () => {
    const id = await begin(app, {});
    const answer = await send(id, request('tools/call', { name: 'asking' }));
    expect(await answer.json()).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('elicitation') }] },
    });
  });

  it('is refused at once if its client reads no stream, alone or in a batch', async () => {
    const call = request('tools/call', { name: 'asking' });
    const accept = 'application/json';
    const alone = await (await send(await begin(), call, { accept })).json();
    const version = { 'mcp-protocol-version': '2025-03-26' };
    const [inBatch] = (await (await send(await begin(), [call], version)).json()) as unknown[];
    const content = [{ text: expect.stringContaining('elicitation') }];
    for (const answer of [alone, inBatch])
      expect(answer).toMatchObject({ result: { isError: true, content } });
  });

  it('waits for no answer any more once the call has ended', async () => {
    const sessions = createSessions();
    const endpoint = createMcpHandler(runtime, { version: '1', sessions });
    const session = sessions.begin(null);
    session.answers = ['form'];
    const answer = await endpoint({
      headers: new Headers({ 'content-type': 'application/json', 'mcp-session-id': session.id }),
      body: JSON.stringify(request('tools/call', { name: 'asking' })),
      caller: CALLER,
    });
    expect(session.pending.size).toBe(1);
    await toResponse(answer).body?.cancel();
    expect([session.pending.size, session.calls.size]).toEqual([0, 0]);
  });

  it('stops waiting when the client goes away', async () => {
    const id = await begin();
    const response = await send(id, request('tools/call', { name: 'asking' }));
    const before = runtime.lines.length;
    await response.body?.cancel();
    await eventually(() => runtime.lines.length).toBeGreaterThan(before);
  });
});

describe('the sessions of a server', () => {
  it('end when nobody uses them, and after a day at the latest', () => {
    let now = 0;
    const sessions = createSessions({ now: () => now, idleMs: 10, lifeMs: 100 });
    const { id } = sessions.begin(null);
    for (now = 9; now < 100; now += 9) expect(sessions.find(id, null)).not.toBeNull();
    now = 100;
    expect(sessions.find(id, null)).toBeNull();
    const idle = sessions.begin(null);
    now += 10;
    expect(sessions.find(idle.id, null)).toBeNull();
  });

  it('rest for no longer than their client listens', () => {
    let now = 0;
    const sessions = createSessions({ now: () => now, idleMs: 10, lifeMs: 100 });
    const session = sessions.begin(null);
    sessions.listen(session);
    now = 50;
    expect(sessions.find(session.id, null)).toBe(session);
    session.stream?.close();
    session.stream = null;
    now = 60;
    expect(sessions.find(session.id, null)).toBeNull();
  });

  it('end the stream of a client that only listens, too', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sessions = createSessions({ now: () => Date.now(), lifeMs: 100 });
    const session = sessions.begin(null);
    vi.advanceTimersByTime(40);
    const first = sessions.listen(session);
    const second = sessions.listen(session);
    vi.advanceTimersByTime(59);
    expect(session.stream).not.toBeNull();
    vi.advanceTimersByTime(1);
    expect(session.stream).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
    expect(sessions.find(session.id, null)).toBeNull();
    for (const stream of [first, second]) expect(await allMessages(new Response(stream))).toEqual([]);
  });

  it('watch no resources after their end', () => {
    let now = 0;
    const sessions = createSessions({ now: () => now, idleMs: 10 });
    const watchFrom = (id: string) => {
      const session = sessions.begin(userOf(id));
      session.subscriptions.add('shop://days/monday').add('shop://days/tuesday');
      return session;
    };
    for (const id of ['ada', 'ada', 'bob', 'bob', 'cleo']) watchFrom(id);
    const listening = watchFrom('ada');
    sessions.listen(listening);
    const ada = JSON.stringify(['p', 'ada']);
    expect([sessions.watchedBy(), sessions.watchedBy(ada)]).toEqual([12, 6]);
    now = 10;
    watchFrom('dora');
    expect([sessions.watchedBy(ada), sessions.watchedBy()]).toEqual([2, 4]);
    sessions.close();
  });

  it('are so many at most: the one that rests longest goes', () => {
    const sessions = createSessions({ most: 2 });
    const [one, two] = [sessions.begin(null), sessions.begin(null)];
    sessions.find(one.id, null);
    const three = sessions.begin(null);
    expect([one, two, three].map(({ id }) => sessions.find(id, null) !== null)).toEqual([true, false, true]);
  });

  it('of one user end no session of another user, however many begin', () => {
    const sessions = createSessions();
    const [ada, bob] = [userOf('ada'), userOf('bob')];
    const hers = sessions.begin(ada);
    const his = Array.from({ length: 10_020 }, () => sessions.begin(bob).id);
    expect(sessions.find(hers.id, ada)).toBe(hers);
    const kept = his.filter((id) => sessions.find(id, bob) !== null);
    expect(kept).toEqual(his.slice(-1_000));
    expect(sessions.find(hers.id, bob)).toBeNull();
  });

  it('of one user make room by the one that rests longest', () => {
    const sessions = createSessions({ mostOfUser: 2 });
    const ada = userOf('ada');
    const [one, two] = [sessions.begin(ada), sessions.begin(ada)];
    sessions.find(one.id, ada);
    const three = sessions.begin(ada);
    const found = () => [one, two, three].map(({ id }) => sessions.find(id, ada) !== null);
    expect(found()).toEqual([true, false, true]);
    sessions.end(one);
    sessions.begin(ada);
    expect(found()).toEqual([false, false, true]);
  });
});
