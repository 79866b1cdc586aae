import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import type { App } from '../../../src/app.ts';
import { busyError } from '../../../src/errors.ts';
import { isMcpPath, toErrorAnswer } from '../../../src/http/errors.ts';
import { toNetwork } from '../../../src/http/network.ts';
import type { Log } from '../../../src/ports.ts';
import { type Connections, trackConnections } from './connections.ts';
import { createDoor, type DoorMeasures } from './door.ts';
import { type ListenOptions, listen } from './listen.ts';
import { clientAddress, createListener } from './listener.ts';

/** The app to serve, its address, and its limits. */
export interface HttpServerOptions extends Omit<ListenOptions, 'backlog'> {
  readonly app: App;
  /** The time that `close` waits for running requests, in milliseconds. */
  readonly graceMs?: number;
  /** Called after this time; must answer the requests that still run. */
  readonly cutOff?: () => void;
  /** Whether `X-Forwarded-For` of a proxy names the client. */
  readonly trustProxy?: boolean;
  readonly limits?: Partial<HttpLimits>;
  readonly door?: Partial<DoorMeasures>;
  /** Gets a line when requests are refused. */
  readonly log?: Log;
}

/** A running HTTP server. */
export interface HttpServer {
  /** The port that it listens on, also if port 0 was asked for. */
  readonly port: number;
  readonly url: string;
  /**
   * Stops the server. `/ready` fails at once. New requests are rejected when the running ones are answered, or after
   * half of `graceMs`. After all of it, `cutOff` answers those that still run, and all connections are cut.
   */
  close(): Promise<void>;
}

const BACKLOG = 4_096;
/** The time that running calls have after SIGTERM, in milliseconds. */
export const GRACE_MS = 10_000;
/** The time to write the answers of calls that are cut off. */
const ANSWER_MS = 1_000;

/** Serves an app over HTTP on Node. Throws `address_unavailable` if the port cannot be opened. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { trustProxy = false, door, log = () => {} } = options;
  const clientOf = (incoming: IncomingMessage) => toNetwork(clientAddress(incoming, trustProxy) ?? '');
  const { listener, onConnection } = createDoor(createListener(options), {
    clientOf,
    refuse: createRefusal(log),
    ...(door === undefined ? {} : { measures: door }),
  });
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const server = createServer(limits);
  server.timeout = limits.stalledTimeout;
  // These come before the listener, which may answer at once.
  const connections = trackConnections(server, {
    most: limits.unreadBytes,
    intervalMs: limits.unreadInterval,
    clientOf,
    onEnded: (count) => log({ level: 'warn', message: unreadMessage(count), fields: { connections: count } }),
  });
  server.on('connection', onConnection);
  server.on('request', listener);
  const { port } = await listen(server, { ...options, backlog: BACKLOG });
  return {
    port,
    url: `http://${toUrlHost(options.host)}:${port}`,
    close: async () => {
      options.app.close?.();
      const half = (options.graceMs ?? GRACE_MS) / 2;
      await connections.drained(half);
      const closed = stopListening(server, connections);
      await within(half, closed);
      options.cutOff?.();
      await within(options.cutOff === undefined ? 0 : ANSWER_MS, closed);
      server.closeAllConnections();
      await closed;
      // A response on a connection that was cut closes a little later than the server.
      await connections.drained(half);
    },
  };
}

/** The host of an address that works: no client can connect to 0.0.0.0. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Resolves when the last connection has ended. */
function stopListening(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeUnused();
  return closed;
}

/** Resolves with the work, at the latest after `ms`. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** Limits for a client that has not sent a whole request, or does not read its answer; milliseconds and bytes. */
export interface HttpLimits {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
  readonly keepAliveTimeout: number;
  readonly maxHeaderSize: number;
  /** The time without progress after which an answer is given up. */
  readonly stalledTimeout: number;
  /** The bytes of answers that may wait for all clients together. */
  readonly unreadBytes: number;
  readonly unreadInterval: number;
}

/** The limits of a server, unless a test needs shorter ones (docs/reference/limits.md). */
const HTTP_LIMITS: HttpLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // This is longer than in common load balancers, so that the server never closes a connection that is being reused.
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  stalledTimeout: 60_000,
  unreadBytes: 256 * 1_048_576,
  unreadInterval: 1_000,
};

function unreadMessage(count: number): string {
  return `Unread answers took too much memory, so the server ended connections of the clients with the most of them: ${count}.`;
}

const LOG_EVERY_MS = 10_000;
const TOO_MUCH = busyError('The server has too much to do', { detail: { retry_after: 1 } });
/** Refusals must cost little, so the answers are made once. */
const TO_MCP = toAnswer('/mcp');
const TO_OTHERS = toAnswer('/');

/** Creates a listener that refuses requests without reading them. A line says how many, at most every ten seconds. */
function createRefusal(log: Log): RequestListener {
  let count = 0;
  const tell = (): void => {
    log({
      level: 'warn',
      message: `The server had too much to do and refused ${count} ${count === 1 ? 'request' : 'requests'} with status 503.`,
      fields: { requests: count },
    });
    count = 0;
  };
  return ({ url = '' }, outgoing) => {
    count += 1;
    if (count === 1) setTimeout(tell, LOG_EVERY_MS).unref();
    const { status, headers, text } = isMcpPath(url.replace(/\?.*$/s, '')) ? TO_MCP : TO_OTHERS;
    outgoing.writeHead(status, headers);
    outgoing.end(text);
  };
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

function toAnswer(path: string): Answer {
  const { status, headers, body } = toErrorAnswer(TOO_MUCH, path, '');
  const text = JSON.stringify(body);
  const own = { 'content-type': 'application/json', 'content-length': text.length };
  return { status, headers: { ...headers, ...own }, text };
}
