import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Runtime } from '../call/runtime.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import {
  cacheHintsOf,
  capabilitiesOf,
  readsResources,
  shownCapabilities,
  toServerInfo,
} from './capabilities.ts';
import type { ServerDeps } from './context.ts';
import { answeredKinds } from './elicitation/questions.ts';
import { agreedVersion, LEGACY_VERSIONS, MODERN_VERSIONS } from './era.ts';
import { writeInstructions } from './instructions.ts';
import { problemOf } from './methods/call-params.ts';
import { answerCompletion } from './methods/completion.ts';
import { answerPrompts } from './methods/prompts.ts';
import { answerResources } from './methods/resources.ts';
import { answerSkills } from './methods/skills.ts';
import { answerSubscribe, answerSubscriptions } from './methods/subscriptions.ts';
import { answerTools } from './methods/tools.ts';
import { clientShowsViews, hasViews, showsViews, viewedScope } from './views/views.ts';

export type { ServeOptions, ServerDeps } from './context.ts';

const INITIALIZE_PARAMS = v.looseObject({
  protocolVersion: v.string(),
  capabilities: v.optional(v.custom<JsonObject>((value) => isObject(value as JsonValue))),
});

const LEVEL_PARAMS = v.object({
  level: v.picklist(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']),
});

/** Makes the SDK's protocol server with handlers fed from the catalog. It keeps no state of any client. */
export function createServer(runtime: Runtime, parts: ServerDeps): Server {
  const server = new EraServer(runtime, parts);
  const { tools, resources, prompts, completions, logging, extensions } = server.getCapabilities();
  if (parts.era === 'legacy') answerInitialize(server, runtime, parts);
  if (tools) answerTools(server, runtime, parts);
  if (resources) answerResources(server, runtime, parts);
  if (extensions) answerSkills(server, runtime, parts);
  if (prompts) answerPrompts(server, runtime, parts);
  if (completions) answerCompletion(server, runtime, parts);
  if (parts.era === 'modern') answerSubscriptions(server, runtime.catalog, parts);
  else if (logging) answerLevel(server, parts);
  if (resources && parts.era === 'legacy') answerSubscribe(server, runtime.catalog, parts);
  return server;
}

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

class EraServer extends Server {
  readonly #isShown: (ctx: ServerContext) => boolean;
  readonly #discover: (ctx: ServerContext) => Result;

  constructor(runtime: Runtime, parts: ServerDeps) {
    const { era, ...options } = parts;
    super(toServerInfo(runtime.catalog, options.version), {
      capabilities: capabilitiesOf(runtime.catalog, parts),
      cacheHints: cacheHintsOf(options),
      supportedProtocolVersions: [...(era === 'modern' ? MODERN_VERSIONS : LEGACY_VERSIONS)],
    });
    const reads = readsResources(runtime.catalog);
    this.#isShown = (ctx) => reads || clientShowsViews(parts, ctx);
    this.#discover = createDiscover(this, runtime, parts);
    // The era belongs to the instance; the SDK's own entries set it the same way, from inside.
    if (era === 'modern') this._negotiatedProtocolVersion = MODERN_VERSIONS[0] ?? '';
  }

  /** If only pages of views are resources, other clients than those with views know of no such methods. */
  #forViews(handler: Handler): Handler {
    return async (request, ctx) => {
      if (this.#isShown(ctx)) return handler(request, ctx);
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    };
  }

  /**
   * Puts our answer to `server/discover` in the place of the SDK's, whose entry for stdio registers its own last. Lets our
   * handler reject malformed calls, because it reports them to the observer and the SDK would not.
   */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const isDiscover = method === 'server/discover';
    const wrapped = super._wrapHandler(
      method,
      isDiscover ? async (_request, ctx) => this.#discover(ctx) : handler,
    );
    if (method.startsWith('resources/')) return this.#forViews(wrapped);
    if (method !== 'tools/call') return wrapped;
    return (request, ctx) => (problemOf(request.params ?? {}) === null ? wrapped : handler)(request, ctx);
  }
}

/** The instructions of the host program, or those that the catalog gives for this caller. */
function instructionsOf({ catalog }: Runtime, { instructions, callerOf }: ServerDeps, ctx: ServerContext) {
  const text = instructions ?? writeInstructions(catalog, callerOf(ctx).grant?.scopes);
  return text === null ? {} : { instructions: text };
}

/**
 * Answers `initialize` ourselves, because the SDK's handler would store one client's data on an instance that all
 * clients share.
 */
function answerInitialize(server: Server, runtime: Runtime, parts: ServerDeps): void {
  server.setRequestHandler('initialize', { params: INITIALIZE_PARAMS }, (params, ctx) => {
    const { protocolVersion: asked, capabilities } = params;
    const { session, showsViews: kept = session !== undefined } = parts.callerOf(ctx);
    const views = showsViews(capabilities);
    if (session !== undefined) {
      session.answers = answeredKinds(capabilities);
      session.showsViews = views;
    }
    return {
      protocolVersion: agreedVersion(asked, parts),
      capabilities: shownCapabilities(server.getCapabilities(), runtime.catalog, views && kept),
      serverInfo: toServerInfo(runtime.catalog, parts.version),
      ...instructionsOf(runtime, parts, ctx),
    };
  });
}

/** Answers `logging/setLevel`. The level is kept in the session; without a session it has no effect. */
function answerLevel(server: Server, { callerOf }: ServerDeps): void {
  server.setRequestHandler('logging/setLevel', { params: LEVEL_PARAMS }, ({ level }, ctx) => {
    const { session } = callerOf(ctx);
    if (session !== undefined) session.level = level;
    return {};
  });
}

/** Answers `server/discover` like the SDK and adds the artefact's content hash. */
function createDiscover(server: Server, runtime: Runtime, parts: ServerDeps): (ctx: ServerContext) => Result {
  const differs = hasViews(runtime.catalog) && !readsResources(runtime.catalog);
  return (ctx) => {
    const views = clientShowsViews(parts, ctx);
    return {
      supportedVersions: [...MODERN_VERSIONS],
      capabilities: shownCapabilities(server.getCapabilities(), runtime.catalog, views),
      ...instructionsOf(runtime, parts, ctx),
      _meta: { 'svc-kit/hash': runtime.catalog.hash },
      ...(differs && views ? viewedScope(parts) : {}),
    };
  };
}
