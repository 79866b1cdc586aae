import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '../../../../../adapters/node/http/server.ts';
import type { App } from '../../../../../src/app.ts';
import { type EventStream, openEventStream } from '../../../../../src/mcp/transport/event-stream.ts';
import type { LogLine } from '../../../../../src/ports.ts';
import { eventually } from '../../../mcp/eventually.ts';
import { createFakeRuntime, createTestApp, type FakeRuntime, legacy, modern } from '../../../mcp/fixture.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(runtime: FakeRuntime = createFakeRuntime(), options: Partial<HttpServerOptions> = {}) {
  const app = createTestApp(runtime);
  const server = await startHttpServer({ app, host: '127.0.0.1', port: 0, graceMs: 100, ...options });
  open.push(server);
  return server;
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

interface Message {
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

const send = (server: HttpServer, { body, headers }: Message, init: RequestInit = {}) =>
  fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
    ...init,
  });

async function dial({ port }: HttpServer): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  // `once` of events would reject where the server resets the connection
  const ended = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()));
  });
  return { socket, ended };
}

const WAIT = modern('tools/call', { name: 'wait', arguments: {} });
const GREET = modern('tools/call', { name: 'greet', arguments: { name: 'Zoë' } });

describe('startHttpServer', () => {
  it('takes a free port and says which', async () => {
    const server = await start();
    expect(server.port).toBeGreaterThan(0);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: 'ok' });
  });

  it('writes answers whole, with their length in bytes', async () => {
    const response = await send(await start(), GREET);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(text));
    expect(text).toContain('Hello, Zoë!');
  });

  it('leaves the global objects alone', async () => {
    const before = [globalThis.Request, globalThis.Response];
    await start();
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  it('says how to get around a port in use', async () => {
    const { port } = await start();
    const second = startHttpServer({ app: createTestApp(), host: '127.0.0.1', port });
    await expect(second).rejects.toMatchObject({
      code: 'address_unavailable',
      message: `Cannot listen on 127.0.0.1:${port}: it is already in use. Stop the other process, or choose another port with --port.`,
    });
  });

  // Requirements: user-file.transport.http.host
  it('says so when the address is none of this machine', async () => {
    const elsewhere = startHttpServer({ app: createTestApp(), host: '192.0.2.1', port: 0 });
    await expect(elsewhere).rejects.toMatchObject({
      code: 'address_unavailable',
      message: expect.stringContaining('--host'),
    });
  });
});

describe('the SDK v1 client over a real port', () => {
  it('lists and calls', async () => {
    const server = await start();
    const client = new Client({ name: 'old', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)) as never);
    expect(client.getServerVersion()).toMatchObject({ name: 'demo', version: '1.2.3' });
    expect((await client.listTools()).tools).toHaveLength(11);
    expect(await client.callTool({ name: 'numbers', arguments: {} })).toMatchObject({
      structuredContent: { result: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    });
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.ping();
    await client.close();
  });
});

describe('a client that goes away', () => {
  it.each([
    ['a call of 2026-07-28', WAIT],
    ['an older call', legacy('tools/call', { name: 'wait', arguments: {} })],
  ])('cancels its call: %s', async (_name, request) => {
    const runtime = createFakeRuntime();
    const controller = new AbortController();
    const sending = send(await start(runtime), request, { signal: controller.signal });
    await eventually(() => runtime.fake.calls.length).toBe(1);
    const signal = runtime.fake.calls[0]?.call.signal;
    expect(signal?.aborted).toBe(false);
    controller.abort();
    await expect(sending).rejects.toThrow();
    await eventually(() => signal?.aborted).toBe(true);
  });

  it('in the middle of its body is no error of the server', async () => {
    const runtime = createFakeRuntime();
    const server = await start(runtime);
    const { socket, ended } = await dial(server);
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"js',
    );
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    socket.destroy();
    await ended;
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(runtime.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('close', () => {
  it('lets a running request finish, and is not ready meanwhile', async () => {
    const runtime = createFakeRuntime();
    const server = await start(runtime, { graceMs: 60_000 });
    const unused = await dial(server);
    await (await send(server, GREET)).text();
    const controller = new AbortController();
    const app = createTestApp(runtime);
    const slow = {
      ...app,
      fetch: (request: Request) =>
        app.fetch(request, request.method === 'GET' ? {} : { signal: controller.signal }),
    };
    const other = await start(runtime, { app: slow, graceMs: 60_000 });
    expect((await fetch(`${other.url}/ready`)).status).toBe(200);
    const waiting = send(other, WAIT);
    await eventually(() => runtime.fake.calls.length).toBe(3);
    const closing = [server.close(), other.close()];
    const ready = await fetch(`${other.url}/ready`);
    expect(ready.status).toBe(503);
    expect(ready.headers.get('connection')).toBe('close');
    expect(await ready.text()).toContain('The server is stopping.');
    controller.abort();
    expect(await (await waiting).text()).toContain('The call was cancelled.');
    await Promise.all(closing);
    await expect(fetch(`${other.url}/health`)).rejects.toThrow();
    await unused.ended;
  });

  it('ends what is still running after the grace, which knows by then', async () => {
    const runtime = createFakeRuntime();
    const server = await start(runtime, { graceMs: 50 });
    const sending = send(server, WAIT).catch(() => 'cut off');
    await eventually(() => runtime.fake.calls.length).toBe(1);
    await server.close();
    expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(true);
    expect(await sending).toBe('cut off');
  });
});

describe('limits', () => {
  it('refuses a body beyond 1 MiB, declared or not', async () => {
    const server = await start();
    const big = 'x'.repeat(1024 * 1024 + 1);
    const stream = () => new Blob([big]).stream();
    const declared = await send(server, legacy('ping'), { body: big });
    const chunked = await send(server, legacy('ping'), { body: stream(), duplex: 'half' } as RequestInit);
    expect([declared.status, chunked.status]).toEqual([413, 413]);
    expect(await chunked.json()).toMatchObject({ error: { code: -32600 } });
  });

  it('reads a chunked body within it', async () => {
    const { body, headers } = legacy('ping');
    const stream = new Blob([JSON.stringify(body)]).stream();
    const response = await send(
      await start(),
      { body, headers } as never,
      { body: stream, duplex: 'half' } as RequestInit,
    );
    expect(await response.json()).toMatchObject({ result: {} });
  });

  it('runs only so many calls with large bodies, small ones beside them, and more when some end', async () => {
    const runtime = createFakeRuntime();
    const server = await start(runtime);
    const waits = () => {
      const leaving = new AbortController();
      const body = `${JSON.stringify(WAIT.body)}${' '.repeat(1_000_000)}`;
      const call = send(server, WAIT, { body, signal: leaving.signal }).catch(() => null);
      return { call, leave: () => leaving.abort() };
    };
    const running = [1, 2, 3, 4].map(waits);
    const large = () => send(server, GREET, { body: `${JSON.stringify(GREET.body)}${' '.repeat(500_000)}` });
    await eventually(() => runtime.fake.calls.length).toBe(4);
    const refused = await large();
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.status).toBe(503);
    expect((await refused.json()).error.message).toContain('Too many large requests run');
    expect((await send(server, GREET)).status).toBe(200);
    running[0]?.leave();
    await eventually(async () => (await large()).status).toBe(200);
    for (const { leave } of running) leave();
    await Promise.all(running.map(({ call }) => call));
  });

  it('refuses headers beyond 16 KiB', async () => {
    const server = await start();
    const response = await fetch(`${server.url}/health`, { headers: { 'x-long': 'y'.repeat(20_000) } });
    expect(response.status).toBe(431);
  });

  it('hangs up on clients that do not finish their request, while others are served', async () => {
    const limits = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
    const server = await start(createFakeRuntime(), { limits });
    const slow = await Promise.all(Array.from({ length: 200 }, () => dial(server)));
    for (const { socket } of slow) socket.write('POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow:');
    const half = await dial(server);
    half.socket.write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    expect((await send(server, GREET)).status).toBe(200);
    const replies = await Promise.all([...slow, half].map(({ ended }) => ended));
    expect(replies.filter((text) => text.startsWith('HTTP/1.1 408'))).toHaveLength(201);
    expect((await send(server, GREET)).status).toBe(200);
  });

  it('hangs up on a client that does not read its answer, and on no call that takes its time', async () => {
    const cut = Promise.withResolvers<void>();
    const slow = Promise.withResolvers<Response>();
    const app: Pick<App, 'fetch'> = {
      fetch: async ({ url, signal }) => {
        if (url.endsWith('/slow')) return slow.promise;
        signal.addEventListener('abort', () => cut.resolve());
        return new Response(new Uint8Array(32 * 1024 * 1024));
      },
    };
    const server = await start(createFakeRuntime(), { app: app as App, limits: { stalledTimeout: 300 } });
    const answer = fetch(`${server.url}/slow`);
    const deaf = connect(server.port, '127.0.0.1');
    deaf.on('error', () => {});
    deaf.write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await cut.promise;
    deaf.destroy();
    slow.resolve(new Response('right'));
    expect(await (await answer).text()).toBe('right');
  });

  it('hangs up on a single connection that reads no answer of many requests', async () => {
    const size = 8 * 1024 * 1024;
    const app: Pick<App, 'fetch'> = { fetch: async () => new Response(new Uint8Array(size)) };
    const lines: LogLine[] = [];
    const limits = { unreadBytes: 4 * size, unreadInterval: 100 };
    const server = await start(createFakeRuntime(), {
      app: app as App,
      limits,
      log: (line) => lines.push(line),
    });
    const { socket, ended } = await dial(server);
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(10));
    await eventually(() => lines.map(({ fields }) => fields)).toEqual([{ connections: 1 }]);
    socket.resume();
    await ended;
  });

  it('counts what waits in event streams, of which Node has one message only', async () => {
    let gone = 0;
    const streams: EventStream[] = [];
    const app: Pick<App, 'fetch'> = {
      fetch: async () => {
        const stream = openEventStream(() => {
          gone += 1;
        });
        streams.push(stream);
        return new Response(stream.readable, { headers: { 'content-type': 'text/event-stream' } });
      },
    };
    const limits = { unreadBytes: 1024 * 1024, unreadInterval: 100 };
    const server = await start(createFakeRuntime(), { app: app as App, limits });
    for (const { socket } of [await dial(server), await dial(server), await dial(server)]) {
      socket.pause();
      socket.write('GET /stream HTTP/1.1\r\nhost: localhost\r\n\r\n');
      onTestFinished(() => void socket.destroy());
    }
    await eventually(() => streams.length).toBe(3);
    // The small ones fill what the kernel keeps.
    for (const stream of streams) for (let n = 0; n < 700; n += 1) stream.write({ text: 'x'.repeat(20_000) });
    // A client keeps one.
    await eventually(() => gone).toBe(2);
  });

  it('counts the bytes of unread texts, and not their characters', async () => {
    const text = '漢'.repeat(8_000_000);
    const app: Pick<App, 'fetch'> = {
      fetch: async (_, extra) => extra?.respond?.({ status: 200, headers: {}, text }) ?? new Response(null),
    };
    const lines: LogLine[] = [];
    // 96 MB, of 32 million characters.
    const limits = { unreadBytes: 40_000_000, unreadInterval: 100 };
    const server = await start(createFakeRuntime(), {
      app: app as App,
      limits,
      log: (line) => lines.push(line),
    });
    for (const { socket } of await Promise.all([1, 2, 3, 4].map(() => dial(server)))) {
      socket.pause();
      socket.write('GET /text HTTP/1.1\r\nhost: localhost\r\n\r\n');
      onTestFinished(() => void socket.destroy());
    }
    await eventually(() => lines.length > 0).toBe(true);
  });

  it('hangs up on the client with the most unread bytes when answers take too much memory', async () => {
    const size = 32 * 1024 * 1024;
    const app: Pick<App, 'fetch'> = { fetch: async () => new Response(new Uint8Array(size)) };
    const lines: LogLine[] = [];
    const server = await start(createFakeRuntime(), {
      app: app as App,
      trustProxy: true,
      limits: { unreadBytes: 2.5 * size, unreadInterval: 100 },
      log: (line) => lines.push(line),
    });
    const ask = (client: string) => {
      const socket = connect(server.port, '127.0.0.1');
      const state = { socket, cut: false };
      socket.on('error', () => {});
      socket.on('close', () => {
        state.cut = true;
      });
      socket.write(`GET /large HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: ${client}\r\n\r\n`);
      onTestFinished(() => void socket.destroy());
      return state;
    };
    const patient = ask('192.0.2.1');
    const deaf = Array.from({ length: 6 }, () => ask('192.0.2.2'));
    // Of 224 MiB, the kernel takes some, and 80 MiB may wait.
    const ended = () => lines.reduce((sum, { fields }) => sum + Number(fields?.connections), 0);
    await eventually(() => ended() >= 3).toBe(true);
    // A connection that was ended tells so only when it is read.
    let received = 0;
    for (const { socket } of [patient, ...deaf]) socket.resume();
    patient.socket.on('data', ({ length }) => {
      received += length;
    });
    await eventually(() => received > size).toBe(true);
    expect(patient.cut).toBe(false);
    await eventually(() => deaf.filter(({ cut }) => cut).length >= 3).toBe(true);
    expect(lines[0]?.message).toMatch(
      /^Unread answers took too much memory, so the server ended connections/,
    );
  });

  it('keeps foreign hosts out', async () => {
    const { port } = await start();
    const [response] = await once(
      httpRequest({ port, host: '127.0.0.1', path: '/health', headers: { host: 'evil.example' } }).end(),
      'response',
    );
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  it.each(['GET / HTTP/1.1\r\n\r\n', 'nonsense\r\n\r\n', 'POST /mcp HTTP/1.1\r\nhost: a b\r\n\r\n'])(
    'answers 400 to %j',
    async (text) => {
      const { socket, ended } = await dial(await start());
      socket.end(text);
      expect(await ended).toMatch(/^HTTP\/1\.1 40[03]/);
    },
  );
});
