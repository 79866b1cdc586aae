import { LOG_LEVEL_META_KEY, type RequestId, type ServerContext } from '@modelcontextprotocol/server';
import type { Elicitation, NotificationLevel, RequestContext } from '../context.ts';
import type { Sealer } from '../crypto/seal.ts';
import type { SvcError } from '../errors.ts';
import type { Changes } from './changes.ts';
import type { Era } from './era.ts';
import type { McpSession } from './sessions/session.ts';

/** MCP's levels, least severe first; ours have the same names. */
const LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** The least level of authors' log lines that a legacy client gets as long as it sets no level. */
const UNASKED = LEVELS.indexOf('info');

/** Makes the context of the request that a handler is answering, with the notifications that its client asked for. */
export function contextOf(
  { era, callerOf }: ServerDeps,
  ctx: ServerContext,
  elicitation?: Elicitation,
): RequestContext {
  const caller = callerOf(ctx);
  const meta = ctx.mcpReq._meta;
  const envelope: Record<string, unknown> = ctx.mcpReq.envelope ?? {};
  const level = era === 'legacy' ? caller.session?.level : envelope[LOG_LEVEL_META_KEY];
  const notifications = notificationsOf(ctx, { token: meta?.progressToken, level, era, caller });
  return toRequestContext(
    caller,
    meta,
    elicitation === undefined ? notifications : { ...notifications, elicitation },
  );
}

type Progress = NonNullable<Notifications['progress']>;
type Notify = NonNullable<Notifications['notify']>;

interface NotificationRequest {
  readonly token: string | number | undefined;
  readonly level: unknown;
  readonly era: Era;
  readonly caller: Caller;
}

function notificationsOf(
  ctx: ServerContext,
  { token, level, era, caller }: NotificationRequest,
): Notifications {
  const least = typeof level === 'string' ? LEVELS.indexOf(level) : -1;
  const progress = token === undefined ? {} : { progress: progressTo(ctx, token) };
  if (least !== -1) return { ...progress, notify: linesTo(ctx, least, caller) };
  return era === 'modern' ? progress : { ...progress, notifyUnasked: linesTo(ctx, UNASKED, caller) };
}

/** Each number must be greater than the one before (MCP, "Progress"). */
function progressTo({ mcpReq }: ServerContext, progressToken: string | number): Progress {
  let last = 0;
  return (progress, total, message) => {
    if (progress <= last) return;
    last = progress;
    const params = { progressToken, progress, total, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(ignore);
  };
}

function linesTo({ mcpReq }: ServerContext, least: number, { requestId, streams }: Caller): Notify {
  return (level: NotificationLevel, text) => {
    if (streams !== true || LEVELS.indexOf(level) < least) return false;
    const params = { level, logger: 'call', data: { message: text, request_id: requestId } };
    mcpReq.notify({ method: 'notifications/message', params }).catch(ignore);
    return true;
  };
}

/** A client that cannot be notified loses a line, not its call. */
function ignore(): void {}

/** The functions that reach the client while its call runs. */
export type Notifications = Pick<RequestContext, 'progress' | 'notify' | 'notifyUnasked' | 'elicitation'>;

/** The scopes of a token, and the error for a call that needs others. */
export interface Grant {
  readonly scopes: readonly string[];
  readonly refuse: (needed: readonly string[]) => SvcError;
}

/** The sender of a message. The transport makes one for each request. */
export interface Caller {
  readonly requestId: string;
  readonly transport: RequestContext['transport'];
  readonly user: RequestContext['user'];
  /** Called only when something asks for a header: most calls never do. */
  readonly headers: RequestContext['headers'];
  readonly sessionId: string | null;
  /** The scopes of the caller's token; absent if sign-in is off. */
  readonly grant?: Grant;
  /** The `traceparent` header of the HTTP request. A message's own `_meta.traceparent` wins over it. */
  readonly traceparent: string | null;
  readonly signal: AbortSignal;
  /** Whether the client reads messages before the response. Absent: it reads the response alone. */
  readonly streams?: boolean;
  /** Counts another message of the same request; throws rate_limited. Absent without a rate limit. */
  readonly countAnother?: () => void;
  /** Aborts when the caller's API key is removed or changed; its streams then end. */
  readonly revoked?: AbortSignal;
  /** Makes a signal that aborts when the caller's token ends; `stop` ends its timer. Absent for a token without an end. */
  readonly tokenEnd?: () => { readonly signal: AbortSignal; stop(): void };
  /** The session of a legacy client; absent if the server is stateless. */
  readonly session?: McpSession;
  /** Gives back the room of a large request, when it is answered; absent for a small one. */
  readonly leave?: () => void;
  /** Whether a legacy client without a session says that it shows views. */
  readonly showsViews?: boolean;
}

/** The context of one message (SEP-414: the trace travels in `_meta`). */
export function toRequestContext(
  caller: Caller,
  meta: Record<string, unknown> | undefined,
  notifications: Notifications = {},
): RequestContext {
  const traceparent = meta?.traceparent;
  return Object.freeze({
    requestId: caller.requestId,
    transport: caller.transport,
    user: caller.user,
    headers: caller.headers,
    sessionId: caller.sessionId,
    ...(caller.grant && { scopes: caller.grant.scopes }),
    traceparent: typeof traceparent === 'string' ? traceparent : caller.traceparent,
    signal: caller.signal,
    ...notifications,
  });
}

/** The options of a served project that all transports share. */
export interface ServeOptions {
  readonly version: string;
  readonly instructions?: string;
  /** Items on one page of a list. */
  readonly pageSize?: number;
  /** Whether lists depend on the caller; then no shared cache may keep them. */
  readonly private?: boolean;
  /** Whether legacy clients have sessions that keep their subscriptions and log level. */
  readonly sessions?: boolean;
  /** The changes to notify clients of; absent on platforms whose instances come and go. */
  readonly changes?: Changes;
  /** Whether the lists may change while it is served. */
  readonly reloads?: boolean;
  /**
   * Seals the state of a call while its client collects answers. Default: a key that lives as long as this module.
   */
  readonly sealer?: Sealer | null;
  /** Claims a key for some seconds in the store of all instances; true only for the first claim. */
  readonly claimOnce?: (key: string, seconds: number) => Promise<boolean>;
}

/** The dependencies of one protocol server, next to the runtime. */
export interface ServerDeps extends ServeOptions {
  readonly era: Era;
  /** Whether messages may come in JSON-RPC batches. */
  readonly batches: boolean;
  readonly callerOf: (context: ServerContext) => Caller;
  /** The id that the client gave to a request. */
  readonly idOf: (context: ServerContext) => RequestId;
}
