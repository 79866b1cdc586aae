import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ToolEntry } from '../../../src/catalog/model.ts';
import { busyError, SvcError } from '../../../src/errors.ts';
import { createChanges } from '../../../src/mcp/changes.ts';
import { createSession, type McpSession } from '../../../src/mcp/sessions/session.ts';
import { createSessions, openLive } from '../../../src/mcp/sessions/sessions.ts';
import { toResponse } from '../../../src/mcp/transport/response.ts';
import { createMcpHandler } from '../../../src/mcp/transport/streamable-http.ts';
import type { Python } from '../../../src/ports.ts';
import { ALICE, type Served, serveTree } from '../call/project.ts';
import { eventually } from './eventually.ts';
import { CALLER, createFakeRuntime, createTestApp, exchange, legacy, modern, post, tool } from './fixture.ts';
import { allMessages, messagesOf, nextMessage } from './stream.ts';

type Body = { [key: string]: unknown };
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const HOURS = 'shop://hours';

let served: Served;
beforeAll(async () => {
  const tree = {
    'resources/hours.yml': `resource: { uri: ${HOURS}, source: { code: SELECT * FROM hours } }`,
    'resources/day.yml':
      'resource: { uri: "shop://days/{day}", parameters: [{ name: day, type: string }], source: { code: SELECT $day AS day } }',
    'resources/night.yml':
      'resource: { uri: "shop://nights", scopes: ["shop:night"], source: { code: SELECT 1 AS night } }',
    'tools/close.yml': 'tool: { name: close, source: { code: DELETE FROM hours RETURNING day } }',
    'tools/look.yml': 'tool: { name: look, source: { code: SELECT count(*) AS n FROM hours } }',
    'tools/open.yml': `tool:
  name: open
  parameters: [{ name: day, type: string, maxLength: 9 }]
  policies: { input: [{ condition: "day == 'Sunday'", action: deny }] }
  source: { code: "INSERT INTO hours SELECT CASE WHEN $day = 'Noday' THEN error('none') ELSE $day END RETURNING day" }
`,
    'tools/shut.yml':
      'tool: { name: shut, confirm: "Shut?", source: { code: DELETE FROM hours RETURNING day } }',
  };
  served = await serveTree(tree, "CREATE TABLE hours AS SELECT 'Monday' AS day", 'native, read-write');
});
afterAll(() => served.close());

const apps: ReturnType<typeof createTestApp>[] = [];
afterEach(() => {
  for (const app of apps.splice(0)) app.close?.();
});

function serve(options: Parameters<typeof createTestApp>[1] = {}) {
  const changes = createChanges();
  const app = createTestApp(served.runtime, { stateless: false, reloads: true, changes, ...options });
  apps.push(app);
  return { app, changes };
}

async function listen({ app }: ReturnType<typeof serve>, notifications: Body) {
  const { body, headers } = modern('subscriptions/listen', { notifications }, 'sub');
  return app.fetch(post(body, headers));
}

describe('subscriptions/listen', () => {
  const ALL = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [HOURS],
  };

  // Requirements: modern.listen
  it('is acknowledged first, then tells what was asked for, and ends with the server', async () => {
    const server = serve();
    const messages = messagesOf(
      await listen(server, { toolsListChanged: true, resourceSubscriptions: [HOURS] }),
    );
    expect(await nextMessage(messages)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: [HOURS] },
        _meta: { [SUBSCRIPTION]: 'sub' },
      },
    });
    server.changes.notify('resources');
    server.changes.notifyResource('shop://other');
    server.changes.notify('tools');
    server.changes.notifyResource(HOURS);
    const _meta = { [SUBSCRIPTION]: 'sub' };
    expect(await nextMessage(messages)).toMatchObject({
      method: 'notifications/tools/list_changed',
      params: { _meta },
    });
    expect(await nextMessage(messages)).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: HOURS, _meta },
    });
    server.app.close?.();
    expect(await nextMessage(messages)).toMatchObject({
      id: 'sub',
      result: { resultType: 'complete', _meta },
    });
  });

  it('is told of a statement that writes, and not of one that reads', async () => {
    const server = serve();
    const messages = messagesOf(await listen(server, { resourceSubscriptions: [HOURS] }));
    await nextMessage(messages);
    await exchange(server.app, modern('tools/call', { name: 'look', arguments: {} }));
    await exchange(server.app, modern('tools/call', { name: 'close', arguments: {} }));
    server.app.close?.();
    const rest: unknown[] = [];
    for await (const { method, id } of messages) rest.push(method ?? id);
    expect(rest).toEqual(['notifications/resources/updated', 'sub']);
  });

  async function toldOf(params: Body, write: typeof modern | typeof legacy) {
    const server = serve();
    const messages = messagesOf(await listen(server, { resourceSubscriptions: [HOURS] }));
    await nextMessage(messages);
    await exchange(server.app, write('tools/call', params));
    server.app.close?.();
    const rest: unknown[] = [];
    for await (const { method, id } of messages) rest.push(method ?? id);
    return rest;
  }

  it.each([
    ['its arguments are not valid', { name: 'open', arguments: { day: 'a day that is too long' } }],
    ['a policy denies it', { name: 'open', arguments: { day: 'Sunday' } }],
    ['nobody can confirm it', { name: 'shut', arguments: {} }],
  ])('is not told of a call of a tool that writes if %s', async (_, params) => {
    expect(await toldOf(params, modern)).toEqual(['sub']);
    expect(await toldOf(params, legacy)).toEqual(['sub']);
  });

  it('is told of a write that fails after it began', async () => {
    const params = { name: 'open', arguments: { day: 'Noday' } };
    for (const write of [modern, legacy]) {
      expect(await toldOf(params, write)).toEqual(['notifications/resources/updated', 'sub']);
    }
  });

  it('is told once of a change of a resource that it names many times', async () => {
    const server = serve();
    const uris = Array(100).fill(HOURS);
    const messages = messagesOf(await listen(server, { resourceSubscriptions: uris }));
    expect(await nextMessage(messages)).toMatchObject({
      params: { notifications: { resourceSubscriptions: [HOURS] } },
    });
    server.changes.notifyResource(HOURS);
    server.app.close?.();
    const rest: unknown[] = [];
    for await (const { method, id } of messages) rest.push(method ?? id);
    expect(rest).toEqual(['notifications/resources/updated', 'sub']);
  });

  // Requirements: modern.listen.nothing
  it('promises no lists that never change, and where nothing is kept ends at once', async () => {
    const fixed = serve({ reloads: false });
    const [first] = [await nextMessage(messagesOf(await listen(fixed, ALL)))];
    expect(first).toMatchObject({ params: { notifications: { resourceSubscriptions: [HOURS] } } });
    const messages = await allMessages(await listen(serve({ stateless: true }), ALL));
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 'sub', result: {} },
    ]);
  });

  /** Listens as a user whose token has scopes. */
  async function listenAs(
    { changes }: ReturnType<typeof serve>,
    id: string,
    scopes: readonly string[] = [],
    notifications: Body = WATCHING,
  ) {
    const sessions = createSessions();
    const endpoint = createMcpHandler(served.runtime, { version: '1', sessions, changes });
    const left = new AbortController();
    const { body, headers } = modern('subscriptions/listen', { notifications }, 'sub');
    const refuse = () => new SvcError('scope_insufficient', 'No.');
    const answer = await endpoint({
      headers: new Headers({ ...headers, 'content-type': 'application/json' }),
      body: JSON.stringify(body),
      caller: { ...CALLER, user: { ...ALICE, id }, signal: left.signal, grant: { scopes, refuse } },
    });
    const response = toResponse(answer);
    return { response, messages: messagesOf(response), leave: () => left.abort() };
  }
  const WATCHING = { resourceSubscriptions: [HOURS, 'shop://nights', 'shop://nothing'] };

  // Requirements: noninterference
  it.each([
    [[], [HOURS]],
    [['shop:night'], [HOURS, 'shop://nights']],
  ])('tells a caller with the scopes %j of the resources %j only', async (scopes, uris) => {
    const server = serve();
    const { messages } = await listenAs(server, 'ada', scopes);
    expect(await nextMessage(messages)).toMatchObject({
      params: { notifications: { resourceSubscriptions: uris } },
    });
    server.changes.notifyResource('shop://nights');
    server.changes.notifyResource('shop://nothing');
    server.changes.notifyResource(HOURS);
    server.changes.close();
    const told: unknown[] = [];
    for await (const { params, id } of messages) told.push(id ?? params);
    const _meta = expect.anything();
    expect(told).toEqual([...uris.map((uri) => ({ uri, _meta })).toReversed(), 'sub']);
  });

  it('leaves streams for others when one user opens many', async () => {
    const server = serve();
    const open = [];
    for (let count = 0; count < 100; count += 1) open.push(await listenAs(server, 'greedy'));
    const refused = await listenAs(server, 'greedy');
    expect(await refused.response.text()).toContain('Too many clients listen');
    const acknowledged = { method: 'notifications/subscriptions/acknowledged' };
    expect(await nextMessage((await listenAs(server, 'other')).messages)).toMatchObject(acknowledged);
    open[0]?.leave();
    await eventually(async () => nextMessage((await listenAs(server, 'greedy')).messages)).toMatchObject(
      acknowledged,
    );
    server.changes.close();
  });

  it('is told of each of a thousand resources when all of them change', async () => {
    const uris = Array.from({ length: 1_000 }, (_, day) => `shop://days/${day}`);
    const server = serve();
    const messages = messagesOf(await listen(server, { resourceSubscriptions: uris }));
    await nextMessage(messages);
    server.changes.notifyResource(null);
    server.changes.close();
    const told: unknown[] = [];
    for await (const { params, id } of messages) if (id === undefined) told.push((params as Body).uri);
    expect(told).toEqual(uris);
  });

  const daysOf = (name: string) => Array.from({ length: 1_000 }, (_, day) => `shop://days/${name}${day}`);

  it('is refused to a user whose streams together watch too many resources, not to others', async () => {
    const server = serve();
    const watch = (id: string, name: string) =>
      listenAs(server, id, [], { resourceSubscriptions: daysOf(name) });
    const greedy = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => watch('greedy', name)));
    const types = greedy.map(({ response }) => response.headers.get('content-type'));
    expect(types.filter((type) => type === 'text/event-stream')).toHaveLength(5);
    expect(await greedy[5]?.response.text()).toContain('Clients watch too many resources');
    const acknowledged = { method: 'notifications/subscriptions/acknowledged' };
    expect(await nextMessage((await watch('other', 'g')).messages)).toMatchObject(acknowledged);
    expect(server.changes.watchedBy()).toBe(6_000);
    for (const { leave } of greedy) leave();
    await eventually(() => server.changes.watchedBy()).toBe(1_000);
    server.changes.close();
  });

  it('goes on for a client that reads late, and is told of a resource once while that waits', async () => {
    const server = serve();
    const messages = messagesOf(await listen(server, { resourceSubscriptions: [HOURS] }));
    await nextMessage(messages);
    for (let count = 0; count < 2_000; count += 1) server.changes.notifyResource(HOURS);
    server.app.close?.();
    const rest: unknown[] = [];
    for await (const { method, id } of messages) rest.push(method ?? id);
    expect(rest.at(-1)).toBe('sub');
    // The readers between the stream and this test hold some messages that count as read.
    expect(rest.length).toBeLessThan(10);
  });

  // Requirements: modern.listen
  it('is refused to a client that reads no stream', async () => {
    for (const stateless of [false, true]) {
      const { body, headers } = modern('subscriptions/listen', { notifications: ALL }, 'sub');
      const { app } = serve({ stateless });
      const response = await app.fetch(post(body, { ...headers, accept: 'application/json' }));
      expect(response.status).toBe(406);
      expect(await response.json()).toMatchObject({ id: 'sub', error: { code: -32600 } });
    }
  });

  it('refuses what is no filter', async () => {
    const { json } = await exchange(serve().app, modern('subscriptions/listen', { notifications: 1 }));
    expect(json.error).toMatchObject({ code: -32602 });
  });

  it('listens no more when its client is gone', async () => {
    const server = serve();
    const response = await listen(server, { toolsListChanged: true });
    await response.body?.cancel();
    server.changes.notify('tools');
  });
});

describe('a session', () => {
  async function begin({ app }: ReturnType<typeof serve>) {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const { body, headers } = legacy('initialize', params, null);
    const response = await app.fetch(post(body, headers));
    const session = {
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    };
    const { result } = (await response.json()) as { result: { capabilities: Body } };
    const send = async (method: string, uri: string) => {
      const answer = await app.fetch(post({ jsonrpc: '2.0', id: 1, method, params: { uri } }, session));
      return (await answer.json()) as Body;
    };
    const get = new Request('http://localhost:8000/mcp', { headers: { host: 'localhost:8000', ...session } });
    return { capabilities: result.capabilities, send, messages: messagesOf(await app.fetch(get)) };
  }

  // Requirements: legacy.subscribe
  it('is told what it subscribed to, and of every list', async () => {
    const server = serve();
    const { capabilities, send, messages } = await begin(server);
    expect(capabilities).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
    expect(await send('resources/subscribe', HOURS)).toMatchObject({ result: {} });
    expect(await send('resources/subscribe', 'shop://days/monday')).toMatchObject({ result: {} });
    expect(await send('resources/subscribe', 'shop://nothing')).toMatchObject({
      error: { code: -32602, data: { uri: 'shop://nothing' } },
    });
    expect(await send('resources/subscribe', `shop://days/${'x'.repeat(2_048)}`)).toMatchObject({
      error: { code: -32602 },
    });
    expect(await send('resources/unsubscribe', 'shop://days/monday')).toMatchObject({ result: {} });
    server.changes.notifyResource('shop://days/monday');
    server.changes.notifyResource(null);
    server.changes.notify('prompts');
    server.app.close?.();
    const told: unknown[] = [];
    for await (const { method, params } of messages) told.push([method, params]);
    expect(told).toEqual([
      ['notifications/resources/updated', { uri: HOURS }],
      ['notifications/prompts/list_changed', undefined],
    ]);
  });

  it('keeps no subscription where no change is announced, as over HTTP+SSE', async () => {
    const session = createSession('id');
    const endpoint = createMcpHandler(served.runtime, { version: '1', sessions: null });
    const { body, headers } = legacy('resources/subscribe', { uri: HOURS });
    const answer = await endpoint({
      headers: new Headers({ ...headers, 'content-type': 'application/json' }),
      body: JSON.stringify(body),
      caller: { ...CALLER, session },
    });
    expect(await toResponse(answer).json()).toMatchObject({ result: {} });
    expect(session.subscriptions.size).toBe(0);
  });

  it('subscribes to no more once all sessions of its user watch too much, until one of them ends', async () => {
    const changes = createChanges();
    const live = openLive(changes);
    const endpoint = createMcpHandler(served.runtime, { version: '1', sessions: live.sessions, changes });
    const subscribe = async (session: McpSession, id: string) => {
      const { body, headers } = legacy('resources/subscribe', { uri: 'shop://days/monday' });
      const answer = await endpoint({
        headers: new Headers({
          ...headers,
          'content-type': 'application/json',
          'mcp-session-id': session.id,
        }),
        body: JSON.stringify(body),
        caller: { ...CALLER, user: { ...ALICE, id } },
      });
      return toResponse(answer).json();
    };
    const full = Array.from({ length: 5 }, () => live.sessions.begin({ ...ALICE, id: 'ada' }));
    for (const { subscriptions } of full) {
      for (let day = 0; day < 1_000; day += 1) subscriptions.add(`shop://days/${day}`);
    }
    const [hers, his] = ['ada', 'bob'].map((id) => live.sessions.begin({ ...ALICE, id }));
    if (hers === undefined || his === undefined || full[0] === undefined) throw new Error('no session');
    expect(await subscribe(hers, 'ada')).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('Clients watch too many resources') },
    });
    expect(await subscribe(his, 'bob')).toMatchObject({ result: {} });
    live.sessions.end(full[0]);
    expect(await subscribe(hers, 'ada')).toMatchObject({ result: {} });
    expect(changes.watchedBy()).toBe(4_002);
    live.close();
  });

  it('is promised nothing where nothing is kept', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const { json } = await exchange(serve({ stateless: true }).app, legacy('initialize', params, null));
    expect((json.result as Body).capabilities).toEqual({ tools: {}, resources: {}, completions: {} });
  });

  // Requirements: legacy.subscribe
  it('may subscribe all the same to what is there for it, and is told nothing', async () => {
    const { app } = serve({ stateless: true });
    const send = async (method: string, params: Body) => (await exchange(app, legacy(method, params))).json;
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect(await send(method, { uri: HOURS })).toMatchObject({ result: {} });
      expect(await send(method, {})).toMatchObject({ error: { code: -32602 } });
    }
    expect(await send('resources/subscribe', { uri: 'shop://nothing' })).toMatchObject({
      error: { code: -32602, data: { uri: 'shop://nothing' } },
    });
  });

  it.each([
    [[], 'error'],
    [['shop:night'], 'result'],
  ] as const)(
    'finds nothing to subscribe to that its token %j has no scopes for: %s',
    async (scopes, key) => {
      const endpoint = createMcpHandler(served.runtime, { version: '1', sessions: null });
      const { body, headers } = legacy('resources/subscribe', { uri: 'shop://nights' });
      const refuse = () => new SvcError('scope_insufficient', 'No.');
      const answer = await endpoint({
        headers: new Headers({ ...headers, 'content-type': 'application/json' }),
        body: JSON.stringify(body),
        caller: { ...CALLER, grant: { scopes, refuse } },
      });
      expect(await toResponse(answer).json()).toHaveProperty(key);
    },
  );
});

it('many changes of all resources at once are one change now, and one after a pause', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const changes = createChanges();
  let told = 0;
  changes.listen({
    *tell() {
      told += 1;
      yield;
    },
    watchedBy: () => 0,
  });
  const after = (ms: number) => {
    vi.advanceTimersByTime(ms);
    return told;
  };
  for (let call = 0; call < 100; call += 1) changes.notifyResource(null);
  expect([told, after(99), after(1), after(1_000)]).toEqual([1, 1, 2, 2]);
  changes.notifyResource(null);
  expect(told).toBe(3);
  changes.notifyResource(null);
  changes.notifyResource('shop://hours');
  expect(told).toBe(4);
  changes.close();
  expect([told, after(1_000)]).toEqual([5, 5]);
});

it('a change of all resources is announced in steps, and other work runs between them', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const changes = createChanges();
  let sent = 0;
  changes.listen({
    *tell() {
      for (let count = 0; count < 250; count += 1) {
        sent += 1;
        yield;
      }
    },
    watchedBy: () => 0,
  });
  changes.notifyResource(null);
  expect(sent).toBe(100);
  changes.notifyResource(null);
  expect(sent).toBe(100);
  vi.runAllTimers();
  expect(sent).toBe(500);
  changes.notifyResource(null);
  changes.close();
  expect(sent).toBe(750);
});

it.each([
  ['no interpreter took it', false, []],
  ['its function began', true, [{ kind: 'resource', uri: null }]],
])('a Python call that fails is a change if %s: %j', async (_, begins, expected) => {
  const writes: ToolEntry = {
    ...tool('writes', { sql: '' }),
    source: { language: 'python', file: 'tools/writes.py', function: 'writes', mode: 'write', hash: '' },
  };
  const call: Python['call'] = async (_request, host) => {
    if (begins) host.begin?.();
    throw busyError('Too many calls wait for Python');
  };
  const python: Python = { kind: 'child', call, close: async () => {} };
  const runtime = { ...createFakeRuntime([writes]), python: async () => python };
  const changes = createChanges();
  const told: unknown[] = [];
  changes.listen({
    *tell(change) {
      told.push(change);
      yield;
    },
    watchedBy: () => 0,
  });
  const app = createTestApp(runtime, { stateless: false, changes });
  apps.push(app);
  await exchange(app, modern('tools/call', { name: 'writes', arguments: {} }));
  expect(told).toEqual(expected);
});
