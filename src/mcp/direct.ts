import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { callEndpoint } from '../call/pipeline.ts';
import type { Outcome, Runtime } from '../call/runtime.ts';
import type { ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { toSvcError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Changes } from './changes.ts';
import { type Caller, toRequestContext } from './context.ts';
import { type Era, LAST_BATCH_VERSION, LEGACY_VERSIONS, MODERN_VERSIONS } from './era.ts';
import { failureText, logFailure } from './errors.ts';
import { TRUNCATED_META_KEY, truncationText } from './methods/result.ts';
import { toServerInfo } from './server.ts';
import { isWrapped } from './wire-tool.ts';

/*
 * The direct path: one plain `tools/call` of either era, answered without the MCP SDK in the bytes that the SDK would
 * send. A call is plain if it can have only one answer, as JSON: it elicits nothing, wants no notifications, belongs to no
 * session, and returns a value. `test/unit/mcp/direct.test.ts` compares both ways.
 */

/** A message that may be a plain call. */
export interface DirectRequest {
  readonly headers: Pick<Headers, 'get'>;
  readonly body: JsonValue;
  readonly caller: Caller;
}

/** A call that is being answered without the SDK. */
export interface DirectCall {
  readonly era: Era;
  /** The JSON-RPC response. Its status is 200. */
  readonly answer: Promise<string>;
}

/** Answers a plain call; null for any other message, which the SDK answers. */
export type AnswerDirectly = (request: DirectRequest) => DirectCall | null;

/** A plain call, read. */
interface PlainCall {
  readonly id: string | number;
  readonly era: Era;
  readonly entry: ToolEntry;
  readonly args: JsonObject;
  readonly context: RequestContext;
}

/** Makes the direct path of a runtime. */
export function createDirectPath(
  runtime: Runtime,
  { version, changes }: { readonly version: string; readonly changes?: Changes },
): AnswerDirectly {
  const { tools } = runtime.catalog;
  const plain = new Map(Object.entries(tools).filter(([, entry]) => isPlainTool(entry)));
  const isSound = createEnvelopeCheck();
  const identity = JSON.stringify({ [SERVER_INFO_META_KEY]: toServerInfo(runtime, version) });
  return (request) => {
    const call = readPlainCall(request, plain, isSound);
    return call === null ? null : { era: call.era, answer: answer(call) };
  };

  async function answer(call: PlainCall): Promise<string> {
    const result = await run(call);
    if (call.entry.source.mode === 'write') changes?.notifyResource(null);
    return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(call.id)}}`;
  }

  async function run({ entry, args, context, era }: PlainCall): Promise<string> {
    try {
      const outcome = await callEndpoint({ runtime, entry, args, context });
      return toResultText(entry, outcome, { era, identity });
    } catch (thrown) {
      const error = toSvcError(thrown);
      logFailure(runtime, { method: 'tools/call', entry, args, context }, error);
      const content = `[${toTextBlock(failureText(error, context.requestId))}]`;
      return toObjectText({ content, isError: 'true', ...stampOf(era, identity) });
    }
  }
}

/** Whether a tool asks nothing and returns a value. */
function isPlainTool({ ask, confirm, content, mimeType }: ToolEntry): boolean {
  return ask === undefined && confirm === undefined && content === undefined && mimeType === undefined;
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMS_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
const ENVELOPE_KEYS: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
]);
/** The protocol gives meanings to these keys of `_meta`, and to no others of this prefix. */
const RESERVED = 'io.modelcontextprotocol/';

function readPlainCall(
  { headers, body, caller }: DirectRequest,
  tools: ReadonlyMap<string, ToolEntry>,
  isSound: EnvelopeCheck,
): PlainCall | null {
  if (!isObject(body) || body.method !== 'tools/call' || !hasOnly(body, MESSAGE_KEYS)) return null;
  const { jsonrpc, id, params } = body;
  if (jsonrpc !== '2.0' || !isObject(params) || !hasOnly(params, PARAMS_KEYS)) return null;
  if (typeof id !== 'string' && !isInteger(id)) return null;
  const { name, arguments: args = {}, _meta: meta } = params;
  const entry = typeof name === 'string' ? tools.get(name) : undefined;
  if (entry === undefined || !isObject(args)) return null;
  const era = eraOf(headers, entry, meta);
  if (era === null || (era === 'modern' && !isSound(body, meta))) return null;
  return { id, era, entry, args, context: toRequestContext(caller, isObject(meta) ? meta : undefined) };
}

function isInteger(id: JsonValue | undefined): id is number {
  return Number.isSafeInteger(id);
}

function hasOnly(value: JsonObject, keys: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => keys.has(key));
}

/** The era of a call whose headers and `_meta` agree and ask for nothing besides the answer; null for any other call. */
function eraOf(headers: Pick<Headers, 'get'>, entry: ToolEntry, meta: JsonValue | undefined): Era | null {
  if (meta !== undefined && !isObject(meta)) return null;
  const reserved = meta === undefined ? [] : Object.keys(meta).filter((key) => key.startsWith(RESERVED));
  if (meta !== undefined && 'progressToken' in meta) return null;
  const version = headers.get('mcp-protocol-version');
  if (reserved.length === 0) return isPlainLegacy(headers, entry, version) ? 'legacy' : null;
  const modern =
    version !== null &&
    MODERN_VERSIONS.includes(version) &&
    meta?.[PROTOCOL_VERSION_META_KEY] === version &&
    reserved.every((key) => ENVELOPE_KEYS.has(key)) &&
    headers.get('mcp-method') === 'tools/call' &&
    headers.get('mcp-name') === entry.name;
  return modern ? 'modern' : null;
}

/** A function may send a legacy client log lines unasked, so its call is not plain. */
function isPlainLegacy(
  headers: Pick<Headers, 'get'>,
  { source }: ToolEntry,
  version: string | null,
): boolean {
  if (!LEGACY_VERSIONS.includes(version ?? LAST_BATCH_VERSION)) return false;
  return source.language === 'sql' && headers.get('mcp-session-id') === null;
}

/** Whether the envelope of a modern message satisfies the SDK. */
type EnvelopeCheck = (body: JsonObject, meta: JsonValue | undefined) => boolean;

/** Clients repeat their envelopes, so each is checked once. */
const MOST_ENVELOPES = 256;
const LONGEST_ENVELOPE = 2_000;

function createEnvelopeCheck(): EnvelopeCheck {
  const sound = new Set<string>();
  return (body, meta) => {
    if (!isObject(meta)) return false;
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

/** The era of a result, and the JSON that names this server in a modern one. */
interface Stamp {
  readonly era: Era;
  readonly identity: string;
}

/** Writes a result. The text of its content is the JSON of its value, so the value is written once. */
function toResultText(
  entry: ToolEntry,
  { value, text, truncated }: Outcome,
  { era, identity }: Stamp,
): string {
  const json = typeof value === 'string' ? JSON.stringify(value) : text;
  const wraps = era === 'legacy' && (isWrapped(entry, era) || !isObject(value));
  const structuredContent = wraps ? `{"result":${json}}` : json;
  if (truncated === null) {
    return toObjectText({ content: `[${toTextBlock(text)}]`, structuredContent, ...stampOf(era, identity) });
  }
  const content = `[${toTextBlock(text)},${toTextBlock(truncationText(truncated))}]`;
  const cut = `"${TRUNCATED_META_KEY}":${JSON.stringify(truncated)}`;
  const _meta = era === 'modern' ? `{${cut},${identity.slice(1)}` : `{${cut}}`;
  return toObjectText({
    _meta,
    content,
    structuredContent,
    ...(era === 'modern' ? { resultType: COMPLETE } : {}),
  });
}

const COMPLETE = '"complete"';

function stampOf(era: Era, identity: string): { readonly [key: string]: string } {
  return era === 'modern' ? { resultType: COMPLETE, _meta: identity } : {};
}

function toTextBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}

/** Writes an object whose values are JSON already. */
function toObjectText(members: { readonly [key: string]: string }): string {
  return `{${Object.entries(members)
    .map(([key, json]) => `"${key}":${json}`)
    .join(',')}}`;
}
