import type { Server } from '@modelcontextprotocol/server';
import type { Runtime } from '../call/runtime.ts';
import { beginCall, CALL_PARAMS, readCalled } from './begin.ts';
import { answerCall } from './call.ts';
import { LIST_PARAMS } from './pages.ts';
import type { ServerParts } from './parts.ts';
import { createVisiblePages } from './scopes.ts';
import { toWireTool } from './wire.ts';

/** `tools/list` and `tools/call`. */
export function answerTools(server: Server, runtime: Runtime, parts: ServerParts): void {
  const { era, pageSize } = parts;
  const tools = new Map(Object.entries(runtime.catalog.tools));
  const pages = createVisiblePages(runtime.catalog, [...tools.values()].toSorted(byName), {
    toWire: (entry) => toWireTool(entry, era),
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
