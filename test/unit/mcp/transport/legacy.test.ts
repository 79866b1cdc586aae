import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { createFakeRuntime, createTestApp, exchange, legacy, post, tool } from '../fixture.ts';

const app = createTestApp();
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

const initialize = (protocolVersion: unknown) =>
  legacy(
    'initialize',
    { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    null,
  );

describe('initialize', () => {
  // Requirements: legacy.initialize
  it.each(VERSIONS)('agrees on %s', async (version) => {
    const { status, json } = await exchange(app, initialize(version));
    expect(status).toBe(200);
    expect(json.result).toEqual({
      protocolVersion: version,
      capabilities: { tools: {} },
      instructions: 'demo has 11 tools.',
      serverInfo: { name: 'demo', title: 'demo', version: '1.2.3' },
    });
  });

  // Requirements: legacy.initialize
  it('offers the newest revision of the era to a client of an unknown one', async () => {
    const { json } = await exchange(app, initialize('1999-01-01'));
    expect(json.result).toMatchObject({ protocolVersion: '2025-11-25' });
  });

  it('refuses a request without a version, and one of the modern era', async () => {
    expect((await exchange(app, initialize(undefined))).json.error).toMatchObject({ code: -32602 });
    const headers = { 'mcp-protocol-version': '2026-07-28' };
    const { status, json } = await exchange(app, { ...initialize('2025-11-25'), headers });
    expect({ status, error: json.error }).toMatchObject({ status: 400, error: { code: -32020 } });
  });

  it('remembers nothing of one client for another', async () => {
    await exchange(app, initialize('2024-11-05'));
    const { json } = await exchange(app, legacy('tools/call', { name: 'greet', arguments: { name: 'Ada' } }));
    expect(json.result).toEqual({
      content: [{ type: 'text', text: '{"greeting":"Hello, Ada!"}' }],
      structuredContent: { greeting: 'Hello, Ada!' },
    });
  });

  // Requirements: user-file.transport.http.stateless
  it('gives out no session', async () => {
    const { response } = await exchange(app, initialize('2025-11-25'));
    expect(response.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('requests of the older revisions', () => {
  it.each([...VERSIONS, null])('are answered as plain JSON under version header %s', async (version) => {
    const { status, response, json } = await exchange(app, legacy('tools/list', {}, version));
    expect(status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(json.result).not.toHaveProperty('resultType');
    expect(json.result).not.toHaveProperty('ttlMs');
  });

  // Requirements: legacy.version-header
  it('are refused under a version that never was', async () => {
    const { status, json } = await exchange(app, legacy('tools/list', {}, '2020-02-02'));
    expect({ status, error: json.error }).toMatchObject({ status: 400, error: { code: -32600 } });
  });

  // Requirements: legacy.ping
  it('may ping', async () => {
    expect((await exchange(app, legacy('ping'))).json).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  });

  it('get -32601 with status 200 for methods that are not offered', async () => {
    for (const method of ['prompts/list', 'resources/list', 'logging/setLevel', 'server/discover', 'x/y']) {
      const { status, json } = await exchange(app, legacy(method));
      expect({ status, error: json.error }).toMatchObject({ status: 200, error: { code: -32601 } });
    }
  });

  // Requirements: modern.schema.output
  it('see declared lists and values as objects, in the schema and in the result', async () => {
    const { json } = await exchange(app, legacy('tools/list'));
    const { tools } = json.result as { tools: { name: string; outputSchema?: object }[] };
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.outputSchema;
    expect(schemaOf('greeting')).toEqual({
      type: 'object',
      properties: { result: { type: 'string' } },
      required: ['result'],
    });
    expect(schemaOf('greet')).toMatchObject({ properties: { greeting: { type: 'string' } } });
    const call = (name: string, args: object = {}) =>
      exchange(app, legacy('tools/call', { name, arguments: args }));
    const structured = async (name: string, args?: object) =>
      (await call(name, args)).json.result as { structuredContent: unknown };
    expect((await structured('greeting', { name: 'Ada' })).structuredContent).toEqual({
      result: 'Hello, Ada!',
    });
    expect((await structured('undeclared')).structuredContent).toEqual({
      result: [{ n: 1 }, { n: 2 }, { n: 3 }],
    });
  });

  // Requirements: legacy.accept
  it('are answered as an event stream where the client reads nothing else', async () => {
    const { body, headers } = legacy('ping');
    const response = await app.fetch(post(body, { ...headers, accept: 'text/event-stream' }));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('event: message\ndata: {"result":{},"jsonrpc":"2.0","id":7}\n\n');
  });

  // Requirements: mcp.id
  it('keep their id, whatever others use at the same time', async () => {
    const ids = ['a', 'a', 0, 1, 1, -3, 'é'];
    const answers = await Promise.all(
      ids.map((id) => exchange(app, { ...legacy('ping'), body: { jsonrpc: '2.0', id, method: 'ping' } })),
    );
    expect(answers.map(({ json }) => json.id)).toEqual(ids);
  });
});

describe('notifications and responses', () => {
  // Requirements: legacy.notification
  it.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 3, result: {} },
    { jsonrpc: '2.0', id: 3, error: { code: -32603, message: 'no' } },
  ])('are taken without an answer: %j', async (body) => {
    const response = await app.fetch(post(body));
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 202, text: '' });
  });

  it('cannot cancel the call of another client', async () => {
    const runtime = createFakeRuntime();
    const shared = createTestApp(runtime);
    const controller = new AbortController();
    const { body, headers } = legacy('tools/call', { name: 'wait', arguments: {} });
    const waiting = shared.fetch(new Request(post(body, headers), { signal: controller.signal }));
    await eventually(() => runtime.fake.calls.length).toBe(1);
    for (const requestId of [1, 2, 7, '7']) {
      await shared.fetch(post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }));
    }
    expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(false);
    controller.abort();
    await waiting;
  });
});

describe('batches', () => {
  const batch = [
    { jsonrpc: '2.0', id: 'a', method: 'ping' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'greet', arguments: { name: 'Ada' } } },
    { jsonrpc: '2.0', id: 'c', method: 'no/such' },
  ];
  const send = (body: unknown, version: string | null = null) =>
    exchange(app, { ...legacy('', {}, version), body });

  // Requirements: legacy.batch
  it.each([null, '2025-03-26', '2024-11-05'])('are answered as one array under %s', async (version) => {
    const { status, json } = await send(batch, version);
    expect(status).toBe(200);
    expect(json).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', result: { structuredContent: { greeting: 'Hello, Ada!' } } },
      { id: 'c', error: { code: -32601 } },
    ]);
  });

  // Requirements: legacy.batch
  it.each([
    ['a revision that has none', batch, '2025-06-18'],
    ['an empty one', [], null],
    ['too many messages', Array.from({ length: 101 }, () => batch[0]), null],
    ['initialize inside', [initialize('2025-03-26').body], null],
    ['something else inside', [batch[0], 5], null],
  ])('are refused: %s', async (_name, body, version) => {
    const { status, json } = await send(body, version);
    expect({ status, error: json.error }).toMatchObject({ status: 400, error: { code: -32600 } });
  });

  it('run one request after the other, and none once the answers are as large as a result may be', async () => {
    const runtime = createFakeRuntime([tool('large', { sql: 'large' })]);
    const { large } = runtime.catalog.tools;
    const limits = { rows: 100, bytes: 4 * 1024 * 1024, timeoutMs: 30_000 };
    const catalog = { ...runtime.catalog, tools: { large: { ...large, limits } } } as typeof runtime.catalog;
    let [began, running, most] = [0, 0, 0];
    const run = async () => {
      began += 1;
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      const columns = [{ name: 'text', type: 'VARCHAR' }];
      return { columns, rows: [{ text: 'x'.repeat(700 * 1024) }], truncated: false };
    };
    const database = async () => ({ ...runtime.fake, run });
    const of = createTestApp({ ...runtime, catalog, database });
    const body = Array.from({ length: 100 }, (_, id) => ({
      ...legacy('tools/call', { name: 'large' }).body,
      id,
    }));
    const { status, json } = await exchange(of, { ...legacy('', {}, '2025-03-26'), body });
    expect(status).toBe(200);
    const answers = json as unknown as readonly { id: number; result?: object; error?: object }[];
    expect(answers.map(({ id }) => id)).toEqual(body.map(({ id }) => id));
    // An answer has its rows twice: as text and as structured content.
    expect([began, most]).toEqual([3, 1]);
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(began);
    expect(answers.at(-1)?.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('did not run'),
    });
  });

  it('of notifications alone get no answer', async () => {
    const response = await app.fetch(post([batch[1]]));
    expect(response.status).toBe(202);
  });
});
