import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { App, Extra } from '../../src/app.ts';
import { forwardedAddress } from '../../src/http/network.ts';

/** Whose requests a listener takes. */
export interface ListenerOptions {
  readonly app: App;
  readonly trustProxy?: boolean;
}

/** Hands Node's requests to an app; its `request.signal` aborts when the client goes away. */
export function createListener({ app, trustProxy = false }: ListenerOptions): RequestListener {
  return getRequestListener(
    async (request, bindings) => {
      const incoming = bindings.incoming as IncomingMessage;
      let text: string | null = null;
      const respond: Extra['respond'] = (body, init) => {
        text = body;
        return new Response(null, init);
      };
      const address = addressOf(incoming, trustProxy);
      const response = await app.fetch(request, { respond, ...(address === undefined ? {} : { address }) });
      return text === null ? response : send(text, response, bindings.outgoing as ServerResponse);
    },
    { overrideGlobalObjects: false },
  );
}

function addressOf({ headers, socket }: IncomingMessage, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? headers['x-forwarded-for'] : undefined;
  return forwardedAddress(forwarded?.toString()) ?? socket.remoteAddress;
}

/** Writes the text as it is: a Response with a body would be read back from a stream, at several times the cost. */
function send(text: string, { status, headers }: Response, outgoing: ServerResponse): Response {
  outgoing.writeHead(status, {
    ...Object.fromEntries(headers),
    'content-length': Buffer.byteLength(text),
  });
  outgoing.end(text);
  return RESPONSE_ALREADY_SENT;
}
