import {
  type InboundModernRoute,
  type JSONRPCRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { MODERN_VERSIONS } from '../era.ts';
import type { ChannelResponse } from './channel.ts';
import { headerIssue } from './headers.ts';
import { type Rejection, toRejectionResponse } from './rejection.ts';
import { readsStreams, toAccepted, toStream } from './response.ts';
import type { McpExchange } from './streamable-http.ts';

const MISSING_CAPABILITY = -32021;

const REFUSED_STATUS: ReadonlyMap<number, number> = new Map([
  [-32600, 400],
  [-32601, 404],
  [-32022, 400],
]);

/** One message of revision 2026-07-28. */
export async function answerModern(route: InboundModernRoute, exchange: McpExchange): Promise<Response> {
  if (route.messageKind === 'notification') return toAccepted();
  const refusal = versionRefusal(route) ?? headerRefusal(exchange.headers, route.message);
  if (refusal !== null) return toRejectionResponse(refusal, exchange.body);
  const { caller, channels } = exchange;
  const streams = readsStreams(exchange.headers.get('accept'));
  const outlet = await channels.modern.exchange({ request: route.message, caller, streams });
  return 'stream' in outlet ? toStream(outlet.stream) : exchange.reply(outlet.message, statusOf(outlet));
}

function versionRefusal({ classification }: InboundModernRoute): Rejection | null {
  const requested = classification.revision ?? 'unknown';
  if (MODERN_VERSIONS.includes(requested)) return null;
  const supported = [...MODERN_VERSIONS];
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  return { status: 400, code, message, data };
}

function headerRefusal(headers: Headers, request: JSONRPCRequest): Rejection | null {
  const problem = headerIssue(headers, request);
  return problem === null ? null : { status: 400, code: -32020, message: `Bad Request: ${problem}.` };
}

/** What the protocol layer refuses has a status; what a handler answers is 200, but for a client that lacks something. */
function statusOf({ message, refused }: ChannelResponse): number {
  if (!('error' in message)) return 200;
  const { code } = message.error;
  if (code === MISSING_CAPABILITY) return 400;
  return refused ? (REFUSED_STATUS.get(code) ?? 200) : 200;
}
