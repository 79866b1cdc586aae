import { type Server, type ServerContext, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { findResource } from '../../catalog/find.ts';
import type { Catalog } from '../../catalog/model.ts';
import { mayCall } from '../../context.ts';
import { busyError } from '../../errors.ts';
import { type Changes, toNotifications } from '../changes.ts';
import type { Caller, ServerDeps } from '../context.ts';
import { toProtocolError } from '../errors.ts';
import { subjectOf } from '../sessions/sessions.ts';
import { invalidParams } from './pagination.ts';

/** The most resources that one client may watch, which bounds the memory. */
const MOST_WATCHED = 1_000;
/** The most resources that all clients watch, and those of one user. Each is a URI and a notification in memory. */
const MOST_WATCHED_BY_ALL = 50_000;
const MOST_WATCHED_BY_USER = 5_000;

/** The most streams of all clients, and of one user, so that no user takes those of the others. */
const MOST_LISTENING = 1_000;
const MOST_LISTENING_OF_USER = 100;

/** The longest URI that a client may watch. A placeholder takes any text, and watched URIs stay in memory. */
const LONGEST_URI = 2_048;
const WATCHED_URI = v.pipe(v.string(), v.maxLength(LONGEST_URI));

const URI_PARAMS = v.looseObject({ uri: WATCHED_URI });

/**
 * `resources/subscribe` and `resources/unsubscribe` of the legacy era: kept for the session. Without sessions, and
 * over HTTP+SSE, the server announces no change: it advertises no subscriptions and keeps none.
 */
export function answerSubscribe(server: Server, catalog: Catalog, { callerOf, changes }: ServerDeps): void {
  server.setRequestHandler('resources/subscribe', { params: URI_PARAMS }, ({ uri }, ctx) => {
    const caller = callerOf(ctx);
    const { grant, session } = caller;
    if (!mayWatch(catalog, uri, grant)) {
      throw invalidParams(`Unknown resource: ${uri.slice(0, 128)}`, { uri });
    }
    const watched = session?.subscriptions;
    if (watched === undefined || changes === undefined || watched.has(uri)) return {};
    if (watched.size >= MOST_WATCHED) {
      throw invalidParams(`A client watches ${MOST_WATCHED} resources at most.`);
    }
    enforceWatchable(changes, 1, caller);
    watched.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', { params: URI_PARAMS }, ({ uri }, ctx) => {
    callerOf(ctx).session?.subscriptions.delete(uri);
    return {};
  });
}

/** Whether a URI belongs to a resource that the caller may read. */
function mayWatch(catalog: Catalog, uri: string, grant: Caller['grant']): boolean {
  const entry = findResource(catalog, uri)?.entry;
  return entry !== undefined && mayCall(entry, grant?.scopes);
}

/** Throws busy if the caller, or all clients together, would watch too many resources. */
function enforceWatchable(changes: Changes, uris: number, { user, requestId }: Caller): void {
  const owner = subjectOf(user);
  const exceeds = (most: number, of?: string) => changes.watchedBy(of) + uris > most;
  if (exceeds(MOST_WATCHED_BY_ALL) || (owner !== null && exceeds(MOST_WATCHED_BY_USER, owner))) {
    throw toProtocolError(busyError('Clients watch too many resources'), requestId);
  }
}

const FILTER = v.looseObject({
  toolsListChanged: v.optional(v.boolean()),
  promptsListChanged: v.optional(v.boolean()),
  resourcesListChanged: v.optional(v.boolean()),
  resourceSubscriptions: v.optional(v.pipe(v.array(WATCHED_URI), v.maxLength(MOST_WATCHED))),
});
// One wrong URI is enough: the SDK's answer would repeat a sentence for each.
const LISTEN_PARAMS = v.config(v.looseObject({ notifications: FILTER }), { abortEarly: true });

type Filter = v.InferOutput<typeof FILTER>;

/** The owners of the streams that are open; null for anonymous callers, who cannot be told apart. */
const open = new WeakMap<Changes, (string | null)[]>();

/**
 * Answers `subscriptions/listen` (2026-07-28) with a stream that lasts until its client leaves or its token ends. It ends at
 * once if no change can come.
 */
export function answerSubscriptions(server: Server, catalog: Catalog, parts: ServerDeps): void {
  server.setRequestHandler('subscriptions/listen', { params: LISTEN_PARAMS }, async (params, ctx) => {
    const { grant } = parts.callerOf(ctx);
    const honored = honoredOf(params.notifications, server, (uri) => mayWatch(catalog, uri, grant));
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: parts.idOf(ctx) };
    const acknowledge = () =>
      ctx.mcpReq.notify({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: honored, _meta },
      });
    const { changes } = parts;
    if (changes === undefined || Object.keys(honored).length === 0) await acknowledge();
    else await listen(ctx, { parts, changes, honored, acknowledge });
    return { _meta };
  });
}

interface Listening {
  readonly parts: ServerDeps;
  readonly changes: Changes;
  readonly honored: Filter;
  readonly acknowledge: () => Promise<void>;
}

/** Sends the requested notifications until the stream ends. */
async function listen(
  ctx: ServerContext,
  { parts, changes, honored, acknowledge }: Listening,
): Promise<void> {
  const caller = parts.callerOf(ctx);
  const owners = open.get(changes) ?? [];
  const owner = subjectOf(caller.user);
  const own = owner === null ? 0 : owners.filter((one) => one === owner).length;
  if (owners.length >= MOST_LISTENING || own >= MOST_LISTENING_OF_USER) {
    throw toProtocolError(busyError('Too many clients listen'), caller.requestId);
  }
  const watched = honored.resourceSubscriptions ?? [];
  enforceWatchable(changes, watched.length, caller);
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: parts.idOf(ctx) };
  const tokenEnd = caller.tokenEnd?.();
  const ended = AbortSignal.any([caller.signal, changes.ended, ...(tokenEnd ? [tokenEnd.signal] : [])]);
  let acknowledged = false;
  open.set(changes, owners);
  owners.push(owner);
  const unlisten = changes.listen({
    *tell(change) {
      if (!acknowledged) return;
      if (change.kind !== 'resource' && honored[`${change.kind}ListChanged`] !== true) return;
      for (const { method, params } of toNotifications(change, watched)) {
        if (ended.aborted) return;
        void ctx.mcpReq.notify({ method, params: { ...params, _meta } }).catch(() => {});
        yield;
      }
    },
    watchedBy: (of) => (of === undefined || of === owner ? watched.length : 0),
  });
  try {
    await acknowledge();
    acknowledged = true;
    await aborted(ended);
  } finally {
    tokenEnd?.stop();
    unlisten();
    owners.splice(owners.indexOf(owner), 1);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The requested notifications that this server can send, about resources that the caller may read. */
function honoredOf(asked: Filter, server: Server, isVisible: (uri: string) => boolean): Filter {
  const { tools, prompts, resources } = server.getCapabilities();
  const uris = [...new Set(asked.resourceSubscriptions)].filter(isVisible);
  return {
    ...(asked.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(asked.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(asked.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 && resources?.subscribe ? { resourceSubscriptions: uris } : {}),
  };
}
