import { request } from 'node:http';
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../../../../adapters/node/http/server.ts';
import { type ClosableSse, createSseEndpoint, SseConnection } from '../../../../adapters/sse/endpoint.ts';
import type { AppOptions } from '../../../../src/app.ts';
import { SvcError } from '../../../../src/errors.ts';
import { eventually } from '../../mcp/eventually.ts';
import { createFakeRuntime, createTestApp, legacy } from '../../mcp/fixture.ts';
import { allMessages } from '../../mcp/stream.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Server {
  readonly server: HttpServer;
  readonly sse: ClosableSse;
  readonly runtime: ReturnType<typeof createFakeRuntime>;
}

async function start(
  options: Partial<AppOptions> = {},
  most?: number,
  mostOfUser?: number,
  runtime = createFakeRuntime(),
): Promise<Server> {
  const sse = createSseEndpoint({
    runtime: () => runtime,
    version: '1.2.3',
    ...(most === undefined ? {} : { most }),
    ...(mostOfUser === undefined ? {} : { mostOfUser }),
  });
  const app = createTestApp(runtime, { sse, ...options });
  const server = await startHttpServer({ app, host: '127.0.0.1', port: 0, graceMs: 100 });
  closing.push(async () => {
    await sse.close();
    await server.close();
  });
  return { server, sse, runtime };
}

/** A raw listener: what it was sent, and the address for its own messages. */
async function listen({ url }: HttpServer, headers: Record<string, string> = {}) {
  const outgoing = request(`${url}/sse`, { headers: { accept: 'text/event-stream', ...headers } });
  const heard: { text: string; ended: boolean } = { text: '', ended: false };
  outgoing.on('error', () => {});
  outgoing.on('response', (response) => {
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      heard.text += chunk;
    });
    response.on('close', () => {
      heard.ended = true;
    });
    response.on('error', () => {});
  });
  outgoing.end();
  await eventually(() => heard.text).toMatch(/^event: endpoint\ndata: \S+\n\n/);
  const path = /data: (\S+)/.exec(heard.text)?.[1] ?? '';
  const post = (body: unknown, more: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const messages = () =>
    [...heard.text.matchAll(/event: message\ndata: (.*)\n\n/g)].map(([, data]) => JSON.parse(data ?? ''));
  return { heard, path, post, messages, leave: () => outgoing.destroy() };
}

const WAIT = legacy('tools/call', { name: 'wait', arguments: {} }).body;

describe('clients over HTTP+SSE', () => {
  const open = async (generation: 1 | 2, server: HttpServer) => {
    const url = new URL(`${server.url}/sse`);
    const client =
      generation === 1
        ? new OldClient({ name: 'old', version: '1' })
        : new Client({ name: 'new', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect((generation === 1 ? new OldTransport(url) : new SSEClientTransport(url)) as never);
    closing.push(() => client.close());
    return client;
  };

  // Requirements: transport.sse
  it.each([1, 2] as const)('SDK %i lists, calls, fails and pings', async (generation) => {
    const { server } = await start();
    const client = await open(generation, server);
    expect(client.getServerVersion()).toMatchObject({ name: 'demo', version: '1.2.3' });
    expect((await client.listTools()).tools).toHaveLength(11);
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    expect(await client.callTool({ name: 'crash', arguments: {} })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.ping();
  });

  it('twenty of them at once each hear their own', async () => {
    const { server } = await start();
    const clients = await Promise.all(Array.from({ length: 20 }, () => open(1, server)));
    const answers = await Promise.all(
      clients.map((client, index) =>
        client.callTool({ name: 'greet', arguments: { name: `Client ${index}` } }),
      ),
    );
    expect(answers.map((answer) => answer.structuredContent)).toEqual(
      clients.map((_client, index) => ({ greeting: `Hello, Client ${index}!` })),
    );
  });

  it('may go on to use the endpoint of today', async () => {
    const { server } = await start();
    const { body, headers } = legacy('tools/list');
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  });
});

describe('a connection', () => {
  // Requirements: legacy.sse
  it('begins with the address for messages and is kept by no proxy', async () => {
    const { server } = await start();
    const response = await fetch(`${server.url}/sse`);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    await response.body?.cancel();
    const { path } = await listen(server);
    expect(path).toMatch(/^\/messages\/\?session_id=[\da-f-]{36}$/);
  });

  it('names the path that the world sees', async () => {
    const publicAddress = { baseUrl: 'https://example.org/shop', trustProxy: false, scheme: null };
    const { server } = await start({ publicAddress: publicAddress });
    const { path } = await listen(server);
    expect(path).toMatch(/^\/shop\/messages\/\?session_id=/);
  });

  // Requirements: legacy.initialize
  it('agrees with a client of the revision with batches on the one before', async () => {
    const { server } = await start();
    const { post, messages } = await listen(server);
    const clientInfo = { name: 't', version: '1' };
    await post(legacy('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo }).body);
    await eventually(messages).toMatchObject([{ id: 7, result: { protocolVersion: '2024-11-05' } }]);
  });

  it('answers 202 at once and the rest by the stream, also what is wrong with a message', async () => {
    const { server } = await start();
    const { post, messages } = await listen(server);
    const accepted = await post(legacy('ping').body);
    expect([accepted.status, await accepted.text()]).toEqual([202, '']);
    await eventually(messages).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
    expect((await post('{"jsonrpc"')).status).toBe(400);
    expect((await post('[1]')).status).toBe(400);
    expect((await post(legacy('ping').body, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });

  it('runs so many requests at once, and more when some are answered', async () => {
    const { server } = await start();
    const { post, messages, leave } = await listen(server);
    for (let id = 1; id <= 256; id += 1) expect((await post({ ...WAIT, id })).status).toBe(202);
    const refused = await post({ ...WAIT, id: 257 });
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      503,
      expect.stringContaining('Too many requests of this connection run'),
    ]);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect((await post({ ...legacy('ping').body, id: 258 })).status).toBe(202);
    await eventually(() => messages().map(({ id }) => id)).toEqual([258]);
    leave();
  });

  it('holds the large bodies of its running requests, and none of those that ended', async () => {
    const { server } = await start();
    const { post, leave } = await listen(server);
    const other = await listen(server);
    const large = (message: object) => `${JSON.stringify(message)}${' '.repeat(1_000_000)}`;
    for (let id = 1; id <= 8; id += 1) {
      expect((await post(large({ ...legacy('ping').body, id }))).status).toBe(202);
    }
    for (let id = 11; id <= 14; id += 1) expect((await post(large({ ...WAIT, id }))).status).toBe(202);
    for (const one of [post, other.post]) expect((await one(large({ ...WAIT, id: 15 }))).status).toBe(503);
    expect((await post({ ...WAIT, id: 16 })).status).toBe(202);
    // A second request with its id would end the first one's hold.
    expect((await post({ ...WAIT, id: 16 })).status).toBe(400);
    // Neither a malformed cancellation nor a request cancels anything.
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 16 } };
    await post({ ...cancel, params: { requestId: 16, reason: 1 } });
    await post({ ...cancel, id: 'a request' });
    expect((await post({ ...WAIT, id: 16 })).status).toBe(400);
    leave();
    await eventually(async () => (await other.post(large({ ...WAIT, id: 17 }))).status).toBe(202);
    other.leave();
  });

  it('that ends cancels what it asked for', async () => {
    const { server, runtime } = await start();
    const { post, leave } = await listen(server);
    await post(WAIT);
    await eventually(() => runtime.fake.calls.length).toBe(1);
    leave();
    await eventually(() => runtime.fake.calls[0]?.call.signal.aborted).toBe(true);
  });

  it('takes back a call that its client cancels', async () => {
    const { server, runtime } = await start();
    const { post, messages } = await listen(server);
    await post(WAIT);
    await eventually(() => runtime.fake.calls.length).toBe(1);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await eventually(() => runtime.fake.calls[0]?.call.signal.aborted).toBe(true);
    await post({ ...legacy('ping').body, id: 8 });
    await eventually(() => messages().map(({ id }) => id)).toEqual([8]);
  });

  it('is forgotten when it ends', async () => {
    const { server } = await start();
    const { post, leave } = await listen(server);
    leave();
    await expect.poll(async () => (await post(legacy('ping').body)).status).toBe(404);
  });

  it('is refused where as many are open as may be', async () => {
    const { server } = await start({}, 2);
    const first = await listen(server);
    await listen(server);
    const third = await fetch(`${server.url}/sse`);
    expect([third.status, third.headers.get('retry-after')]).toEqual([503, '5']);
    first.leave();
    await expect
      .poll(async () => {
        const { status, body } = await fetch(`${server.url}/sse`);
        await body?.cancel();
        return status;
      })
      .toBe(200);
  });

  it('is not opened by a HEAD, whose stream nobody would read', async () => {
    const { server } = await start({}, 1);
    const asked = [
      ['HEAD', '/sse', 'GET'],
      ['PUT', '/sse', 'GET'],
      ['GET', '/messages/', 'POST'],
    ] as const;
    for (const [method, path, allowed] of asked) {
      const { status, headers } = await fetch(`${server.url}${path}`, { method });
      expect([status, headers.get('allow')], `${method} ${path}`).toEqual([405, allowed]);
    }
    await listen(server);
  });

  it('carries the answers that are still being made when the server ends', async () => {
    const written = Promise.withResolvers<void>();
    const runtime = { ...createFakeRuntime(), observe: () => {}, written: () => written.promise };
    const { server, sse } = await start({}, undefined, undefined, runtime);
    const { heard, post, messages } = await listen(server);
    await post(legacy('tools/call', { name: 'greet', arguments: { name: 'Ada' } }).body);
    await eventually(() => runtime.fake.calls.length).toBe(1);
    const closing = sse.close();
    written.resolve();
    await closing;
    await eventually(() => heard.ended).toBe(true);
    expect(messages()).toMatchObject([{ id: 7, result: { structuredContent: { greeting: 'Hello, Ada!' } } }]);
  });

  it('ends with the server after a second, if a call goes on', async () => {
    const { server, sse, runtime } = await start();
    const { heard, post } = await listen(server);
    await post(WAIT);
    await eventually(() => runtime.fake.calls.length).toBe(1);
    await sse.close();
    await eventually(() => heard.ended).toBe(true);
    expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(true);
  });

  it('ends with the server, and none begins after it', async () => {
    const { server, sse } = await start();
    const { heard } = await listen(server);
    await sse.close();
    await eventually(() => heard.ended).toBe(true);
    const late = await fetch(`${server.url}/sse`);
    expect(late.status).toBe(503);
  });
});

describe('guards', () => {
  const authenticate = async ({ headers }: Request) => {
    const id = headers.get('authorization');
    if (id === null) throw new SvcError('denied', 'Log in first.');
    return { user: { id, provider: 'test' } };
  };

  it('ask who it is for the stream and for each message', async () => {
    const { server } = await start({ authenticate });
    expect((await fetch(`${server.url}/sse`)).status).toBe(403);
    const ada = await listen(server, { authorization: 'ada' });
    expect((await ada.post(legacy('ping').body)).status).toBe(202);
    const unknown = await fetch(`${server.url}${ada.path}`, { method: 'POST', body: '{}' });
    expect(unknown.status).toBe(403);
  });

  it('leave connections for others when one user opens many', async () => {
    const { server } = await start({ authenticate }, 4, 2);
    const open = (authorization: string) => listen(server, { authorization });
    await open('greedy');
    await open('greedy');
    const third = await fetch(`${server.url}/sse`, { headers: { authorization: 'greedy' } });
    expect([third.status, third.headers.get('retry-after')]).toEqual([503, '5']);
    await open('ada');
    await open('bob');
  });

  it('give the session of one user to no other', async () => {
    const { server } = await start({ authenticate });
    const ada = await listen(server, { authorization: 'ada' });
    const asBob = await ada.post(legacy('ping').body, { authorization: 'bob' });
    expect(asBob.status).toBe(404);
    expect(await asBob.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: 'There is no such session.' },
    });
  });

  it.each(['/sse', '/messages/?session_id=x'])('keep foreign origins out of %s', async (path) => {
    const { server } = await start();
    const headers = { origin: 'https://evil.example' };
    const method = path === '/sse' ? 'GET' : 'POST';
    expect((await fetch(`${server.url}${path}`, { method, headers })).status).toBe(403);
  });

  it.each([
    ['/sse', 'GET'],
    ['/messages/', 'POST'],
  ])('let pages of this machine ask before they use %s', async (path, method) => {
    const { server } = await start();
    const response = await fetch(`${server.url}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:5173', 'access-control-request-headers': 'authorization' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toBe(method);
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization');
  });

  it('count messages like any request', async () => {
    const limit = { requestsPerMinute: 1, burst: 3 };
    const { server } = await start({ rateLimit: limit });
    const { post } = await listen(server);
    const statuses = [];
    for (let ask = 0; ask < 3; ask += 1) statuses.push((await post(legacy('ping').body)).status);
    expect(statuses).toEqual([202, 202, 429]);
  });

  it('offer none of it where the transport is not chosen', async () => {
    const app = createTestApp();
    const ask = (path: string, method: string) =>
      app.fetch(new Request(`http://localhost${path}`, { method, headers: { host: 'localhost' } }));
    expect((await ask('/sse', 'GET')).status).toBe(404);
    expect((await ask('/messages/?session_id=x', 'POST')).status).toBe(404);
  });
});

it('loses lines before answers, however many come at once', async () => {
  const connection = new SseConnection({ id: 'c', address: '/messages/', user: null, onClosed: () => {} });
  const line = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: '' },
  } as const;
  for (let n = 0; n < 3_000; n += 1) await connection.send(line);
  await connection.send({ jsonrpc: '2.0', id: 7, result: {} });
  await connection.close();
  const messages = await allMessages(new Response(connection.readable));
  expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
});
