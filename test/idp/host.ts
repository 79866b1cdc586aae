import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Fault } from './faults.ts';

/** A stand-in of somebody else's server, over real HTTP. */
export interface Host {
  readonly origin: string;
  /** `POST /token`, in the order of arrival. */
  readonly requests: string[];
  /** The next request of a route, or the next few, meets a fault instead of the server. */
  fail(route: string, fault: Fault, times?: number): void;
  /** Forgets the faults that nobody met. */
  heal(): void;
  /** Serves from now on. */
  serve(listener: RequestListener): void;
  close(): Promise<void>;
}

/** Listens on a port of its own, before there is anything to serve. */
export async function createHost(): Promise<Host> {
  const requests: string[] = [];
  const faults: { readonly route: string; readonly fault: Fault }[] = [];
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => {
    const route = routeOf(request);
    requests.push(route);
    const index = faults.findIndex((entry) => entry.route === route);
    if (index === -1) return listener(request, response);
    faults.splice(index, 1)[0]?.fault(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (route, fault, times = 1) => {
      for (let count = 0; count < times; count += 1) faults.push({ route, fault });
    },
    heal: () => {
      faults.length = 0;
    },
    serve: (next) => {
      listener = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A Hono app as a listener; the process keeps its own Response. */
export function listen(app: Hono): RequestListener {
  const handle = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return (request: IncomingMessage, response: ServerResponse) => void handle(request, response);
}

const routeOf = ({ method, url }: IncomingMessage) => `${method} ${(url ?? '').split('?')[0]}`;
