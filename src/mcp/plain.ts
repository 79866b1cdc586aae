import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { type Era, LAST_BATCH_VERSION, LEGACY_VERSIONS, MODERN_VERSIONS } from './era.ts';

/** A message and the headers that came with it. */
export interface PostedMessage {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: JsonValue;
}

/** A sound request of either era that belongs to no session and wants its answer only, without notifications. */
export interface PlainRequest {
  readonly era: Era;
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject | undefined;
}

/** Reads a plain request; null for any other message, which the MCP SDK reads. */
export type ReadPlain = (message: PostedMessage) => PlainRequest | null;

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
]);
/** The protocol gives meanings to keys of `_meta` with this prefix. */
const RESERVED = 'io.modelcontextprotocol/';

/** Makes a reader that remembers the envelopes of modern clients. */
export function createPlainReader(): ReadPlain {
  const isSound = createEnvelopeCheck();
  return ({ headers, body }) => {
    if (!isObject(body) || !hasOnly(body, MESSAGE_KEYS)) return null;
    const { jsonrpc, id, method, params = {} } = body;
    if (jsonrpc !== '2.0' || typeof method !== 'string' || !isObject(params)) return null;
    if (typeof id !== 'string' && (typeof id !== 'number' || !Number.isSafeInteger(id))) return null;
    const { _meta: meta } = params;
    if (meta !== undefined && !isObject(meta)) return null;
    const era = eraOf(headers, method, meta);
    if (era === null || (era === 'modern' && !isSound(body, meta))) return null;
    return { era, id, method, params, meta };
  };
}

/** Whether an object has no members but these. */
export function hasOnly(value: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key of Object.keys(value)) if (!keys.has(key)) return false;
  return true;
}

/** The response to a request, from the JSON of its result. */
export function toResponseText({ id }: PlainRequest, result: string): string {
  return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

/** The era in which headers and `_meta` agree; null if they disagree, or ask for more than an answer. */
function eraOf(headers: PostedMessage['headers'], method: string, meta: JsonObject | undefined): Era | null {
  if (meta !== undefined && 'progressToken' in meta) return null;
  const version = headers.get('mcp-protocol-version');
  const reserved = meta === undefined ? [] : Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  if (reserved.length === 0) {
    const spoken = LEGACY_VERSIONS.includes(version ?? LAST_BATCH_VERSION);
    return spoken && headers.get('mcp-session-id') === null ? 'legacy' : null;
  }
  const modern =
    version !== null &&
    MODERN_VERSIONS.includes(version) &&
    meta?.[PROTOCOL_VERSION_META_KEY] === version &&
    reserved.every((key) => ENVELOPE_KEYS.has(key)) &&
    headers.get('mcp-method') === method;
  return modern ? 'modern' : null;
}

/** Whether the envelope of a modern message satisfies the SDK. */
type EnvelopeCheck = (body: JsonObject, meta: JsonObject | undefined) => boolean;

/** Clients repeat their envelopes, so each is checked once. */
const MOST_ENVELOPES = 256;
const LONGEST_ENVELOPE = 2_000;

function createEnvelopeCheck(): EnvelopeCheck {
  const sound = new Set<string>();
  return (body, meta = {}) => {
    const text = JSON.stringify({
      info: meta[CLIENT_INFO_META_KEY],
      can: meta[CLIENT_CAPABILITIES_META_KEY],
    });
    if (sound.has(text)) return true;
    if (classifyInboundRequest({ httpMethod: 'POST', body }).kind !== 'modern') return false;
    if (sound.size >= MOST_ENVELOPES) sound.clear();
    if (text.length <= LONGEST_ENVELOPE) sound.add(text);
    return true;
  };
}
