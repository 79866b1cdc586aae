import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forwardToSocket } from '../../../../adapters/admin-socket/forward.ts';
import type { BrowserDoor } from '../../../../adapters/node/http/browser-door.ts';

let server: Server;
let door: BrowserDoor;
/** The address that the printed one leads to. */
let page: URL;
let cookie: string;
let setCookie: string;
const slow: ServerResponse[] = [];

beforeAll(async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-forward-')), 'a.sock');
  server = createServer(({ method, url }, response) => {
    if (url === '/slow') return slow.push(response);
    if (url !== '/broken') return response.end(JSON.stringify({ method, path: url }));
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  door = await forwardToSocket(path, 0);
  const entered = await fetch(door.url, { redirect: 'manual' });
  setCookie = entered.headers.get('set-cookie') ?? '';
  cookie = setCookie.split(';')[0] ?? '';
  page = new URL(entered.headers.get('location') ?? '', door.url);
});

afterAll(async () => {
  await door.close();
  server.close();
});

type Headers = Readonly<Record<string, string>>;

/** Sends a request as written here, which a library would change. */
async function dial(target: string, headers: Headers, method = 'GET') {
  const lines = Object.entries({ host: page.host, connection: 'close', ...headers });
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  const client = connect(Number(page.port), '127.0.0.1');
  await once(client, 'connect');
  client.write(`${head.join('\r\n')}\r\n\r\n`);
  return client;
}

/** The status of the answer. */
async function send(target: string, headers: Headers, method?: string): Promise<string> {
  const text = Buffer.concat(await (await dial(target, headers, method)).toArray()).toString();
  return text === '' ? 'closed' : text.slice(9, 12);
}

const at = (path: string) => `${page.pathname}${path}`;

test('the printed address lets a browser in, and leads to an address without the key', async () => {
  const answer = await fetch(new URL('status', page), { headers: { cookie } });
  expect(await answer.json()).toEqual({ method: 'GET', path: '/status' });
  expect(await (await fetch(page, { headers: { cookie } })).json()).toEqual({ method: 'GET', path: '/' });
  const query = await fetch(new URL('calls?limit=2', page), { headers: { cookie } });
  expect(await query.json()).toEqual({ method: 'GET', path: '/calls?limit=2' });
  expect(page.href).not.toContain(new URL(door.url).searchParams.get('key'));
});

test('the cookie is not the key, is sent to no other port, and opens nothing alone', async () => {
  const key = new URL(door.url).searchParams.get('key') ?? '';
  expect(setCookie).not.toContain(key);
  // A browser sends cookies to every port of a host, but only below their path.
  expect(page.pathname).toMatch(/^\/[\w-]{32}\/$/);
  expect(setCookie).toContain(`; Path=${page.pathname};`);
  expect(setCookie).toMatch(/; HttpOnly; SameSite=Strict$/);
  const [, value = ''] = cookie.split('=');
  for (const [target, headers] of [
    ['/status', { cookie }],
    [at('status'), {}],
    [at('status'), { cookie: `svc_admin=${key}` }],
    [`/?key=${value}`, {}],
    ['/?key=wrong', {}],
    [`/${'x'.repeat(32)}/status`, { cookie }],
    [`${at('../status')}`, { cookie }],
  ] as const) {
    expect([target, await send(target, headers)]).toEqual([target, '403']);
  }
});

test.each(['localhost', 'evil.example', '127.0.0.1.evil.example'])('the host %s is refused', async (host) => {
  expect(await send(at('status'), { cookie, host: `${host}:${page.port}` })).toBe('403');
});

test('pages of other origins neither write nor read, not even of another port of this machine', async () => {
  for (const origin of [
    'http://127.0.0.1:1',
    `http://localhost:${page.port}`,
    'https://evil.example',
    'null',
  ]) {
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect([origin, method, await send(at('reload'), { cookie, origin }, method)]).toEqual([
        origin,
        method,
        '403',
      ]);
    }
  }
  expect(await send(at('reload'), { cookie }, 'POST')).toBe('403');
  for (const site of ['same-site', 'cross-site']) {
    expect(await send(at('status'), { cookie, 'sec-fetch-site': site })).toBe('403');
  }
  expect(await send(at('reload'), { cookie, origin: page.origin }, 'POST')).toBe('200');
  expect(await send(at('status'), { cookie, 'sec-fetch-site': 'same-origin' })).toBe('200');
});

test.each(['//', 'http://[', 'http://', '//[/x', '\\', 'http://127.0.0.1/status'])(
  '%s is an address of nothing, and ends nothing',
  async (target) => {
    expect(await send(target, { cookie })).toMatch(/^(400|403)$/);
    expect(await send(at('status'), { cookie })).toBe('200');
  },
);

test('an answer that breaks off is over for the browser too', async () => {
  const answer = await fetch(new URL('broken', page), { headers: { cookie } });
  await expect(answer.text()).rejects.toThrow();
});

test('a browser that goes away while its request runs ends nothing', async () => {
  const client = await dial(at('slow'), { cookie });
  await expect.poll(() => slow.length, { timeout: 20_000 }).toBe(1);
  const [response] = slow;
  const closed = new Promise((resolve) => response?.once('close', resolve));
  client.destroy();
  await closed;
  response?.end('late');
  expect(await send(at('status'), { cookie })).toBe('200');
});

test('a port that is taken is an error that says what to do', async () => {
  await expect(forwardToSocket('a.sock', Number(page.port))).rejects.toMatchObject({
    code: 'address_unavailable',
    message: `Cannot listen on 127.0.0.1:${page.port}: it is already in use. Stop the other process, or choose another port with --port.`,
  });
});
