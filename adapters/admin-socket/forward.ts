import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { toSvcError } from '../../src/errors.ts';
import { sendToSocket } from './client.ts';

/** The admin API on a local port, for a browser, which cannot open a Unix socket. */
export interface Forwarder {
  /** The address with the access key. Every program that knows it can use the API. */
  readonly url: string;
  close(): Promise<void>;
}

const COOKIE = 'svc_admin';

/** Forwards requests of this machine to the socket. Requests need the key of `url`, which is made here. */
export async function forwardToSocket(socket: string, port: number): Promise<Forwarder> {
  const key = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    void answer(request, response, { socket, key });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: real } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${real}/?key=${key}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Door {
  readonly socket: string;
  readonly key: string;
}

async function answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
  // Another host name means a web page whose domain resolves to this machine (DNS rebinding).
  if (url === null || !/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? '')) return refuse(response);
  if (same(url.searchParams.get('key') ?? '', door.key)) return enter(response, door.key);
  if (!same(cookieOf(request), door.key)) return refuse(response);
  try {
    const path = `${url.pathname}${url.search}`;
    const from = await sendToSocket({ socket: door.socket, method: request.method ?? 'GET', path });
    response.writeHead(from.statusCode ?? 502, from.headers);
    // If the server's response breaks off, this one ends there too; there is no client left to inform.
    pipeline(from, response, () => {});
  } catch (thrown) {
    const body = { error: 'internal_error', message: toSvcError(thrown).message };
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

/** Moves the key from the address, which others might see, into a cookie. */
function enter(response: ServerResponse, key: string): void {
  const cookie = `${COOKIE}=${key}; HttpOnly; SameSite=Strict; Path=/`;
  response.writeHead(303, { location: '/', 'set-cookie': cookie, 'referrer-policy': 'no-referrer' }).end();
}

function refuse(response: ServerResponse): void {
  response.writeHead(403, { 'content-type': 'text/plain' }).end('Open the address that svc admin printed.\n');
}

function cookieOf({ headers }: IncomingMessage): string {
  const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}

function same(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
