import { type InboundLegacyRoute, isJSONRPCRequest, type JSONRPCRequest } from '@modelcontextprotocol/server';
import type { JsonValue } from '../json.ts';
import { LAST_BATCH_VERSION, LEGACY_VERSIONS } from './era.ts';
import type { Exchange } from './exchange.ts';
import { type Refusal, toRefusalResponse } from './refusal.ts';
import { readsStreams, toAccepted, toStream } from './reply.ts';
import { isObject } from './wire.ts';

const MAX_BATCH = 100;

/** One message, or a batch of them, of 2025-11-25 or an older revision; nothing is remembered between POSTs. */
export async function answerLegacy(route: InboundLegacyRoute, exchange: Exchange): Promise<Response> {
  const version = exchange.headers.get('mcp-protocol-version') ?? LAST_BATCH_VERSION;
  const refusal = versionRefusal(route, version) ?? batchRefusal(exchange.body, version);
  if (refusal !== null) return toRefusalResponse(refusal, exchange.body);
  const { body, caller, channels, reply } = exchange;
  const requests = toMessages(body).filter((message) => isJSONRPCRequest(message));
  const [first] = requests;
  if (first === undefined) return toAccepted();
  if (Array.isArray(body)) return reply(await answerBatch(requests, exchange));
  const streams = readsStreams(exchange.headers.get('accept'));
  const outlet = await channels.legacy.exchange({ request: first, caller, streams });
  return 'stream' in outlet ? toStream(outlet.stream) : reply(outlet.message);
}

/** Only responses: the revision with batches has no other use for streams than progress. */
async function answerBatch(requests: readonly JSONRPCRequest[], { caller, channels }: Exchange) {
  const outlets = await Promise.all(
    requests.map((request) => channels.legacy.exchange({ request, caller, streams: false })),
  );
  return outlets.flatMap((outlet) => ('message' in outlet ? [outlet.message] : []));
}

function toMessages(body: JsonValue): readonly JsonValue[] {
  return Array.isArray(body) ? body : [body];
}

/** The header is ignored where versions are only being negotiated. */
function versionRefusal({ reason }: InboundLegacyRoute, version: string): Refusal | null {
  if (reason === 'initialize' || LEGACY_VERSIONS.includes(version)) return null;
  const message = `Bad Request: unsupported protocol version ${version.slice(0, 32)}; this server speaks ${LEGACY_VERSIONS.join(', ')}.`;
  return { status: 400, code: -32600, message };
}

function batchRefusal(body: JsonValue, version: string): Refusal | null {
  if (!Array.isArray(body)) return null;
  const refuse = (message: string) => ({ status: 400, code: -32600, message: `Bad Request: ${message}` });
  if (version > LAST_BATCH_VERSION) return refuse(`revision ${version} has no JSON-RPC batches.`);
  if (body.length > MAX_BATCH) return refuse(`a batch holds at most ${MAX_BATCH} messages.`);
  const starts = body.some((message) => isObject(message) && message.method === 'initialize');
  return starts ? refuse('initialize must not be part of a batch.') : null;
}
