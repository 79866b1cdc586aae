import {
  type InboundModernRoute,
  type JSONRPCRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { ERRORS, REJECTIONS } from '../../errors.ts';
import { MODERN_VERSIONS } from '../era.ts';
import type { ChannelResponse } from './channel.ts';
import { headerIssue } from './headers.ts';
import { type Rejection, toRejectionResponse } from './rejection.ts';
import { readsStreams, toAccepted, toStream } from './response.ts';
import type { McpExchange } from './streamable-http.ts';

/** Statuses of the rejections that the MCP SDK makes itself, by their JSON-RPC code. */
const REJECTED_STATUS: ReadonlyMap<number, number> = new Map(
  [REJECTIONS.message_invalid, REJECTIONS.method_unknown, REJECTIONS.version_unsupported].map(
    ({ code, status }) => [code, status],
  ),
);

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
  const { message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  return { ...REJECTIONS.version_unsupported, message, data };
}

function headerRefusal(headers: Headers, request: JSONRPCRequest): Rejection | null {
  const problem = headerIssue(headers, request);
  return problem === null ? null : { ...REJECTIONS.header_mismatch, message: `Bad Request: ${problem}.` };
}

/** Rejections have a status of their own. Answers of a handler have 200, unless the client lacks a capability. */
function statusOf({ message, refused }: ChannelResponse): number {
  if (!('error' in message)) return 200;
  const { code } = message.error;
  if (code === ERRORS.capability_missing.rpc) return ERRORS.capability_missing.http;
  return refused ? (REJECTED_STATUS.get(code) ?? 200) : 200;
}
