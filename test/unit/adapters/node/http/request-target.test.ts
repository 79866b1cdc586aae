import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type HttpServer, startHttpServer } from '../../../../../adapters/node/http/server.ts';
import { LOCAL_ACCESS } from '../../../../../src/http/access.ts';
import { createDesk } from '../../../auth/fixture.ts';

let server: HttpServer;

beforeAll(async () => {
  const { app } = createDesk({ http: { base_url: null }, app: { access: LOCAL_ACCESS } });
  server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

/** Sends a request with this target and Host header, as written here. Returns the status and the body. */
function send(target: string, host: string): Promise<Answer> {
  return write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
}

interface Answer {
  readonly status: string;
  readonly body: string;
}

async function write(head: string, { port }: HttpServer = server): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(head);
  const text = Buffer.concat(await socket.toArray()).toString();
  return { status: text.slice(9, 12), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

const METADATA = '/.well-known/oauth-protected-resource';
const own = () => `127.0.0.1:${server.port}`;

// Requirements: mcp.host
it('the host of an absolute target counts, whatever the Host header says (RFC 9112, 3.2.2)', async () => {
  for (const [target, host, status] of [
    [METADATA, own(), '200'],
    [METADATA, 'evil.example', '403'],
    [`http://${own()}${METADATA}`, own(), '200'],
    [`http://${own()}${METADATA}`, 'evil.example', '200'],
    [`http://evil.example${METADATA}`, own(), '403'],
    [`HTTP://evil.example${METADATA}`, own(), '403'],
    [`https://evil.example${METADATA}`, own(), '403'],
    [`http://${own()}@evil.example${METADATA}`, own(), '400'],
    [`http://evil.example?x=${METADATA}`, own(), '403'],
  ] as const) {
    expect([target, host, (await send(target, host)).status]).toEqual([target, host, status]);
  }
});

it('a health check over HTTP/1.0 needs no Host header', async () => {
  for (const path of ['/health', '/ready']) {
    const { status, body } = await write(`GET ${path} HTTP/1.0\r\n\r\n`);
    expect([path, status, JSON.parse(body)]).toEqual([path, '200', expect.anything()]);
  }
  expect((await write('GET /ready HTTP/1.1\r\nConnection: close\r\n\r\n')).status).toBe('400');
});

// Requirements: mcp.host
it('a request without a Host header is one for the address of its connection', async () => {
  expect((await write(`GET ${METADATA} HTTP/1.0\r\n\r\n`)).status).toBe('200');
  const allowedHosts = ['mcp.example.org'];
  const { app } = createDesk({
    http: { base_url: null },
    app: { access: { ...LOCAL_ACCESS, allowedHosts } },
  });
  const named = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  onTestFinished(() => named.close());
  expect((await write(`GET ${METADATA} HTTP/1.0\r\n\r\n`, named)).status).toBe('403');
  expect((await write('GET /ready HTTP/1.0\r\n\r\n', named)).status).toBe('200');
});

it('the scheme of an absolute target is not the issuer’s', async () => {
  for (const scheme of ['http', 'https', 'HTTPS']) {
    const { body } = await send(`${scheme}://${own()}${METADATA}`, own());
    expect([scheme, JSON.parse(/{.*}/.exec(body)?.[0] ?? '{}').authorization_servers]).toEqual([
      scheme,
      [`http://${own()}`],
    ]);
  }
});

it.each(['*', '//', 'http://[', 'http://', 'https:///mcp', 'foo:bar', '.evil.example/', '@evil.example/'])(
  'the target %s ends nothing',
  async (target) => {
    expect((await send(target, own())).status).toMatch(/^[24]/);
    expect((await send(METADATA, own())).status).toBe('200');
  },
);
