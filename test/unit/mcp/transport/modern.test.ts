import { describe, expect, it } from 'vitest';
import { ALICE } from '../../call/project.ts';
import { eventually } from '../eventually.ts';
import { createFakeRuntime, createTestApp, ENVELOPE, exchange, MODERN, modern, post } from '../fixture.ts';

const app = createTestApp();
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('server/discover', () => {
  // Requirements: modern.caching, modern.discover
  it('names the revision, the capabilities, the artefact and how long that holds', async () => {
    const { status, json } = await exchange(app, modern('server/discover'));
    expect(status).toBe(200);
    expect(json.result).toEqual({
      supportedVersions: [MODERN],
      capabilities: { tools: {}, logging: {} },
      instructions: 'demo has 11 tools.',
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'public',
      _meta: {
        'svc-kit/hash': '0123456789abcdef',
        'io.modelcontextprotocol/serverInfo': { name: 'demo', title: 'demo', version: '1.2.3' },
      },
    });
  });

  // Requirements: modern.discover
  it('shows the instructions of the project', async () => {
    const instructed = createTestApp(undefined, { instructions: 'Ask in English.' });
    const { json } = await exchange(instructed, modern('server/discover'));
    expect(json.result).toMatchObject({ instructions: 'Ask in English.' });
  });

  // Requirements: modern.caching.private
  it('keeps answers out of shared caches where clients are told apart', async () => {
    const guarded = createTestApp(undefined, { authenticate: async () => ({ user: ALICE, scopes: [] }) });
    for (const method of ['server/discover', 'tools/list']) {
      const { json } = await exchange(guarded, modern(method));
      expect(json.result).toMatchObject({ cacheScope: 'private' });
    }
  });
});

describe('tools/list', () => {
  // Requirements: modern.order
  it('hands out pages by cursor, the same ones each time', async () => {
    const paged = createTestApp(undefined, { pageSize: 5 });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { json } = await exchange(paged, modern('tools/list', cursor === undefined ? {} : { cursor }));
      const result = json.result as { tools: { name: string }[]; nextCursor?: string; ttlMs: number };
      expect(result.tools.length).toBeLessThanOrEqual(5);
      expect(result.ttlMs).toBe(60_000);
      names.push(...result.tools.map(({ name }) => name));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(names).toHaveLength(11);
    expect(names).toEqual(names.toSorted());
  });

  // Requirements: mcp.pagination
  it.each(['', 'x', '01234567.4', '99999999.5', '__proto__'])('refuses the cursor %j', async (cursor) => {
    const paged = createTestApp(undefined, { pageSize: 5 });
    const { status, json } = await exchange(paged, modern('tools/list', { cursor }));
    expect(status).toBe(200);
    expect(json.error).toMatchObject({ code: -32602 });
  });

  it('answers an empty catalog with an empty page', async () => {
    const { json } = await exchange(createTestApp(createFakeRuntime([])), modern('tools/list'));
    expect(json.result).toMatchObject({ tools: [] });
  });
});

describe('tools/call', () => {
  const call = (name: string, args: object = {}) =>
    exchange(app, modern('tools/call', { name, arguments: args }));

  // Requirements: modern.resultType, modern.serverInfo, service.8
  it('marks results as complete and signs them', async () => {
    const { json } = await call('greet', { name: 'Ada' });
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        content: [{ type: 'text', text: '{"greeting":"Hello, Ada!"}' }],
        structuredContent: { greeting: 'Hello, Ada!' },
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'demo', title: 'demo', version: '1.2.3' } },
      },
    });
  });

  // Requirements: modern.schema.output
  it('gives a string as it is', async () => {
    const { json } = await call('greeting', { name: 'Ada' });
    expect(json.result).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
      structuredContent: 'Hello, Ada!',
    });
  });

  it('gives structured content without a declared type too, and needs no arguments', async () => {
    const { json } = await exchange(app, modern('tools/call', { name: 'undeclared' }));
    expect(json.result).toMatchObject({ structuredContent: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  });

  it('gives null where the type allows it', async () => {
    const { json } = await call('maybe');
    expect(json.result).toMatchObject({ structuredContent: null, content: [{ type: 'text', text: 'null' }] });
  });

  it('shows in both forms that a result was cut, and keeps it true to its schema', async () => {
    const { json } = await call('cut');
    const hint = 'Only the first 100 rows are shown. Narrow the arguments, or ask for less at a time.';
    expect(json.result).toMatchObject({
      content: [
        { type: 'text', text: '[{"n":1},{"n":2}]' },
        { type: 'text', text: `Truncated (rows). ${hint}` },
      ],
      structuredContent: [{ n: 1 }, { n: 2 }],
      _meta: { 'svc-kit/truncated': { reason: 'rows', limit: 100, hint } },
    });
  });

  // Requirements: mcp.tool.arguments
  it('lists what is wrong with arguments, each with its path', async () => {
    const { status, json } = await call('greet', { name: 'A', nmae: 'Ada' });
    expect(status).toBe(200);
    const result = json.result as { isError: boolean; content: { text: string }[] };
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toMatch(/^The arguments of greet are not valid:\n- /);
    expect(result.content[0]?.text).toMatch(/^- name: /m);
    expect(result.content[0]?.text).toMatch(/^- nmae: /m);
  });

  // Requirements: mcp.tool.failed
  it.each(['broken', 'crash'])('hides why %s failed, under an id that the log has too', async (name) => {
    const runtime = createFakeRuntime();
    const answered = await exchange(createTestApp(runtime), modern('tools/call', { name, arguments: {} }));
    const text = JSON.stringify(answered.json);
    expect(answered.json.result).toMatchObject({ isError: true });
    expect(text).not.toContain('secret');
    const id = answered.response.headers.get('x-request-id') ?? 'none';
    expect(text).toContain(`(error id ${id})`);
    expect(runtime.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ error_id: id, endpoint: name }),
      }),
    ]);
    expect(JSON.stringify(runtime.lines)).toContain('secret');
  });

  // Requirements: mcp.tool.unknown
  it('refuses an unknown tool in the protocol', async () => {
    const { status, json } = await call('nope');
    expect(status).toBe(200);
    expect(json.error).toEqual({ code: -32602, message: 'Unknown tool: nope' });
  });

  it.each(['constructor', '__proto__', 'toString'])('does not take %s for a tool', async (name) => {
    expect((await call(name)).json.error).toMatchObject({ code: -32602 });
  });

  it.each([[{ name: 5 }], [{ name: 'greet', arguments: [] }], [{ name: 'greet', arguments: 'x' }], [{}]])(
    'refuses the parameters %j',
    async (params) => {
      const { json } = await exchange(app, modern('tools/call', params));
      expect(json.error).toMatchObject({ code: -32602 });
    },
  );

  it('hands the cancel signal of the request to the database', async () => {
    const runtime = createFakeRuntime();
    const controller = new AbortController();
    const { body, headers } = modern('tools/call', { name: 'wait', arguments: {} });
    const request = new Request(post(body, headers), { signal: controller.signal });
    const answering = createTestApp(runtime).fetch(request);
    await eventually(() => runtime.fake.calls.length).toBe(1);
    controller.abort();
    expect(JSON.stringify(await (await answering).json())).toContain('The call was cancelled.');
  });

  // Requirements: modern.buffering, transport.streamable-http
  it('answers an event stream to a client that reads nothing else', async () => {
    const { body, headers } = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
    const response = await app.fetch(post(body, { ...headers, accept: 'text/event-stream' }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const text = await response.text();
    expect(text).toMatch(/^event: message\ndata: \{.*\}\n\n$/);
    expect(text).toContain('Hello, Ada!');
  });
});

describe('what a request of 2026-07-28 must carry', () => {
  const list = modern('tools/list');
  const call = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
  const without = (headers: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
  const withMeta = (meta: object | undefined) => ({
    ...list,
    body: { ...list.body, params: meta === undefined ? {} : { _meta: meta } },
  });
  const envelopeWithout = (name: string) =>
    withMeta(without(ENVELOPE as never, `io.modelcontextprotocol/${name}`));

  it.each([
    // Requirements: modern.envelope.version
    ['no _meta', withMeta(undefined), 400, -32602],
    // Requirements: modern.envelope.version
    ['no protocolVersion', envelopeWithout('protocolVersion'), 400, -32602],
    // Requirements: modern.envelope.capabilities
    ['no clientCapabilities', envelopeWithout('clientCapabilities'), 400, -32602],
    // Requirements: modern.header.version
    ['no version header', { ...list, headers: without(list.headers, 'mcp-protocol-version') }, 400, -32020],
    [
      // Requirements: modern.header.version
      'another version header',
      { ...list, headers: { ...list.headers, 'mcp-protocol-version': '2025-11-25' } },
      400,
      -32020,
    ],
    // Requirements: modern.header.method
    ['no method header', { ...list, headers: without(list.headers, 'mcp-method') }, 400, -32020],
    [
      // Requirements: modern.header.method
      'another method header',
      { ...list, headers: { ...list.headers, 'mcp-method': 'tools/call' } },
      400,
      -32020,
    ],
    // Requirements: modern.header.name
    ['no name header', { ...call, headers: without(call.headers, 'mcp-name') }, 400, -32020],
    // Requirements: modern.header.name
    ['another name header', { ...call, headers: { ...call.headers, 'mcp-name': 'numbers' } }, 400, -32020],
    [
      // Requirements: modern.header.base64
      'a name header in bad Base64',
      { ...call, headers: { ...call.headers, 'mcp-name': '=?base64?ZZ?=' } },
      400,
      -32020,
    ],
    // Requirements: modern.unknown-method
    ['a removed method, ping', modern('ping'), 404, -32601],
    // Requirements: modern.unknown-method
    ['a removed method, logging/setLevel', modern('logging/setLevel', { level: 'info' }), 404, -32601],
    // Requirements: modern.unknown-method
    ['a removed method, resources/subscribe', modern('resources/subscribe', { uri: 'a:b' }), 404, -32601],
    // Requirements: modern.handshake
    ['initialize', modern('initialize', { protocolVersion: MODERN }), 404, -32601],
    // Requirements: modern.unknown-method
    ['an unknown method', modern('no/such'), 404, -32601],
    ['a method that is not offered', modern('prompts/list'), 404, -32601],
    ['a prototype property as the method', modern('constructor'), 404, -32601],
  ])('%s', async (_name, request, status, code) => {
    const answered = await exchange(app, request);
    expect({ status: answered.status, error: answered.json.error, id: answered.json.id }).toMatchObject({
      status,
      error: { code },
      id: 7,
    });
  });

  // Requirements: modern.envelope.client
  it('does without clientInfo', async () => {
    expect((await exchange(app, envelopeWithout('clientInfo'))).status).toBe(200);
  });

  // Requirements: modern.header.base64
  it('reads a name header in Base64', async () => {
    const encoded = { ...call, headers: { ...call.headers, 'mcp-name': base64('greet') } };
    expect((await exchange(app, encoded)).json.result).toMatchObject({ resultType: 'complete' });
  });

  // Requirements: modern.header.param
  it('asks for no header of a parameter, and looks at none', async () => {
    expect(JSON.stringify((await exchange(app, list)).json)).not.toContain('x-mcp-header');
    const more = { ...call, headers: { ...call.headers, 'mcp-param-name': 'Eve' } };
    expect((await exchange(app, more)).json.result).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
  });

  // Requirements: modern.version-mismatch
  it('refuses a revision that it does not speak, naming those it does', async () => {
    const meta = { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const request = { ...withMeta(meta), headers: { ...list.headers, 'mcp-protocol-version': '2031-01-01' } };
    const { status, json } = await exchange(app, request);
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: -32022,
      data: { supported: [MODERN], requested: '2031-01-01' },
    });
  });

  // Requirements: modern.last-event-id, modern.session
  it('ignores a session id and never gives one out', async () => {
    const headers = { ...list.headers, 'mcp-session-id': 'abc', 'last-event-id': '3' };
    const { status, response } = await exchange(app, { ...list, headers });
    expect(status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeNull();
  });

  // Requirements: modern.notifications
  it('takes notifications without an answer', async () => {
    const body = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, _meta: ENVELOPE },
    };
    const response = await app.fetch(post(body, { 'mcp-protocol-version': MODERN }));
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
  });

  // Requirements: modern.batch
  it('refuses batches', async () => {
    const { status, json } = await exchange(app, { body: [list.body], headers: list.headers });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: -32600 });
  });
});
