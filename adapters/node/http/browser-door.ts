import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.ts';

/** Pages of this machine for its browser, behind a key. */
export interface BrowserDoor {
  /** The address with the access key. Every program that knows it can use the pages. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers a request of a browser that has entered. `path` lies below the door's folder and has the query. */
export type AnswerBrowser = (request: IncomingMessage, response: ServerResponse, path: string) => unknown;

/** The pages behind a door. */
export interface BrowserDoorOptions {
  readonly answer: AnswerBrowser;
  /** 0 takes any free port. */
  readonly port: number;
  /** The command that prints the address, for a refused browser. */
  readonly command: string;
}

const COOKIE = 'svc_admin';

/**
 * The secrets of a door. The key opens the printed address only. A browser then needs the cookie and the folder: it
 * sends cookies to every port of a host, but only below their path, which no other port knows.
 */
interface Secrets {
  readonly key: string;
  readonly folder: string;
  readonly cookie: string;
}

/** Serves pages on 127.0.0.1. A browser enters by the key in `url`. Throws `address_unavailable`. */
export async function openBrowserDoor(options: BrowserDoorOptions): Promise<BrowserDoor> {
  const secrets = { key: newSecret(), folder: newSecret(), cookie: newSecret() };
  const server = createServer((request, response) => answer(request, response, { ...options, secrets }));
  const { port } = await listen(server, { host: '127.0.0.1', port: options.port });
  return {
    url: `http://127.0.0.1:${port}/?key=${secrets.key}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

interface Door extends BrowserDoorOptions {
  readonly secrets: Secrets;
}

function answer(request: IncomingMessage, response: ServerResponse, door: Door): unknown {
  const { secrets } = door;
  const target = request.url?.startsWith('/') ? request.url : '';
  const url = URL.parse(target, 'http://127.0.0.1');
  // Another host name means a web page whose domain resolves to this machine (DNS rebinding).
  if (target === '' || url === null || !/^127\.0\.0\.1:\d+$/.test(request.headers.host ?? '')) {
    return refuse(response, door);
  }
  if (same(url.searchParams.get('key') ?? '', secrets.key)) return enter(response, secrets);
  const [, folder = ''] = url.pathname.split('/', 2);
  const known = same(folder, secrets.folder) && same(cookieOf(request), secrets.cookie);
  if (!known || !isOfOwnPage(request)) return refuse(response, door);
  return door.answer(request, response, `${url.pathname.slice(folder.length + 1)}${url.search}`);
}

/** Whether a page behind this door, or the person, sent a request. Browsers name the origin of every write. */
function isOfOwnPage({ method = 'GET', headers }: IncomingMessage): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined) return origin === `http://${host}`;
  return (method === 'GET' || method === 'HEAD') && /^(same-origin|none|)$/.test(site?.toString() ?? '');
}

/** Moves a browser from the key, which others might see in the address, to a cookie for a folder. */
function enter(response: ServerResponse, { folder, cookie }: Secrets): void {
  const location = `/${folder}/`;
  const header = `${COOKIE}=${cookie}; Path=${location}; HttpOnly; SameSite=Strict`;
  response.writeHead(303, { location, 'set-cookie': header, 'referrer-policy': 'no-referrer' }).end();
}

function refuse(response: ServerResponse, { command }: Door): void {
  response
    .writeHead(403, { 'content-type': 'text/plain' })
    .end(`Open the address that ${command} printed.\n`);
}

function cookieOf({ headers }: IncomingMessage): string {
  const pairs = (headers.cookie ?? '').split('; ').map((pair) => pair.split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}

function same(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
