import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { toSvcError } from '../../src/errors.ts';
import { type AdminRequest, sendToSocket } from './client.ts';

/** The admin API on a local port, for a browser, which cannot open a Unix socket. */
export interface Forwarder {
  /** The address with the access key. Every program that knows it can use the API. */
  readonly url: string;
  close(): Promise<void>;
}

const COOKIE = 'svc_admin';

/**
 * The secrets of a forwarder. The key opens the printed address only. A browser then needs the cookie and the folder: it
 * sends cookies to every port of a host, but only below their path, which no other port knows.
 */
interface Door {
  readonly socket: string;
  readonly key: string;
  readonly folder: string;
  readonly cookie: string;
}

/** Forwards requests of this machine to the socket. A browser enters by the key in `url`. */
export async function forwardToSocket(socket: string, port: number): Promise<Forwarder> {
  const door = { socket, key: newSecret(), folder: newSecret(), cookie: newSecret() };
  const server = createServer((request, response) => {
    void answer(request, response, door);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: real } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${real}/?key=${door.key}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

async function answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const target = request.url?.startsWith('/') ? request.url : '';
  const url = URL.parse(target, 'http://127.0.0.1');
  // Another host name means a web page whose domain resolves to this machine (DNS rebinding).
  if (target === '' || url === null || !/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? '')) {
    return refuse(response);
  }
  if (same(url.searchParams.get('key') ?? '', door.key)) return enter(response, door);
  const [, folder = ''] = url.pathname.split('/', 2);
  const known = same(folder, door.folder) && same(cookieOf(request), door.cookie);
  if (!known || !isOfOwnPage(request)) return refuse(response);
  const path = `${url.pathname.slice(folder.length + 1)}${url.search}`;
  await forward({ socket: door.socket, method: request.method ?? 'GET', path }, response);
}

/** Whether a page of this forwarder, or the person, sent a request. Browsers name the origin of every write. */
function isOfOwnPage({ method = 'GET', headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined) return origin === `http://${host}`;
  return (method === 'GET' || method === 'HEAD') && /^(same-origin|none|)$/.test(site?.toString() ?? '');
}

async function forward(asked: AdminRequest, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    const from = await sendToSocket({ ...asked, signal: left.signal });
    if (response.destroyed) return void from.destroy();
    response.writeHead(from.statusCode ?? 502, endToEnd(from.headers));
    // If the server's response breaks off, this one ends there too; there is no client left to inform.
    pipeline(from, response, () => {});
  } catch (thrown) {
    if (response.destroyed) return;
    const body = { error: 'internal_error', message: toSvcError(thrown).message };
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

/** Removes the headers that are about the connection to the socket. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  return others;
}

/** Moves a browser from the key, which others might see in the address, to a cookie for a folder. */
function enter(response: ServerResponse, { folder, cookie }: Door): void {
  const location = `/${folder}/`;
  const header = `${COOKIE}=${cookie}; Path=${location}; HttpOnly; SameSite=Strict`;
  response.writeHead(303, { location, 'set-cookie': header, 'referrer-policy': 'no-referrer' }).end();
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
