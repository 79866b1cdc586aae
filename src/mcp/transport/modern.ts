import {
  type InboundModernRoute,
  type JSONRPCRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { ANSWERED, ERRORS, REJECTIONS } from '../../errors.ts';
import { MODERN_VERSIONS } from '../era.ts';
import type { ChannelResponse } from './channel.ts';
import { NO_STREAM, type Rejection, toRejectionResponse } from './rejection.ts';
import { readsStreams, type TextResponse, toAccepted, toStream } from './response.ts';
import type { McpExchange } from './streamable-http.ts';

/** Statuses of the rejections that the MCP SDK makes itself, by their JSON-RPC code. */
const REJECTED_STATUS: ReadonlyMap<number, number> = new Map(
  [REJECTIONS.message_invalid, REJECTIONS.version_unsupported].map(({ code, status }) => [code, status]),
);

/** One message of revision 2026-07-28. */
export async function answerModern(
  route: InboundModernRoute,
  exchange: McpExchange,
): Promise<Response | TextResponse> {
  if (route.messageKind === 'notification') return toAccepted();
  const rejection = rejectVersion(route) ?? rejectHeaders(exchange.headers, route.message);
  if (rejection !== null) return toRejectionResponse(rejection, exchange.body);
  const { caller, channels } = exchange;
  const streams = readsStreams(exchange.headers.get('accept'));
  if (!streams && route.message.method === 'subscriptions/listen') {
    return toRejectionResponse(NO_STREAM, exchange.body);
  }
  const incoming = { request: route.message, caller: { ...caller, streams } };
  const outlet = await channels.modern.exchange(incoming);
  return 'stream' in outlet ? toStream(outlet.stream) : exchange.reply(outlet.message, statusOf(outlet));
}

function rejectVersion({ classification }: InboundModernRoute): Rejection | null {
  const requested = classification.revision ?? 'unknown';
  if (MODERN_VERSIONS.includes(requested)) return null;
  const supported = [...MODERN_VERSIONS];
  const { message, data } = new UnsupportedProtocolVersionError({ supported, requested });
  return { ...REJECTIONS.version_unsupported, message, data };
}

function rejectHeaders(headers: Headers, request: JSONRPCRequest): Rejection | null {
  const problem = headerIssue(headers, request);
  return problem === null ? null : { ...REJECTIONS.header_mismatch, message: `Bad Request: ${problem}.` };
}

/**
 * Rejections have a status of their own. Answers of a handler have `ANSWERED`, unless the client lacks a capability, or knows
 * of no such method, as one without views.
 */
function statusOf({ message, refused }: ChannelResponse): number {
  if (!('error' in message)) return ANSWERED;
  const { code } = message.error;
  if (code === ERRORS.capability_missing.rpc) return ERRORS.capability_missing.http;
  if (code === REJECTIONS.method_unknown.code) return REJECTIONS.method_unknown.status;
  return refused ? (REJECTED_STATUS.get(code) ?? ANSWERED) : ANSWERED;
}

/** The parameter that the Mcp-Name header repeats, by method. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/**
 * Describes the problem of a modern request's standard headers (SEP-2243); null for good ones. Versions are
 * compared before.
 */
function headerIssue(headers: Headers, request: JSONRPCRequest): string | null {
  if (headers.get('mcp-protocol-version') === null) return 'the MCP-Protocol-Version header is missing';
  const method = headers.get('mcp-method');
  if (method === null) return 'the Mcp-Method header is missing';
  if (method !== request.method) return 'the Mcp-Method header does not name the method of the body';
  const key = NAMED.get(request.method);
  const expected = key === undefined ? undefined : request.params?.[key];
  return typeof expected === 'string' ? nameProblem(headers.get('mcp-name'), expected) : null;
}

function nameProblem(header: string | null, expected: string): string | null {
  if (header === null) return 'the Mcp-Name header is missing';
  const name = decodeHeader(header);
  if (name === null) return 'the Mcp-Name header is not valid Base64';
  return name === expected ? null : 'the Mcp-Name header and the body have different names';
}

/** A value that is no plain header text travels as `=?base64?…?=`; null when that is malformed. */
function decodeHeader(value: string): string | null {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return null;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
