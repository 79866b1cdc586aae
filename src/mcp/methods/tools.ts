import type { Server } from '@modelcontextprotocol/server';
import { callEndpoint } from '../../call/pipeline.ts';
import type { Runtime } from '../../call/runtime.ts';
import type { ToolEntry } from '../../catalog/model.ts';
import type { RequestContext } from '../../context.ts';
import { toSvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import type { ServerDeps } from '../context.ts';
import type { Era } from '../era.ts';
import { logFailure, toInputRequired, toProtocolError } from '../errors.ts';
import { createVisiblePages } from '../scopes.ts';
import { toEraTool } from '../wire-tool.ts';
import { beginCall, CALL_PARAMS, readCalled } from './call-params.ts';
import { LIST_PARAMS } from './pagination.ts';
import { toCallResult, toErrorResult } from './result.ts';

/** `tools/list` and `tools/call`. */
export function answerTools(server: Server, runtime: Runtime, parts: ServerDeps): void {
  const { era, pageSize } = parts;
  const tools = new Map(Object.entries(runtime.catalog.tools));
  const pages = createVisiblePages(runtime.catalog, [...tools.values()].toSorted(byName), {
    toWire: (entry) => toEraTool(entry, era),
    size: pageSize,
  });
  server.setRequestHandler('tools/list', { params: LIST_PARAMS }, ({ cursor }, ctx) => {
    const { items, ...next } = pages(cursor, parts.callerOf(ctx));
    return { tools: items, ...next };
  });
  server.setRequestHandler('tools/call', { params: CALL_PARAMS }, async (params, ctx) => {
    const called = readCalled('tool', params, tools);
    const { entry, context } = await beginCall(runtime, parts, ctx, called);
    const result = await answerCall(runtime, entry, called.args, { context, era });
    // What a statement changes is not known to us: any resource may read otherwise now.
    if (entry.source.mode === 'write') parts.changes?.notifyResource(null);
    return result;
  });
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** Answers one `tools/call`. Every failure inside the tool is a result with `isError`, never a protocol error. */
export async function answerCall(
  runtime: Runtime,
  entry: ToolEntry,
  args: JsonObject,
  { context, era }: { context: RequestContext; era: Era },
) {
  try {
    return toCallResult(entry, await callEndpoint({ runtime, entry, args, context }), era);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code === 'input_required') return toInputRequired(error);
    const { requestId } = context;
    logFailure(runtime, { method: 'tools/call', entry, args, context }, error);
    if (error.code === 'capability_missing' && era === 'modern') throw toProtocolError(error, requestId);
    return toErrorResult(error, requestId);
  }
}
