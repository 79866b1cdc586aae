import type { Server } from '@modelcontextprotocol/server';
import { callEndpoint } from '../../call/pipeline.ts';
import type { Runtime } from '../../call/runtime.ts';
import type { ToolEntry } from '../../catalog/model.ts';
import { SEARCH_NAME, SEARCH_TOOLS, searchTools } from '../../catalog/tool-search.ts';
import { mayCall, type RequestContext } from '../../context.ts';
import type { Sealer } from '../../crypto/seal.ts';
import { toSvcError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { Caller, ServerDeps } from '../context.ts';
import { sealerOf } from '../elicitation/elicitation.ts';
import { type Era, toEraTool } from '../era.ts';
import { logFailure, toInputRequired, toProtocolError } from '../errors.ts';
import { calledIn, createVisiblePages } from '../scopes.ts';
import { clientShowsViews, hasViews, viewedScope, withView } from '../views/views.ts';
import { beginCall, CALL_PARAMS, readCalled } from './call-params.ts';
import { isLarge, sealResult } from './large-result.ts';
import { LIST_PARAMS } from './pagination.ts';
import { toCallResult, toErrorResult, toLargeResult, toViewedResult } from './result.ts';

/** `tools/list` and `tools/call`. */
export function answerTools(server: Server, runtime: Runtime, parts: ServerDeps): void {
  const { era, pageSize } = parts;
  const tools = new Map(Object.entries(runtime.catalog.tools));
  const entries = [...tools.values()].toSorted(byName);
  const pages = createVisiblePages(runtime.catalog, entries, {
    toWire: (entry) => toEraTool(entry, era),
    size: pageSize,
  });
  const views = hasViews(runtime.catalog);
  const viewed = createVisiblePages(runtime.catalog, entries, {
    toWire: (entry) => withView(entry, toEraTool(entry, era)),
    size: pageSize,
  });
  server.setRequestHandler('tools/list', { params: LIST_PARAMS }, ({ cursor }, ctx) => {
    if (runtime.catalog.search) return { tools: [...SEARCH_TOOLS] };
    const shows = views && clientShowsViews(parts, ctx);
    const { items, ...next } = (shows ? viewed : pages)(cursor, parts.callerOf(ctx));
    return { tools: items, ...next, ...(shows ? viewedScope(parts) : {}) };
  });
  server.setRequestHandler('tools/call', { params: CALL_PARAMS }, async (params, ctx) => {
    const { search } = runtime.catalog;
    if (search && params.name === SEARCH_NAME)
      return answerSearch(entries, params.arguments, parts.callerOf(ctx));
    const called = readCalled('tool', calledIn(runtime.catalog, 'tools/call', params as JsonObject), tools);
    const { entry, context } = await beginCall(runtime, parts, ctx, called);
    let ran = false;
    const result = await answerCall(runtime, entry, called.args, {
      context,
      era,
      sealer: () => sealerOf(parts),
      views: views && clientShowsViews(parts, ctx),
      onRun: () => {
        ran = true;
      },
    });
    // What a statement changes is not known to us: any resource may read otherwise now.
    if (ran && entry.source.mode === 'write') parts.changes?.notifyResource(null);
    return result;
  });
}

/** Finds tools among those that the caller may call. Like `tools/list`, it is no call of an endpoint. */
function answerSearch(entries: readonly ToolEntry[], args: unknown, { grant }: Caller) {
  const { query } = isObject(args) ? args : {};
  if (typeof query !== 'string') {
    return { content: [{ type: 'text' as const, text: '`query` must be a text.' }], isError: true };
  }
  const visible = entries.filter((entry) => mayCall(entry, grant?.scopes));
  return { content: [{ type: 'text' as const, text: JSON.stringify(searchTools(visible, query)) }] };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

interface Answering {
  readonly context: RequestContext;
  readonly era: Era;
  readonly sealer: () => Sealer;
  /** Whether the client shows views. */
  readonly views: boolean;
  /** Called if the tool's statement or function begins to run. */
  readonly onRun: () => void;
}

/** Answers one `tools/call`. Every failure inside the tool is a result with `isError`, never a protocol error. */
export async function answerCall(
  runtime: Runtime,
  entry: ToolEntry,
  args: JsonObject,
  { context, era, sealer, views, onRun }: Answering,
) {
  try {
    const outcome = await callEndpoint({ runtime, entry, args, context, onRun });
    const { largeResult: large } = entry;
    const isLinked = large !== undefined && isLarge(entry, outcome);
    const link = isLinked ? await sealResult(sealer(), { entry, large, args, user: context.user }) : null;
    if (views && entry.view !== undefined) return toViewedResult(entry, outcome, { era, link });
    return isLinked ? toLargeResult(entry, outcome, { era, link }) : toCallResult(entry, outcome, era);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code === 'input_required') return toInputRequired(error);
    const { requestId } = context;
    logFailure(runtime, { method: 'tools/call', entry, args, context }, error);
    if (error.code === 'capability_missing' && era === 'modern') throw toProtocolError(error, requestId);
    return toErrorResult(error, requestId);
  }
}
