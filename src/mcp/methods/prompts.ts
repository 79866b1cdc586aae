import type { PromptMessage, Server } from '@modelcontextprotocol/server';
import { toMedia } from '../../call/content-blocks.ts';
import { callEndpoint } from '../../call/pipeline.ts';
import type { ResolvedMessage } from '../../call/prompt.ts';
import type { Runtime } from '../../call/runtime.ts';
import type { PromptEntry } from '../../catalog/model.ts';
import type { RequestContext } from '../../context.ts';
import { toSvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { ServerDeps } from '../context.ts';
import { logFailure, toInputRequired, toProtocolError } from '../errors.ts';
import { createVisiblePages } from '../scopes.ts';
import { beginCall, CALL_PARAMS, readCalled } from './call-params.ts';
import { LIST_PARAMS } from './pagination.ts';
import { toContents, truncationText } from './result.ts';

/** `prompts/list` and `prompts/get`. */
export function answerPrompts(server: Server, runtime: Runtime, parts: ServerDeps): void {
  const prompts = new Map(Object.entries(runtime.catalog.prompts));
  const entries = [...prompts.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const pages = createVisiblePages(runtime.catalog, entries, {
    toWire: ({ wire }) => wire,
    size: parts.pageSize,
  });
  server.setRequestHandler('prompts/list', { params: LIST_PARAMS }, ({ cursor }, ctx) => {
    const { items, ...next } = pages(cursor, parts.callerOf(ctx));
    return { prompts: items, ...next };
  });
  server.setRequestHandler('prompts/get', { params: CALL_PARAMS }, async (params, ctx) => {
    const called = readCalled('prompt', params, prompts);
    const { entry, context } = await beginCall(runtime, parts, ctx, called);
    return answerGet(runtime, entry, called.args, context);
  });
}

async function answerGet(runtime: Runtime, entry: PromptEntry, args: JsonObject, context: RequestContext) {
  try {
    const { messages } = await callEndpoint({ runtime, entry, args, context });
    const { description } = entry.wire;
    return {
      ...(typeof description === 'string' ? { description } : {}),
      messages: messages.flatMap(toMessages),
    };
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code === 'input_required') return toInputRequired(error);
    const { requestId } = context;
    logFailure(runtime, { method: 'prompts/get', entry, args, context }, error);
    throw toProtocolError(error, requestId);
  }
}

/** Turns a rendered message into MCP's form; a cut resource adds a second message that says so. */
function toMessages({ role, content }: ResolvedMessage): PromptMessage[] {
  if (content.type === 'text') return [{ role, content }];
  if (content.type === 'resource_link') return [{ role, content: { ...content, name: content.uri } }];
  const { truncated, binary, value } = content.outcome;
  // Clients show a picture to the model; bytes of a resource they often leave aside.
  const media = binary ? toMedia(content.mimeType, String(value)) : null;
  if (media !== null) return [{ role, content: media }];
  const message: PromptMessage = { role, content: { type: 'resource', resource: toContents(content) } };
  if (truncated === null) return [message];
  return [message, { role, content: { type: 'text', text: truncationText(truncated) } }];
}
