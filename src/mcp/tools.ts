import type { Server } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Runtime } from '../endpoint/runtime.ts';
import { noteUnknown } from '../endpoint/unknown.ts';
import { SvcError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { askingOf } from './asking.ts';
import { answerCall } from './call.ts';
import { invalidParams, LIST_PARAMS } from './pages.ts';
import type { ServerParts } from './parts.ts';
import { createVisiblePages } from './scopes.ts';
import { contextOf } from './told.ts';
import { isObject, toWireTool } from './wire.ts';

const CALL_PARAMS = v.looseObject({
  name: v.string(),
  arguments: v.optional(v.custom<JsonObject>((value) => isObject(value as JsonValue), 'Expected an object')),
});

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
    const entry = tools.get(params.name);
    const args = params.arguments ?? {};
    const context = contextOf(parts, ctx, await askingOf(parts, ctx, entry, args));
    if (entry !== undefined) {
      const result = await answerCall(runtime, entry, args, { context, era });
      // What a statement changes is not known to us: any resource may read otherwise now.
      if (entry.source.mode === 'write') parts.changes?.notifyResource(null);
      return result;
    }
    const error = new SvcError('endpoint_unknown', `Unknown tool: ${params.name.slice(0, 128)}`);
    noteUnknown(runtime, { kind: 'tool', name: params.name, args, context, error });
    throw invalidParams(error.message);
  });
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
