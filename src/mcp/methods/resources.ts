import type { ProtocolError, Server, ServerContext } from '@modelcontextprotocol/server';
import { recordUnknown } from '../../call/call-record.ts';
import { callEndpoint } from '../../call/pipeline.ts';
import type { Outcome, Runtime, Truncation } from '../../call/runtime.ts';
import { findResource } from '../../catalog/find.ts';
import type { Catalog, ResourceEntry } from '../../catalog/model.ts';
import { isSkillFile } from '../../catalog/skill.ts';
import { mayCall, type RequestContext } from '../../context.ts';
import { SvcError, toSvcError } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { contextOf, type ServerDeps } from '../context.ts';
import { sealerOf } from '../elicitation/elicitation.ts';
import { logFailure, toInputRequired, toProtocolError } from '../errors.ts';
import { createVisiblePages } from '../scopes.ts';
import { clientShowsViews, findViewed, toViewContents } from '../views/views.ts';
import { beginCall, CALL_PARAMS, type Called } from './call-params.ts';
import { isResultUri, openResult, SCHEME, toFileContents } from './large-result.ts';
import { invalidParams, LIST_PARAMS } from './pagination.ts';
import { TRUNCATED_META_KEY, toContents, truncationText } from './result.ts';

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function answerResources(server: Server, runtime: Runtime, parts: ServerDeps): void {
  const { catalog } = runtime;
  const pagesOf = (templates: boolean) => {
    const entries = Object.values(catalog.resources)
      .filter(({ template }) => template.variables.length > 0 === templates)
      .filter((entry) => entry.skill !== undefined || !isSkillFile(entry))
      .toSorted((one, other) => (one.uri < other.uri ? -1 : 1));
    return createVisiblePages(catalog, entries, { toWire: ({ wire }) => wire, size: parts.pageSize });
  };
  const plain = pagesOf(false);
  const templates = pagesOf(true);
  server.setRequestHandler('resources/list', { params: LIST_PARAMS }, ({ cursor }, ctx) => {
    const { items, ...next } = plain(cursor, parts.callerOf(ctx));
    return { resources: items, ...next };
  });
  server.setRequestHandler('resources/templates/list', { params: LIST_PARAMS }, ({ cursor }, ctx) => {
    const { items, ...next } = templates(cursor, parts.callerOf(ctx));
    return { resourceTemplates: items, ...next };
  });
  server.setRequestHandler('resources/read', { params: CALL_PARAMS }, async (params, ctx) => {
    if (typeof params.uri === 'string' && isResultUri(params.uri)) {
      return answerResult(runtime, parts, ctx, params.uri);
    }
    const viewed = typeof params.uri === 'string' ? findViewed(catalog, params.uri) : null;
    if (
      viewed !== null &&
      clientShowsViews(parts, ctx) &&
      mayCall(viewed, parts.callerOf(ctx).grant?.scopes)
    ) {
      return { contents: [toViewContents(viewed, String(params.uri))] };
    }
    const called = readUri(catalog, params);
    const { entry, context } = await beginCall(runtime, parts, ctx, called);
    return answerRead(runtime, { uri: called.name, entry, values: called.args, context });
  });
}

function readUri(catalog: Catalog, { uri }: { readonly [key: string]: unknown }): Called<ResourceEntry> {
  const problem = typeof uri === 'string' ? null : '`uri` must be a text.';
  const name = typeof uri === 'string' ? uri : '';
  const { entry, values: args = {} } = findResource(catalog, name) ?? {};
  return { kind: 'resource', name, entry, args, problem };
}

/** Reads a link to a whole result as a new call of its tool, which meets the policies of now. */
async function answerResult(runtime: Runtime, parts: ServerDeps, ctx: ServerContext, uri: string) {
  const { user } = parts.callerOf(ctx);
  const opened = await openResult(runtime, sealerOf(parts), { uri, user });
  const called = {
    kind: 'tool',
    name: opened?.entry.name ?? uri,
    args: opened?.args ?? {},
    problem: null,
  } as const;
  if (opened === null) {
    const error = new SvcError(
      'not_found',
      'The link is too old, or it belongs to another caller. Call the tool again.',
    );
    const context = contextOf(parts, ctx);
    recordUnknown(runtime, { kind: 'resource', name: SCHEME, args: {}, context, error });
    throw notFound(error.message, uri);
  }
  const { entry, context } = await beginCall(runtime, parts, ctx, { ...called, entry: opened.entry });
  try {
    const outcome = await callEndpoint({ runtime, entry: opened.entry, args: opened.args, context });
    return toReadContents(uri, toFileContents(uri, opened.large, outcome), outcome.truncated);
  } catch (thrown) {
    const error = toSvcError(thrown);
    logFailure(runtime, { method: 'resources/read', entry, args: opened.args, context }, error);
    throw toProtocolError(error, context.requestId);
  }
}

interface Reading {
  readonly uri: string;
  readonly entry: ResourceEntry;
  readonly values: JsonObject;
  readonly context: RequestContext;
}

async function answerRead(runtime: Runtime, { uri, entry, values, context }: Reading) {
  try {
    return toReadResult(uri, entry.mimeType, await callEndpoint({ runtime, entry, args: values, context }));
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (error.code === 'input_required') return toInputRequired(error);
    const { requestId } = context;
    logFailure(runtime, { method: 'resources/read', entry, args: values, context }, error);
    if (error.code === 'not_found') throw notFound(error.message, uri);
    throw toProtocolError(error, requestId);
  }
}

function toReadResult(uri: string, mimeType: string, outcome: Outcome) {
  return toReadContents(uri, toContents({ uri, mimeType, outcome }), outcome.truncated);
}

function toReadContents(uri: string, contents: ReturnType<typeof toContents>, truncated: Truncation | null) {
  if (truncated === null) return { contents: [contents] };
  const note = { uri, mimeType: 'text/plain', text: truncationText(truncated) };
  return { contents: [contents, note], _meta: { [TRUNCATED_META_KEY]: { ...truncated } } };
}

/** In both eras: clients of the older one are to accept it beside their own -32002. */
function notFound(message: string, uri: string): ProtocolError {
  return invalidParams(message, { uri });
}
