import {
  type InboundModernRoute,
  type JSONRPCRequest,
  type JSONRPCResponse,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { MODERN_VERSIONS } from './era.ts';
import type { Exchange } from './exchange.ts';
import { headerProblem } from './headers.ts';
import { type Refusal, toRefusalResponse } from './refusal.ts';
import { toAccepted } from './reply.ts';

const REFUSED_STATUS: ReadonlyMap<number, number> = new Map([
  [-32600, 400],
  [-32601, 404],
  [-32022, 400],
]);

/** One message of revision 2026-07-28. */
export async function answerModern(route: InboundModernRoute, exchange: Exchange): Promise<Response> {
  if (route.messageKind === 'notification') return toAccepted();
  const refusal = versionRefusal(route) ?? headerRefusal(exchange.headers, route.message);
  if (refusal !== null) return toRefusalResponse(refusal, exchange.body);
  const { message, refused } = await exchange.channels.modern.exchange(route.message, exchange.caller);
  return exchange.reply(message, refused ? refusedStatus(message) : 200);
}

function versionRefusal({ classification }: InboundModernRoute): Refusal | null {
  const requested = classification.revision ?? 'unknown';
  if (MODERN_VERSIONS.includes(requested)) return null;
  const supported = [...MODERN_VERSIONS];
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  return { status: 400, code, message, data };
}

function headerRefusal(headers: Headers, request: JSONRPCRequest): Refusal | null {
  const problem = headerProblem(headers, request);
  return problem === null ? null : { status: 400, code: -32020, message: `Bad Request: ${problem}.` };
}

/** What the protocol layer refuses has a status; what a handler answers is 200, whatever it says. */
function refusedStatus(message: JSONRPCResponse): number {
  return 'error' in message ? (REFUSED_STATUS.get(message.error.code) ?? 200) : 200;
}
