import { mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Forwarder, forwardToSocket } from '../../../../adapters/admin-socket/forward.ts';

let server: Server;
let door: Forwarder;
let address: URL;
let cookie: string;

beforeAll(async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-forward-')), 'a.sock');
  server = createServer(({ method, url }, response) => {
    if (url !== '/broken') return response.end(JSON.stringify({ method, path: url }));
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  door = await forwardToSocket(path, 0);
  address = new URL(door.url);
  const entered = await fetch(door.url, { redirect: 'manual' });
  cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});

afterAll(async () => {
  await door.close();
  server.close();
});

/** The status of a request as it is written here, whatever a library would make of it. */
function send(target: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const lines = Object.entries({ host: address.host, connection: 'close', ...headers });
  const head = [`GET ${target} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return new Promise((resolve, reject) => {
    const client = connect(Number(address.port), '127.0.0.1', () =>
      client.write(`${head.join('\r\n')}\r\n\r\n`),
    );
    client.once('error', reject).once('close', () => resolve('closed'));
    client.once('data', (chunk) => {
      resolve(chunk.toString().slice(9, 12));
      client.destroy();
    });
  });
}

test('who has the key is let in, and the key leaves the address', async () => {
  const answer = await fetch(new URL('/status', address), { headers: { cookie } });
  expect(await answer.json()).toEqual({ method: 'GET', path: '/status' });
  expect(await send('/status', {})).toBe('403');
  expect(await send('/?key=wrong', {})).toBe('403');
  expect(await send('/status', { cookie, host: `localhost:${address.port}` })).toBe('403');
  expect(await send('/status', { cookie, host: `evil.example:${address.port}` })).toBe('403');
});

test.each(['//', 'http://[', 'http://', '//[/x', '\\'])(
  '%s is an address of nothing, and ends nothing',
  async (target) => {
    expect(await send(target, { cookie })).toMatch(/^(400|403)$/);
    expect(await send('/status', { cookie })).toBe('200');
  },
);

test('an answer that breaks off is over for the browser too', async () => {
  const answer = await fetch(new URL('/broken', address), { headers: { cookie } });
  await expect(answer.text()).rejects.toThrow();
});
