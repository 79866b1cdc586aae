import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { callEndpoint } from '../call/pipeline.ts';
import type { Outcome, Runtime } from '../call/runtime.ts';
import type { Catalog, ToolEntry } from '../catalog/model.ts';
import type { RequestContext } from '../context.ts';
import { toSvcError } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import { toServerInfo } from './capabilities.ts';
import type { Changes } from './changes.ts';
import { type Caller, toRequestContext } from './context.ts';
import { type Era, isWrapped } from './era.ts';
import { failureText, logFailure } from './errors.ts';
import { TRUNCATED_META_KEY, truncationText } from './methods/result.ts';
import { hasOnly, type PlainRequest, type PostedMessage, toResponseText } from './plain.ts';

/*
 * The direct path: one plain `tools/call` of either era, answered without the MCP SDK in the bytes that the SDK would send.
 * Such a call elicits nothing and returns a value. `test/unit/mcp/direct.test.ts` compares both ways.
 */

/** A plain request with its headers and its sender. */
export interface DirectRequest extends Pick<PostedMessage, 'headers'> {
  readonly request: PlainRequest;
  readonly caller: Caller;
}

/** Answers a plain call with a JSON-RPC response, whose status is `ANSWERED`; null for a call that the SDK answers. */
export type AnswerDirectly = (message: DirectRequest) => Promise<string> | null;

/** Makes the direct path of a runtime. */
export function createDirectPath(
  runtime: Runtime,
  { version, changes }: { readonly version: string; readonly changes?: Changes },
): AnswerDirectly {
  const { tools } = runtime.catalog;
  const plain = new Map(Object.entries(tools).filter(([, entry]) => isPlainTool(entry)));
  const signatures = { legacy: UNSIGNED, modern: signatureOf(runtime.catalog, version) };
  return ({ headers, request, caller }) => {
    const call = readCall(request, headers, plain);
    return call === null ? null : answer(request, call, toRequestContext(caller, request.meta));
  };

  async function answer(request: PlainRequest, call: Called, context: RequestContext): Promise<string> {
    const { era } = request;
    const { entry, args } = call;
    let result: string;
    let ran = false;
    const onRun = () => {
      ran = true;
    };
    try {
      const outcome = await callEndpoint({ runtime, entry, args, context, onRun });
      result = toResultText(entry, outcome, signatures[era]);
    } catch (thrown) {
      const error = toSvcError(thrown);
      logFailure(runtime, { method: 'tools/call', entry, args, context }, error);
      const text = toTextBlock(failureText(error, context.requestId));
      result = `{"content":[${text}],"isError":true${signatures[era].last}}`;
    }
    if (ran && entry.source.mode === 'write') changes?.notifyResource(null);
    return toResponseText(request, result);
  }
}

/** Whether a tool asks nothing and returns a value in its usual form. */
function isPlainTool({ ask, confirm, content, mimeType, format, largeResult, view }: ToolEntry): boolean {
  return [ask, confirm, content, mimeType, format, largeResult, view].every((key) => key === undefined);
}

interface Called {
  readonly entry: ToolEntry;
  readonly args: JsonObject;
}

const PARAMS_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

/** A function may send a legacy client log lines unasked, so the SDK answers its call. */
function readCall(
  { era, method, params }: PlainRequest,
  headers: PostedMessage['headers'],
  tools: ReadonlyMap<string, ToolEntry>,
): Called | null {
  if (method !== 'tools/call' || !hasOnly(params, PARAMS_KEYS)) return null;
  const { name, arguments: args = {} } = params;
  const entry = typeof name === 'string' ? tools.get(name) : undefined;
  if (entry === undefined || !isObject(args)) return null;
  const isPlain = era === 'modern' ? headers.get('mcp-name') === name : entry.source.language === 'sql';
  return isPlain ? { entry, args } : null;
}

/** The members that name this server in a modern result: its `_meta` without braces, and all of them at its end. */
interface Signature {
  readonly era: Era;
  readonly meta: string;
  readonly type: string;
  readonly last: string;
}

const UNSIGNED: Signature = { era: 'legacy', meta: '', type: '', last: '' };

function signatureOf(catalog: Catalog, version: string): Signature {
  const identity = JSON.stringify({ [SERVER_INFO_META_KEY]: toServerInfo(catalog, version) });
  const type = ',"resultType":"complete"';
  return { era: 'modern', meta: `,${identity.slice(1, -1)}`, type, last: `${type},"_meta":${identity}` };
}

/** Writes a result. The text of its content is the JSON of its value, so the value is written once. */
function toResultText(
  entry: ToolEntry,
  { value, text, truncated }: Outcome,
  { era, meta, type, last }: Signature,
): string {
  const json = typeof value === 'string' ? JSON.stringify(value) : text;
  const wraps = era === 'legacy' && (isWrapped(entry, era) || !isObject(value));
  const structured = wraps ? `{"result":${json}}` : json;
  if (truncated === null) {
    return `{"content":[${toTextBlock(text)}],"structuredContent":${structured}${last}}`;
  }
  const blocks = `${toTextBlock(text)},${toTextBlock(truncationText(truncated))}`;
  const cut = `"${TRUNCATED_META_KEY}":${JSON.stringify(truncated)}`;
  return `{"_meta":{${cut}${meta}},"content":[${blocks}],"structuredContent":${structured}${type}}`;
}

function toTextBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}
