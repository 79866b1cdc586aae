import { type Server, type ServerContext, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { mayCall } from '../../call/pipeline.ts';
import { findResource } from '../../catalog/find.ts';
import type { Catalog } from '../../catalog/model.ts';
import { busyError } from '../../errors.ts';
import { type Changes, toNotifications } from '../changes.ts';
import type { ServerDeps } from '../context.ts';
import { toProtocolError } from '../errors.ts';
import { invalidParams } from './pagination.ts';

/** The most resources that one client may watch, which bounds the memory. */
const MOST_WATCHED = 1_000;
const MOST_LISTENING = 1_000;

/** The longest URI that a client may watch. A placeholder takes any text, and watched URIs stay in memory. */
const LONGEST_URI = 2_048;
const WATCHED_URI = v.pipe(v.string(), v.maxLength(LONGEST_URI));

const URI_PARAMS = v.looseObject({ uri: WATCHED_URI });

/**
 * `resources/subscribe` and `resources/unsubscribe` of the legacy era: kept for the session. Without one there is
 * nothing to keep, nor anything to tell: who serves without sessions knows of no change, and advertises none.
 */
export function answerSubscribe(server: Server, catalog: Catalog, { callerOf }: ServerDeps): void {
  server.setRequestHandler('resources/subscribe', { params: URI_PARAMS }, ({ uri }, ctx) => {
    const { grant, session } = callerOf(ctx);
    const entry = findResource(catalog, uri)?.entry;
    if (entry === undefined || !mayCall(entry, grant?.scopes)) {
      throw invalidParams(`Unknown resource: ${uri.slice(0, 128)}`, { uri });
    }
    const watched = session?.subscriptions;
    if ((watched?.size ?? 0) >= MOST_WATCHED) {
      throw invalidParams(`A client watches ${MOST_WATCHED} resources at most.`);
    }
    watched?.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', { params: URI_PARAMS }, ({ uri }, ctx) => {
    callerOf(ctx).session?.subscriptions.delete(uri);
    return {};
  });
}

const FILTER = v.looseObject({
  toolsListChanged: v.optional(v.boolean()),
  promptsListChanged: v.optional(v.boolean()),
  resourcesListChanged: v.optional(v.boolean()),
  resourceSubscriptions: v.optional(v.pipe(v.array(WATCHED_URI), v.maxLength(MOST_WATCHED))),
});
const LISTEN_PARAMS = v.looseObject({ notifications: FILTER });

type Filter = v.InferOutput<typeof FILTER>;

const open = new WeakMap<Changes, number>();

/**
 * Answers `subscriptions/listen` (2026-07-28) with a stream that lasts until its client leaves. It ends at once if
 * no change can come.
 */
export function answerSubscriptions(server: Server, parts: ServerDeps): void {
  server.setRequestHandler('subscriptions/listen', { params: LISTEN_PARAMS }, async (params, ctx) => {
    const honored = honoredOf(params.notifications, server);
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

async function listen(
  ctx: ServerContext,
  { parts, changes, honored, acknowledge }: Listening,
): Promise<void> {
  const { signal, requestId } = parts.callerOf(ctx);
  const count = open.get(changes) ?? 0;
  if (count >= MOST_LISTENING) {
    throw toProtocolError(busyError('Too many clients listen'), requestId);
  }
  open.set(changes, count + 1);
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: parts.idOf(ctx) };
  await acknowledge();
  const unlisten = changes.listen((change) => {
    const kind = `${change.kind}ListChanged`;
    if (change.kind !== 'resource' && honored[kind] !== true) return;
    for (const { method, params } of toNotifications(change, honored.resourceSubscriptions ?? [])) {
      void ctx.mcpReq.notify({ method, params: { ...params, _meta } }).catch(() => {});
    }
  });
  await aborted(AbortSignal.any([signal, changes.ended]));
  unlisten();
  open.set(changes, (open.get(changes) ?? 1) - 1);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The requested notifications that this server can send. */
function honoredOf(asked: Filter, server: Server): Filter {
  const { tools, prompts, resources } = server.getCapabilities();
  const uris = asked.resourceSubscriptions ?? [];
  return {
    ...(asked.toolsListChanged && tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(asked.promptsListChanged && prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(asked.resourcesListChanged && resources?.listChanged ? { resourcesListChanged: true } : {}),
    ...(uris.length > 0 && resources?.subscribe ? { resourceSubscriptions: uris } : {}),
  };
}
