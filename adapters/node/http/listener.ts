import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { App, Extra } from '../../../src/app.ts';
import { forwardedAddress } from '../../../src/http/network.ts';
import { compress, encodingFor, LEAST_BYTES } from './compress.ts';
import { toOriginForm } from './request-target.ts';

/** The app behind a listener, and whether it trusts `X-Forwarded-For`. */
export interface ListenerOptions {
  readonly app: App;
  readonly trustProxy?: boolean;
}

/** Creates a listener that passes Node's requests to an app. `request.signal` aborts when the client leaves. */
export function createListener({ app, trustProxy = false }: ListenerOptions): RequestListener {
  const listener = getRequestListener(
    async (request, bindings) => {
      let text: string | null = null;
      const respond: Extra['respond'] = (body, init) => {
        text = body;
        return new Response(null, init);
      };
      const address = addressOf(bindings.incoming as IncomingMessage, trustProxy);
      const response = await app.fetch(request, { respond, ...(address === undefined ? {} : { address }) });
      return text === null ? response : send(text, response, bindings as HttpBindings);
    },
    { overrideGlobalObjects: false },
  );
  return (incoming, outgoing) => {
    toOriginForm(incoming);
    return listener(incoming, outgoing);
  };
}

/** Returns the address of a client; undefined if it has left. */
export function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined;
  return forwardedAddress(forwarded?.toString()) ?? socket.remoteAddress;
}

/** Writes the text directly: reading it back from the stream of a Response would take several times as long. */
async function send(text: string, head: Response, { incoming, outgoing }: HttpBindings): Promise<Response> {
  const length = Buffer.byteLength(text);
  const json = head.headers.get('content-type') === 'application/json';
  if (json && length >= LEAST_BYTES) head.headers.append('vary', 'Accept-Encoding');
  const encoding = json ? encodingFor(incoming.headers['accept-encoding']?.toString(), length) : null;
  const body = encoding === null ? text : await compress(text, encoding);
  if (encoding !== null) head.headers.set('content-encoding', encoding);
  outgoing.writeHead(head.status, {
    ...Object.fromEntries(head.headers),
    'content-length': typeof body === 'string' ? length : body.length,
  });
  outgoing.end(body);
  return RESPONSE_ALREADY_SENT;
}
