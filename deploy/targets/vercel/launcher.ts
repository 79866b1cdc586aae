import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getRequestListener } from '@hono/node-server';

/* A stand-in for Vercel's Node launcher: `node launcher.js <folder of the function> <port>`. It calls the exported web
 * handler of the method with a request that it makes from Node's, and keeps the process until `waitUntil` has ended. */

type WebHandler = (request: Request) => Promise<Response>;

const [, , folder = '', port = '0'] = process.argv;
const pending = new Set<Promise<unknown>>();
const context = {
  waitUntil: (work: Promise<unknown>) => {
    pending.add(work);
    void Promise.allSettled([work]).then(() => pending.delete(work));
  },
};
Reflect.set(globalThis, Symbol.for('@vercel/request-context'), { get: () => context });

const { handler }: { readonly handler: string } = JSON.parse(
  await readFile(join(folder, '.vc-config.json'), 'utf8'),
);
const handlers: Readonly<Record<string, WebHandler | undefined>> = await import(
  pathToFileURL(join(folder, handler)).href
);

const listener = getRequestListener(
  (request) => handlers[request.method]?.(request) ?? new Response(null, { status: 405 }),
);
const server = createServer((request, response) => {
  // Vercel's proxy replaces these headers.
  request.headers['x-real-ip'] = request.socket.remoteAddress ?? '';
  request.headers['x-forwarded-proto'] = 'http';
  void listener(request, response);
});
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string')
  throw new Error('The launcher does not listen on a port.');
process.stdout.write(`listening on http://127.0.0.1:${address.port}/mcp\n`);

process.once('SIGTERM', () => {
  server.close(() => void Promise.allSettled(pending).then(() => process.exit(0)));
  server.closeIdleConnections();
});
