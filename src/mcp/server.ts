import {
  type CacheHint,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Runtime } from '../endpoint/runtime.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { answerCall } from './call.ts';
import { type Caller, toRequestContext } from './caller.ts';
import { type Era, LEGACY_VERSIONS, MODERN_VERSIONS } from './era.ts';
import { isObject, type Page, toPages } from './wire.ts';

/** How a project is served, whatever the transport. */
export interface ServeOptions {
  readonly version: string;
  readonly instructions?: string;
  /** Tools on one page of `tools/list`. */
  readonly pageSize?: number;
  /** Whether the lists depend on who asks; then no shared cache may keep them. */
  readonly private?: boolean;
}

/** What one server needs beside the runtime. */
export interface ServerParts extends ServeOptions {
  readonly era: Era;
  readonly callerOf: (context: ServerContext) => Caller;
}

const LIST_TTL_MS = 60_000;
const PAGE_SIZE = 200;

const INITIALIZE_PARAMS = v.looseObject({ protocolVersion: v.string() });
const LIST_PARAMS = v.looseObject({ cursor: v.optional(v.string()) });
const CALL_PARAMS = v.looseObject({
  name: v.string(),
  arguments: v.optional(v.custom<JsonObject>((value) => isObject(value as JsonValue), 'Expected an object')),
});

/** The SDK's protocol engine with its handlers fed from the catalog; holds nothing about any client. */
export function createServer(runtime: Runtime, parts: ServerParts): Server {
  const server = new EraServer(runtime, parts);
  if (parts.era === 'legacy') answerInitialize(server, runtime, parts);
  else answerDiscover(server, runtime, parts);
  answerTools(server, runtime, parts);
  return server;
}

class EraServer extends Server {
  constructor(runtime: Runtime, { era, ...options }: ServerParts) {
    super(toServerInfo(runtime, options.version), toServerOptions(options, era));
    // The era belongs to the instance; the SDK's own entries set it the same way, from inside.
    if (era === 'modern') this._negotiatedProtocolVersion = MODERN_VERSIONS[0] ?? '';
  }
}

function toServerInfo({ catalog }: Runtime, version: string) {
  return { name: catalog.project, title: catalog.project, version };
}

function toServerOptions({ instructions, private: isPrivate }: ServeOptions, era: Era) {
  const hint: CacheHint = { ttlMs: LIST_TTL_MS, cacheScope: isPrivate ? 'private' : 'public' };
  return {
    capabilities: { tools: {} },
    cacheHints: { 'tools/list': hint, 'server/discover': hint },
    supportedProtocolVersions: [...(era === 'modern' ? MODERN_VERSIONS : LEGACY_VERSIONS)],
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** Answered by us because the SDK's handler would remember the client on an instance that all clients share. */
function answerInitialize(server: Server, runtime: Runtime, options: ServeOptions): void {
  server.setRequestHandler('initialize', { params: INITIALIZE_PARAMS }, ({ protocolVersion: asked }) => ({
    protocolVersion: LEGACY_VERSIONS.includes(asked) ? asked : (LEGACY_VERSIONS[0] ?? asked),
    capabilities: server.getCapabilities(),
    serverInfo: toServerInfo(runtime, options.version),
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
  }));
}

/** Adds the artefact's content hash to what the SDK would answer. */
function answerDiscover(server: Server, { catalog }: Runtime, options: ServeOptions): void {
  server.setRequestHandler('server/discover', { params: v.looseObject({}) }, () => ({
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: server.getCapabilities(),
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    _meta: { 'svc-kit/hash': catalog.hash },
  }));
}

function answerTools(server: Server, runtime: Runtime, { era, callerOf, ...options }: ServerParts): void {
  const tools = new Map(Object.entries(runtime.catalog.tools));
  let pages: ReadonlyMap<string, Page> | undefined;
  server.setRequestHandler('tools/list', { params: LIST_PARAMS }, ({ cursor }) => {
    pages ??= toPages(runtime.catalog, era, options.pageSize ?? PAGE_SIZE);
    const page = pages.get(cursor ?? '');
    if (page === undefined || cursor === '')
      throw invalid('The cursor is not one that this server gave out.');
    return { ...page };
  });
  server.setRequestHandler('tools/call', { params: CALL_PARAMS }, (params, ctx) => {
    const entry = tools.get(params.name);
    if (entry === undefined) throw invalid(`Unknown tool: ${params.name.slice(0, 128)}`);
    const context = toRequestContext(callerOf(ctx), ctx.mcpReq._meta);
    return answerCall(runtime, entry, params.arguments ?? {}, { context, era });
  });
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
