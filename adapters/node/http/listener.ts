import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { App, Extra } from '../../../src/app.ts';
import { forwardedAddress } from '../../../src/http/network.ts';
import type { TextResponse } from '../../../src/mcp/transport/response.ts';
import { compress, encodingFor, LEAST_BYTES } from './compress.ts';
import { followSource } from './connections.ts';

/** The app behind a listener, and whether it trusts `X-Forwarded-For`. */
export interface ListenerOptions {
  readonly app: App;
  readonly trustProxy?: boolean;
}

/** Stands in for responses that are written as text. */
const WRITTEN = new Response(null);

/** Creates a listener that passes Node's requests to an app. `request.signal` aborts when the client leaves. */
export function createListener({ app, trustProxy = false }: ListenerOptions): RequestListener {
  const listener = getRequestListener(
    async (request, bindings) => {
      let text: TextResponse | null = null;
      const respond: Extra['respond'] = (response) => {
        text = response;
        return response.status === 200 ? WRITTEN : new Response(null, { status: response.status });
      };
      const { incoming, outgoing } = bindings as HttpBindings;
      const address = clientAddress(incoming, trustProxy);
      const extra = { respond, runsToEnd: true, ...(address === undefined ? {} : { address }) };
      const response = await app.fetch(request, extra);
      if (text !== null) return send(text, { incoming, outgoing });
      if (response.body !== null) followSource(outgoing, response.body);
      return response;
    },
    { overrideGlobalObjects: false },
  );
  return (incoming, outgoing) => {
    toOriginForm(incoming);
    if (incoming.headers.host === undefined) setHost(incoming, localHost(incoming));
    return listener(incoming, outgoing);
  };
}

/** Returns the address of a client; undefined if it has left. */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? forwardedAddress(headers['x-forwarded-for']?.toString()) : undefined;
  return forwarded ?? socket.remoteAddress;
}

/** Writes a text directly: reading it back from the stream of a Response would take several times as long. */
function send(response: TextResponse, { incoming, outgoing }: HttpBindings): Response | Promise<Response> {
  const { status, headers, text } = response;
  const length = Buffer.byteLength(text);
  if (length >= LEAST_BYTES && headers['content-type'] === 'application/json') {
    return sendLong(response, length, { incoming, outgoing });
  }
  outgoing.writeHead(status, { ...headers, 'content-length': length });
  // Node counts the characters of a text that waits, and not its bytes.
  outgoing.end(text.length === length ? text : Buffer.from(text));
  return RESPONSE_ALREADY_SENT;
}

async function sendLong(
  { status, headers, text }: TextResponse,
  length: number,
  { incoming, outgoing }: HttpBindings,
): Promise<Response> {
  const { vary } = headers;
  const encoding = encodingFor(incoming.headers['accept-encoding']?.toString(), length);
  const body = encoding === null ? Buffer.from(text) : await compress(text, encoding);
  outgoing.writeHead(status, {
    ...headers,
    vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
    'content-length': body.length,
  });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Turns an absolute request target into path and query. Its host replaces the Host header (RFC 9112, 3.2.2), so that the
 * checked host is the one in `request.url`. Its scheme is dropped, because the connection has the scheme.
 */
function toOriginForm(incoming: IncomingMessage): void {
  const [, host, rest = ''] = ABSOLUTE.exec(incoming.url ?? '') ?? [];
  if (host === undefined) return;
  incoming.url = rest.startsWith('/') ? rest : `/${rest}`;
  setHost(incoming, host);
}

function setHost(incoming: IncomingMessage, host: string): void {
  incoming.headers.host = host;
  incoming.rawHeaders = [...withoutHost(incoming.rawHeaders), 'Host', host];
}

/**
 * The address that a client connected to. It is the host of a request without a Host header, which HTTP/1.0 allows: load
 * balancers send their health checks so.
 */
function localHost({ socket: { localAddress = '127.0.0.1', localPort } }: IncomingMessage): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** Removes the Host header from a list in which names and values alternate. */
function withoutHost(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== 'host');
}
