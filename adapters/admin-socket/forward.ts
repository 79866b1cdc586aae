import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { toSvcError } from '../../src/errors.ts';
import { type BrowserDoor, openBrowserDoor } from '../node/http/browser-door.ts';
import { type AdminRequest, sendToSocket } from './client.ts';

/** Forwards requests of this machine's browser, which cannot open a Unix socket, to the socket. */
export function forwardToSocket(socket: string, port: number): Promise<BrowserDoor> {
  return openBrowserDoor({
    port,
    command: 'svc admin',
    answer: ({ method = 'GET' }, response, path) => void forward({ socket, method, path }, response),
  });
}

async function forward(asked: AdminRequest, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    const from = await sendToSocket({ ...asked, signal: left.signal });
    if (response.destroyed) return void from.destroy();
    response.writeHead(from.statusCode ?? 502, endToEnd(from.headers));
    // A stream of events begins long before its first bytes.
    response.flushHeaders();
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
