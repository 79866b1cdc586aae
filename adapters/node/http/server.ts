import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { App } from '../../../src/app.ts';
import { SvcError } from '../../../src/errors.ts';
import { HTTP_LIMITS, type HttpLimits } from './limits.ts';
import { createListener } from './listener.ts';

/** Where and how to serve an app over HTTP. */
export interface HttpServerOptions {
  readonly app: App;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How long close() waits for the requests that are being answered. */
  readonly graceMs?: number;
  /** Whether a proxy stands in front that says whose requests it passes on. */
  readonly trustProxy?: boolean;
  readonly limits?: Partial<HttpLimits>;
}

/** A running HTTP server. */
export interface HttpServer {
  /** The real port, also where 0 was asked for. */
  readonly port: number;
  readonly url: string;
  /**
   * Is not ready any more; takes no more requests once the running ones are answered, or after half of the grace; ends
   * what is left after all of it.
   */
  close(): Promise<void>;
}

const GRACE_MS = 10_000;

/** Serves an app over HTTP on Node; throws SvcError `address_unavailable` when it cannot listen there. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const listener = createListener(options);
  const server = createServer({ ...HTTP_LIMITS, ...options.limits });
  // Before the listener: it may answer at once.
  const unused = trackUnused(server);
  const running = trackRunning(server);
  server.on('request', listener);
  const { port } = await listen(server, options);
  return {
    port,
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    close: async () => {
      options.app.close?.();
      const half = (options.graceMs ?? GRACE_MS) / 2;
      await running.drained(half);
      await close(server, unused, half);
      // What was answered on a connection that was ended learns of it a little later than the server.
      await running.drained(half);
    },
  };
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is already in use. Stop the other process, or choose another port with --port',
  EACCES: 'this user may not open it. Choose a port above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another with --host, for example 127.0.0.1',
  ENOTFOUND: 'there is no such host name. Choose another with --host, for example 127.0.0.1',
};

function toListenError(cause: NodeJS.ErrnoException, host: string, port: number): SvcError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message;
  return new SvcError('address_unavailable', `Cannot listen on ${host}:${port}: ${reason}.`, { cause });
}

/** The connections that have not sent a request yet: Node takes them for busy. */
function trackUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }, outgoing) => {
    unused.delete(socket);
    // A connection kept alive would outlast close().
    outgoing.once('close', () => server.listening || server.closeIdleConnections());
  });
  return unused;
}

interface Running {
  /** Settles when nothing is being answered, at the latest after some milliseconds; clients are sent away meanwhile. */
  drained(ms: number): Promise<void>;
}

/** While it drains a server still listens: whoever balances the load learns from `/ready` that it is to send no more. */
function trackRunning(server: Server): Running {
  let count = 0;
  let onIdle: (() => void) | null = null;
  server.on('request', (_incoming, outgoing) => {
    count += 1;
    if (onIdle !== null) outgoing.setHeader('connection', 'close');
    outgoing.once('close', () => {
      count -= 1;
      if (count === 0) onIdle?.();
    });
  });
  return {
    drained: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
        if (count === 0) onIdle();
      }),
  };
}

async function close(server: Server, unused: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of unused) socket.destroy();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
