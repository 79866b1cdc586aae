import {
  type InboundLegacyRoute,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from '@modelcontextprotocol/server';
import { ANSWERED, ERRORS, REJECTIONS } from '../../errors.ts';
import { isObject, type JsonValue } from '../../json.ts';
import type { Caller } from '../context.ts';
import { LAST_BATCH_VERSION, LEGACY_VERSIONS } from '../era.ts';
import type { McpSession } from '../sessions/session.ts';
import { NO_SESSION } from '../sessions/session-requests.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { showsViews } from '../views/views.ts';
import { type Rejection, toRejectionResponse } from './rejection.ts';
import { readsStreams, type TextResponse, toAccepted, toStream } from './response.ts';
import type { McpExchange } from './streamable-http.ts';

/** The characters of a batch's answers beyond which no further request runs: as many as one result may have by default. */
const MAX_BATCH_CHARACTERS = 4 * 1024 * 1024;

/*
 * A server without sessions remembers no client, and a client of 2025-11-25 or older says only once that it shows views. Such a
 * client gets a mark as the id of its session, which it sends with every request. The mark grants nothing: it says how
 * results are sent to the client that has it.
 */

const PREFIX = 'svc-views-';

/** Answers one message, or a batch, of 2025-11-25 or an older revision. */
export async function answerLegacy(
  route: InboundLegacyRoute,
  exchange: McpExchange,
): Promise<Response | TextResponse> {
  const { headers, body, caller, sessions } = exchange;
  const version = headers.get('mcp-protocol-version') ?? LAST_BATCH_VERSION;
  const refusal = versionRefusal(route, version) ?? batchRefusal(body, version);
  if (refusal !== null) return toRejectionResponse(refusal, body);
  if (sessions === null) return answerStateless(route, exchange);
  if (route.reason === 'initialize') return answerBeginning(exchange, sessions);
  const id = headers.get('mcp-session-id');
  if (id === null) return answerMessages(exchange);
  const session = sessions.find(id, caller.user);
  if (session === null) return toRejectionResponse(NO_SESSION, body);
  return answerMessages({ ...exchange, caller: within(caller, session) });
}

/** Answers without a session. A client that shows views gets a mark for it, which comes back with its next messages. */
async function answerStateless(
  route: InboundLegacyRoute,
  exchange: McpExchange,
): Promise<Response | TextResponse> {
  const { headers, body, caller, channels, reply, views } = exchange;
  if (!views) return answerMessages(exchange);
  const declaring = { ...exchange, caller: { ...caller, showsViews: true } };
  if (route.reason !== 'initialize') {
    return answerMessages(isViewMark(headers.get('mcp-session-id')) ? declaring : exchange);
  }
  if (!isJSONRPCRequest(body) || !showsViews(body.params?.capabilities)) return answerMessages(exchange);
  const outlet = await channels.legacy.exchange({ request: body, caller: declaring.caller });
  if ('stream' in outlet) return toStream(outlet.stream);
  const mark = 'result' in outlet.message ? { 'mcp-session-id': createViewMark() } : {};
  return reply(outlet.message, ANSWERED, mark);
}

/** Answers `initialize`, which begins a session unless it fails. */
async function answerBeginning(exchange: McpExchange, sessions: Sessions): Promise<Response | TextResponse> {
  const { body, caller, channels, reply } = exchange;
  if (!isJSONRPCRequest(body)) return answerMessages(exchange);
  const session = sessions.begin(caller.user);
  const outlet = await channels.legacy.exchange({ request: body, caller: within(caller, session) });
  if ('message' in outlet && 'result' in outlet.message) {
    return reply(outlet.message, ANSWERED, { 'mcp-session-id': session.id });
  }
  sessions.end(session);
  return 'stream' in outlet ? toStream(outlet.stream) : reply(outlet.message);
}

function within(caller: Caller, session: McpSession): Caller {
  return { ...caller, session, sessionId: session.id };
}

async function answerMessages(exchange: McpExchange): Promise<Response | TextResponse> {
  const { body, caller, channels, reply } = exchange;
  const messages = toMessages(body);
  if (caller.session !== undefined) deliver(messages, caller.session);
  const requests = messages.filter((message) => isJSONRPCRequest(message));
  const [first] = requests;
  if (first === undefined) return toAccepted();
  if (Array.isArray(body)) return reply(await answerBatch(requests, exchange));
  const streams = readsStreams(exchange.headers.get('accept'));
  const outlet = await channels.legacy.exchange({ request: first, caller: { ...caller, streams } });
  return 'stream' in outlet ? toStream(outlet.stream) : reply(outlet.message);
}

/** Delivers messages about running calls: cancellations, and answers to our questions. */
function deliver(messages: readonly JsonValue[], { calls, pending }: McpSession): void {
  for (const message of messages) {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') calls.get(id)?.();
    } else if (isJSONRPCResponse(message) && message.id !== undefined) {
      pending.get(message.id)?.(message);
      pending.delete(message.id);
    }
  }
}

/**
 * Answers the requests of a batch one after the other, because all answers travel together. There are no streams: the
 * revision of batches would use them for progress only. No single answer gives back the room of the batch.
 */
async function answerBatch(
  requests: readonly JSONRPCRequest[],
  { caller: { leave: _, ...caller }, channels }: McpExchange,
): Promise<readonly JSONRPCResponse[]> {
  for (const _ of requests.slice(1)) caller.countAnother?.();
  const begin = trackWaiting(requests, caller.session);
  const answers: JSONRPCResponse[] = [];
  let characters = 0;
  for (const request of requests) {
    if (!begin(request)) continue;
    if (characters > MAX_BATCH_CHARACTERS) {
      answers.push(toTooLarge(request));
      continue;
    }
    const outlet = await channels.legacy.exchange({ request, caller });
    if (!('message' in outlet)) continue;
    answers.push(outlet.message);
    characters += JSON.stringify(outlet.message).length;
  }
  return answers;
}

/** Lets the client of a session cancel requests that wait. The returned function ends the wait of one; false if it was cancelled. */
function trackWaiting(
  requests: readonly JSONRPCRequest[],
  session: McpSession | undefined,
): (request: JSONRPCRequest) => boolean {
  const cancelled = new Set<JSONRPCRequest>();
  for (const request of requests) session?.calls.set(request.id, () => cancelled.add(request));
  return (request) => {
    session?.calls.delete(request.id);
    return !cancelled.has(request);
  };
}

function toTooLarge({ id }: JSONRPCRequest): JSONRPCResponse {
  const message =
    'The request did not run, because the answers before it in this batch have more than 4 MiB. Send it again alone.';
  return { jsonrpc: '2.0', id, error: { code: ERRORS.result_too_large.rpc, message } };
}

function toMessages(body: JsonValue): readonly JsonValue[] {
  return Array.isArray(body) ? body : [body];
}

/** Ignores the header during `initialize`, which negotiates the version. */
function versionRefusal({ reason }: InboundLegacyRoute, version: string): Rejection | null {
  if (reason === 'initialize' || LEGACY_VERSIONS.includes(version)) return null;
  const message = `Bad Request: unsupported protocol version ${version.slice(0, 32)}; this server speaks ${LEGACY_VERSIONS.join(', ')}.`;
  return { ...REJECTIONS.message_invalid, message };
}

function batchRefusal(body: JsonValue, version: string): Rejection | null {
  if (!Array.isArray(body)) return null;
  const refuse = (message: string) => ({ ...REJECTIONS.message_invalid, message: `Bad Request: ${message}` });
  if (version > LAST_BATCH_VERSION) return refuse(`revision ${version} has no JSON-RPC batches.`);
  const starts = body.some((message) => isObject(message) && message.method === 'initialize');
  return starts ? refuse('initialize must not be part of a batch.') : null;
}

/** Makes the mark of a client that shows views. Session ids are unique (MCP 2025-11-25, "Session Management"). */
function createViewMark(): string {
  return `${PREFIX}${crypto.randomUUID()}`;
}

/** Whether a session id is the mark of a client that shows views. */
function isViewMark(sessionId: string | null): boolean {
  return sessionId?.startsWith(PREFIX) ?? false;
}
