import { describe, expect, it } from 'vitest';
import type { AppOptions } from '../../../src/app.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import { SvcError } from '../../../src/errors.ts';
import {
  type HttpAccess,
  httpAccessOf,
  LOCAL_ACCESS,
  OPEN_ACCESS,
  withNames,
} from '../../../src/http/access.ts';
import type { TextResponse } from '../../../src/mcp/transport/response.ts';
import { createDesk } from '../auth/fixture.ts';
import { eventually } from '../mcp/eventually.ts';
import { createFakeRuntime, createTestApp, exchange, legacy, modern, post } from '../mcp/fixture.ts';

const ping = legacy('ping').body;
const at = (path: string, init: RequestInit = {}) =>
  new Request(`http://localhost:8000${path}`, {
    ...init,
    headers: { host: 'localhost:8000', ...init.headers },
  });
const get = (path: string, options?: Partial<AppOptions>, runtime?: Runtime) =>
  createTestApp(runtime, options).fetch(at(path));

describe('GET /health', () => {
  it('names the version and the artefact without touching the database', async () => {
    const runtime = { ...createFakeRuntime(), database: () => expect.unreachable() };
    const response = await get('/health', {}, runtime);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok', version: '1.2.3', hash: '0123456789abcdef' });
  });

  it('has an id for each request', async () => {
    const ids = [await get('/health'), await get('/health')].map(({ headers }) =>
      headers.get('x-request-id'),
    );
    expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('GET /ready', () => {
  it('asks the database', async () => {
    const runtime = createFakeRuntime();
    const response = await get('/ready', {}, runtime);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { status: 'ready' },
    });
    expect(runtime.fake.calls).toHaveLength(1);
  });

  it('says 503 when there is none, and why only in the log', async () => {
    const runtime = {
      ...createFakeRuntime(),
      database: async () => {
        throw new SvcError('database_unavailable', 'cannot open /secret/path.duckdb');
      },
    };
    const response = await get('/ready', {}, runtime);
    const id = response.headers.get('x-request-id');
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      error: 'database_unavailable',
      message: `The database is not available. (error id ${id})`,
    });
    expect(runtime.lines).toEqual([expect.objectContaining({ level: 'error' })]);
    expect(JSON.stringify(runtime.lines)).toContain(`"error_id":"${id}"`);
    expect(JSON.stringify(runtime.lines)).toContain('/secret/path.duckdb');
  });
});

describe('the MCP path', () => {
  // Requirements: oauth.mcp, version.5
  it('answers at /mcp/ too, without a redirect', async () => {
    const app = createTestApp();
    for (const path of ['/mcp', '/mcp/']) expect((await app.fetch(post(ping, {}, path))).status).toBe(200);
  });

  // Requirements: modern.get
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('refuses %s, naming what it takes', async (method) => {
    const response = await createTestApp().fetch(at('/mcp', { method }));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('serves the runtime of the moment', async () => {
    const [first, second] = [createFakeRuntime([]), createFakeRuntime()];
    let runtime = first;
    const app = createTestApp(undefined, { runtime: () => runtime });
    const count = async () => {
      const { json } = await exchange(app, modern('tools/list'));
      return (json.result as { tools: unknown[] }).tools.length;
    };
    expect(await count()).toBe(0);
    runtime = second;
    expect(await count()).toBe(11);
  });

  it('tells handlers who asked', async () => {
    const runtime = createFakeRuntime();
    const authenticate = async (request: Request) => {
      const known = request.headers.get('authorization') === 'Bearer good';
      return { user: known ? { id: 'u1', username: 'ada' } : null };
    };
    const app = createTestApp(runtime, { authenticate });
    const { body, headers } = modern('tools/call', { name: 'numbers', arguments: {} });
    await app.fetch(post(body, { ...headers, authorization: 'Bearer good', 'x-tenant': 'a' }));
    await app.fetch(post(body, headers));
    expect(runtime.fake.calls[0]?.call.caller).toMatchObject({ username: 'ada' });
    expect(runtime.fake.calls[0]?.call.caller?.headers?.get('x-tenant')).toBe('a');
    expect(runtime.fake.calls[0]?.call.caller?.headers?.has('authorization')).toBe(false);
    expect(runtime.fake.calls[1]?.call.caller).toBeNull();
  });

  it('refuses a sender whom authenticate does not know', async () => {
    const runtime = createFakeRuntime();
    const app = createTestApp(runtime, { authenticate: async () => null });
    const { body, headers } = modern('tools/call', { name: 'numbers', arguments: {} });
    const response = await app.fetch(post(body, headers));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(runtime.fake.calls).toEqual([]);
  });

  it('answers a failing authenticate with its error, in the form of the path', async () => {
    const authenticate = async () => {
      throw new SvcError('denied', 'The token is not good.');
    };
    const request = post(ping, { origin: 'http://localhost:5173' });
    const response = await createTestApp(undefined, { authenticate }).fetch(request);
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'The token is not good.' },
    });
  });

  it('takes the cancel signal of the adapter', async () => {
    const runtime = createFakeRuntime();
    const controller = new AbortController();
    const { body, headers } = modern('tools/call', { name: 'wait', arguments: {} });
    const answering = createTestApp(runtime).fetch(post(body, headers), { signal: controller.signal });
    await eventually(() => runtime.fake.calls.length).toBe(1);
    controller.abort();
    expect(JSON.stringify(await (await answering).json())).toContain('cancelled');
  });

  it('lets the adapter write a text with all its headers', async () => {
    const written: TextResponse[] = [];
    const respond = (response: TextResponse) => {
      written.push(response);
      return new Response(null);
    };
    const message = post(ping, { origin: 'http://localhost:3000' });
    const answered = await createTestApp().fetch(message.clone(), { requestId: 'r-1' });
    const response = await createTestApp().fetch(message, { respond, requestId: 'r-1' });
    expect([...response.headers]).toEqual([]);
    expect(written).toEqual([
      { status: 200, headers: Object.fromEntries(answered.headers), text: await answered.text() },
    ]);
    expect(written[0]).toMatchObject({
      headers: { 'content-type': 'application/json', 'x-request-id': 'r-1', vary: 'Origin' },
      text: '{"result":{},"jsonrpc":"2.0","id":7}',
    });
  });

  it.each(['/mcp', '/mcp/', '/mcp?a=1', '/%6Dcp', '/mcp/?a=/mcp'])('answers alike at %s', async (path) => {
    const app = createTestApp();
    const at = async (target: string, host: string) => {
      const message = post(ping, { origin: 'http://localhost:3000' });
      const sent = new Request(new URL(target, message.url), message);
      sent.headers.set('host', host);
      const response = await app.fetch(sent, { requestId: 'r-1' });
      return [response.status, Object.fromEntries(response.headers), await response.text()];
    };
    expect(await at(path, 'localhost')).toEqual(await at('/mcp', 'localhost'));
    expect(await at(path, 'planted.example')).toEqual([403, expect.anything(), expect.any(String)]);
  });
});

describe('everything else', () => {
  it('is 404 in JSON', async () => {
    const response = await get('/nothing');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'not_found', message: 'There is nothing here.' });
  });

  it('that fails is 500 without internals', async () => {
    const runtime = createFakeRuntime();
    const app = createTestApp(runtime, {
      runtime: () => {
        throw new TypeError('secret internals');
      },
    });
    for (const request of [at('/health'), post(ping)]) {
      const response = await app.fetch(request);
      expect(response.status).toBe(500);
      expect(await response.text()).toMatch(/Internal error\. \(error id [\da-f-]{36}\)/);
    }
    expect(runtime.lines).toHaveLength(2);
    expect(JSON.stringify(runtime.lines)).toContain('secret internals');
  });
});

describe('the body limit', () => {
  const big = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'y'.repeat(1024 * 1024)}"}}`;

  // Requirements: limit.others, mcp.depth
  it('refuses a declared length beyond it unread', async () => {
    const request = post('{}', { 'content-length': '1048577' });
    const response = await createTestApp().fetch(request);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
    expect(request.bodyUsed).toBe(false);
  });

  // Requirements: limit.others
  it('refuses a longer body of undeclared or falsely declared length', async () => {
    expect((await createTestApp().fetch(post(big))).status).toBe(413);
    expect((await createTestApp().fetch(post(big, { 'content-length': '10' }))).status).toBe(413);
  });

  it('stops reading an endless body', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { host: 'localhost' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await createTestApp().fetch(request)).status).toBe(413);
    expect(sent).toBeLessThan(25);
  });

  it('takes a body just below it', async () => {
    const app = createTestApp(undefined, { maxBodyBytes: 100 });
    const padded = JSON.stringify(ping).padEnd(100);
    expect((await app.fetch(post(padded))).status).toBe(200);
    expect((await app.fetch(post(`${padded} `))).status).toBe(413);
  });

  it('answers 400 to a body that breaks off', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const init = { method: 'POST', headers: { host: 'localhost' }, body, duplex: 'half' };
    const response = await createTestApp().fetch(new Request('http://localhost/mcp', init as RequestInit));
    expect(response.status).toBe(400);
  });
});

const ask = (headers: Record<string, string>, access: HttpAccess = LOCAL_ACCESS) =>
  createTestApp(undefined, { access }).fetch(post(ping, headers));

describe('Host and Origin', () => {
  it.each(['localhost', 'localhost:3000', 'LOCALHOST', '127.0.0.1:80', '[::1]:8000'])(
    'a loopback server is %s',
    async (host) => {
      expect((await ask({ host })).status).toBe(200);
    },
  );

  // Requirements: mcp.host
  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'evil@localhost',
    '',
    '[::1',
    '0.0.0.0',
  ])('a loopback server is not %j', async (host) => {
    const response = await ask({ host });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
  });

  it('guards every path', async () => {
    const response = await createTestApp().fetch(at('/health', { headers: { host: 'evil.example' } }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: 'denied' });
  });

  it.each(['127.0.0.1:8000', 'localhost', '10.1.2.3:8000', '[fd00::1]:8000'])(
    'health checks come to %s, also with sign-in and whatever names are listed',
    async (host) => {
      const listed = { base_url: null, allowed_hosts: ['mcp.example.org'], allowed_origins: null };
      const desk = createDesk({
        http: { base_url: null },
        app: { access: withNames(OPEN_ACCESS, listed) },
      });
      const statusOf = async (path: string, name: string) =>
        (await desk.app.fetch(new Request(`http://${name}${path}`, { headers: { host: name } }))).status;
      for (const path of ['/health', '/ready', '/health/']) expect(await statusOf(path, host)).toBe(200);
      expect(await statusOf('/', host)).toBe(403);
      expect(await statusOf('/health', 'evil.example')).toBe(403);
    },
  );

  // Requirements: mcp.cors
  it.each(['http://localhost', 'http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:1'])(
    'a page of this machine may call a loopback server: %s',
    async (origin) => {
      const response = await ask({ origin });
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('access-control-expose-headers')).toContain(
        'WWW-Authenticate, Mcp-Session-Id',
      );
      expect(response.headers.get('vary')).toContain('Origin');
    },
  );

  // Requirements: mcp.origin
  it.each(['https://evil.example', 'null', 'localhost', 'http://localhost.evil.example', ' '])(
    'no other page may: %j',
    async (origin) => {
      const response = await ask({ origin });
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  it('takes whole origins and host names as configured', async () => {
    const access = {
      allowedHosts: ['mcp.example.org'],
      allowedOrigins: ['https://app.example.org', 'other.org'],
    };
    const from = async (origin: string) => (await ask({ host: 'mcp.example.org', origin }, access)).status;
    expect(await from('https://app.example.org')).toBe(200);
    expect(await from('http://app.example.org')).toBe(403);
    expect(await from('http://other.org:81')).toBe(200);
    expect((await ask({ host: 'localhost' }, access)).status).toBe(403);
    // Without sign-in, it has no pages of its own that send anything.
    expect(await from('https://mcp.example.org')).toBe(403);
  });

  it('lets everybody in behind a front door of the platform', async () => {
    const response = await ask(
      { host: 'abc.lambda-url.eu-west-1.on.aws', origin: 'https://claude.ai' },
      OPEN_ACCESS,
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  // Requirements: mcp.local
  it.each([
    ['127.0.0.1', LOCAL_ACCESS],
    ['::1', LOCAL_ACCESS],
    ['localhost', LOCAL_ACCESS],
    ['0.0.0.0', OPEN_ACCESS],
    ['::', OPEN_ACCESS],
    ['10.0.0.5', OPEN_ACCESS],
  ])('a server with sign-in that is bound to %s gets what suits it', (host, access) => {
    expect(httpAccessOf({ host, signIn: true })).toEqual(access);
  });

  it('a server that is bound to another address of this machine answers to it', async () => {
    const access = httpAccessOf({ host: '127.0.0.2', signIn: false });
    expect((await ask({ host: '127.0.0.2:8000' }, access)).status).toBe(200);
    expect((await ask({ host: '127.0.0.3:8000' }, access)).status).toBe(403);
  });
});

describe('a server without sign-in that other machines reach', () => {
  const access = httpAccessOf({ host: '0.0.0.0', signIn: false });

  it.each(['127.0.0.1:8000', 'localhost', '10.0.0.5:8000', '[::1]:8000', '[fe80::1]'])(
    'answers to %s, which no page can rebind',
    async (host) => {
      expect((await ask({ host }, access)).status).toBe(200);
    },
  );

  it.each(['evil.example', '10.0.0.5.nip.io', '10.0.0', ''])(
    'does not answer to the name %j',
    async (host) => {
      expect((await ask({ host }, access)).status).toBe(403);
    },
  );

  it.each(['https://evil.example', 'http://10.0.0.5:8000', 'null'])(
    'rejects a page of %s',
    async (origin) => {
      const response = await ask({ host: '10.0.0.5:8000', origin }, access);
      expect(response.status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

describe('a preflight', () => {
  const preflight = (headers: Record<string, string>) =>
    createTestApp().fetch(at('/mcp', { method: 'OPTIONS', headers }));

  // Requirements: mcp.cors
  it('allows the headers of the protocol and no others', async () => {
    const response = await preflight({
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers':
        'Authorization, content-type,MCP-Protocol-Version, mcp-method,mcp-name, Mcp-Param-Region, mcp-session-id, x-evil',
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(response.headers.get('access-control-allow-methods')).toBe('POST');
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-param-region, mcp-session-id',
    );
  });

  it('from elsewhere is refused', async () => {
    const response = await preflight({ origin: 'https://evil.example' });
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-headers')).toBeNull();
  });
});
