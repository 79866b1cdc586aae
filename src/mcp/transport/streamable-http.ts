import { classifyInboundRequest, isJsonContentType } from '@modelcontextprotocol/server';
import type { Runtime } from '../../call/runtime.ts';
import { ANSWERED } from '../../errors.ts';
import { isList, isObject, type JsonValue } from '../../json.ts';
import type { Caller } from '../context.ts';
import { createDirectPath } from '../direct.ts';
import type { Era } from '../era.ts';
import { createKeptLists } from '../kept-lists.ts';
import { createPlainReader } from '../plain.ts';
import { enforceScopes } from '../scopes.ts';
import { createServer, type ServeOptions } from '../server.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { hasViews } from '../views/views.ts';
import { Channel } from './channel.ts';
import { answerLegacy } from './legacy.ts';
import { parseMessageJson } from './message.ts';
import { answerModern } from './modern.ts';
import { BATCH_TOO_LONG, MAX_BATCH, NOT_ACCEPTABLE, NOT_JSON, toRejectionResponse } from './rejection.ts';
import {
  acceptedForm,
  createResponder,
  JSON_HEADERS,
  type Responder,
  type TextResponse,
} from './response.ts';

/** One POST to the MCP endpoint, its body read. */
export interface McpPost {
  readonly headers: Headers;
  readonly body: string;
  readonly caller: Caller;
}

/** Answers POSTs of both eras. */
export type McpHandler = (post: McpPost) => Promise<Response | TextResponse>;

/** The options of a project served over Streamable HTTP. */
export interface McpHandlerOptions extends Omit<ServeOptions, 'sessions'> {
  /** Sessions of legacy clients; they outlive the handler. Null means stateless. */
  readonly sessions: Sessions | null;
  readonly onMessage?: OnMessage;
  /** Whether the MCP SDK answers plain calls too, so that tests can compare both ways. */
  readonly onlySdk?: boolean;
}

/** Receives every message before it is answered. */
export type OnMessage = (message: ReceivedMessage) => void;

/** Answers POSTs of 2026-07-28 and every older revision on one path (MCP, "Streamable HTTP"). */
export function createMcpHandler(
  runtime: Runtime,
  { sessions, onMessage, onlySdk = false, ...options }: McpHandlerOptions,
): McpHandler {
  const parts = { ...options, sessions: sessions !== null };
  const [readPlain, findList] = [createPlainReader(), createKeptLists()];
  const directly = createDirectPath(runtime, options);
  const views = hasViews(runtime.catalog);
  const channels = {
    modern: connect(runtime, 'modern', parts),
    legacy: connect(runtime, 'legacy', parts),
  };
  return async ({ headers, body: text, caller }) => {
    if (!isJsonContentType(headers.get('content-type'))) return toRejectionResponse(NOT_JSON);
    const form = acceptedForm(headers.get('accept'));
    if (form === null) return toRejectionResponse(NOT_ACCEPTABLE);
    const read = parseMessageJson(text);
    if (!read.ok) return toRejectionResponse(read.rejection);
    const { value: body } = read;
    // Everything below looks at each message.
    if (isList(body) && body.length > MAX_BATCH) return toRejectionResponse(BATCH_TOO_LONG);
    enforceScopes(runtime, body, caller);
    const plain = form === 'json' && !onlySdk ? readPlain({ headers, body }) : null;
    const direct = plain === null ? null : directly({ headers, request: plain, caller });
    const list = plain === null || direct !== null ? null : findList(plain, caller);
    const answered = direct ?? list?.answer ?? null;
    if (plain !== null && answered !== null) {
      const version = headers.get('mcp-protocol-version');
      onMessage?.({ methods: [plain.method], era: plain.era, version, direct: true });
      return { status: ANSWERED, headers: JSON_HEADERS, text: await answered };
    }
    const responder = createResponder(form);
    const reply: Responder = (message, ...head) => {
      list?.keep(message);
      return responder(message, ...head);
    };
    return answer({ headers, body, caller, channels, sessions, reply, views, onMessage });
  };
}

function connect(runtime: Runtime, era: Era, options: ServeOptions): Channel {
  const channel = new Channel();
  const { callerOf, idOf } = channel;
  const server = createServer(runtime, { ...options, era, batches: true, callerOf, idOf });
  server.onerror = ({ message }) => runtime.log({ level: 'debug', message: `mcp: ${message}` });
  void server.connect(channel);
  return channel;
}

async function answer(exchange: McpExchange): Promise<Response | TextResponse> {
  const { headers, body, onMessage } = exchange;
  const version = headers.get('mcp-protocol-version');
  const method = headers.get('mcp-method');
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version === null ? {} : { protocolVersionHeader: version }),
    ...(method === null ? {} : { mcpMethodHeader: method }),
  });
  onMessage?.({ methods: methodsOf(body), era: route.kind, version, direct: false });
  if (route.kind === 'modern') return answerModern(route, exchange);
  if (route.kind === 'legacy') return answerLegacy(route, exchange);
  return toRejectionResponse({ ...route, status: route.httpStatus }, body);
}

/** The methods of a message or a batch, for the log. */
function methodsOf(body: JsonValue): readonly string[] {
  const messages = isList(body) ? body.slice(0, MAX_METHODS) : [body];
  const methods = messages.map((message) => (isObject(message) ? message.method : undefined));
  return methods.map((method) => (typeof method === 'string' ? method.slice(0, 64) : 'response'));
}

/** The most methods of one batch that the log names. */
const MAX_METHODS = 10;

/** A message as the log names it, without anything that its sender wrote besides methods. */
export interface ReceivedMessage {
  readonly methods: readonly string[];
  /** The era, or how the message was rejected. */
  readonly era: string;
  readonly version: string | null;
  /** Whether it is answered without the MCP SDK. */
  readonly direct: boolean;
}

/** One POST that is being answered. */
export interface McpExchange {
  readonly headers: Headers;
  readonly body: JsonValue;
  readonly caller: Caller;
  readonly reply: Responder;
  /** Null means stateless. */
  readonly sessions: Sessions | null;
  readonly channels: { readonly [E in Era]: Channel };
  /** Whether tools of the catalog have views. */
  readonly views: boolean;
  readonly onMessage: OnMessage | undefined;
}
