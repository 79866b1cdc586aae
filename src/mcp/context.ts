import { LOG_LEVEL_META_KEY, type RequestId, type ServerContext } from '@modelcontextprotocol/server';
import type { Elicitation, NotificationLevel, RequestContext } from '../context.ts';
import type { Sealer } from '../crypto/seal.ts';
import type { SvcError } from '../errors.ts';
import type { Changes } from './changes.ts';
import type { Era } from './era.ts';
import type { McpSession } from './sessions/session.ts';

/** MCP's levels, the least of them first; ours have the same names. */
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

/** From where on a client of the legacy era is told what authors say, as long as it names no level itself. */
const UNASKED = LEVELS.indexOf('info');

/** The context of the request that a handler is answering, with the ways to tell its client what it asked for. */
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
  { token, level, era, caller: { requestId } }: NotificationRequest,
): Notifications {
  const least = typeof level === 'string' ? LEVELS.indexOf(level) : -1;
  const progress = token === undefined ? {} : { progress: progressTo(ctx, token) };
  if (least !== -1) return { ...progress, notify: linesTo(ctx, least, requestId) };
  return era === 'modern' ? progress : { ...progress, notifyUnasked: linesTo(ctx, UNASKED, requestId) };
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

function linesTo({ mcpReq }: ServerContext, least: number, requestId: string): Notify {
  return (level: NotificationLevel, text) => {
    if (LEVELS.indexOf(level) < least) return;
    const params = { level, logger: 'call', data: { message: text, request_id: requestId } };
    mcpReq.notify({ method: 'notifications/message', params }).catch(ignore);
  };
}

/** A client that cannot be told loses a line, not its call. */
function ignore(): void {}

/** The ways to speak to a client while its call runs. */
export type Notifications = Pick<RequestContext, 'progress' | 'notify' | 'notifyUnasked' | 'elicitation'>;

/** The scopes of a token, and the refusal of what needs others. */
export interface Grant {
  readonly scopes: readonly string[];
  readonly refuse: (needed: readonly string[]) => SvcError;
}

/** Who sent a message and over what; the transport makes one for each request it carries. */
export interface Caller {
  readonly requestId: string;
  readonly transport: RequestContext['transport'];
  readonly user: RequestContext['user'];
  /** Called only when something asks for a header: most calls never do. */
  readonly headers: () => RequestContext['headers'];
  readonly sessionId: string | null;
  /** What the caller's token holds; absent where nobody asks for tokens. */
  readonly grant?: Grant;
  /** Of the HTTP request; a message's own `_meta.traceparent` goes before it. */
  readonly traceparent: string | null;
  readonly signal: AbortSignal;
  /** Counts another message that came with the request; throws rate_limited. Absent where nothing is counted. */
  readonly countAnother?: () => void;
  /** Of the legacy era; absent where nothing is kept about a client. */
  readonly session?: McpSession;
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
    get headers() {
      return caller.headers();
    },
    sessionId: caller.sessionId,
    ...(caller.grant && { scopes: caller.grant.scopes }),
    traceparent: typeof traceparent === 'string' ? traceparent : caller.traceparent,
    signal: caller.signal,
    ...notifications,
  });
}

/** How a project is served, whatever the transport. */
export interface ServeOptions {
  readonly version: string;
  readonly instructions?: string;
  /** Items on one page of a list. */
  readonly pageSize?: number;
  /** Whether the lists depend on who asks; then no shared cache may keep them. */
  readonly private?: boolean;
  /** Whether clients of the legacy era have sessions, so that what they ask for once can be kept. */
  readonly sessions?: boolean;
  /** Where changes are told of, on a server that lives long; absent elsewhere. */
  readonly changes?: Changes;
  /** Whether the lists may change while it is served. */
  readonly reloads?: boolean;
  /** Seals what a call has been told while its client looks for answers; the default lives as long as this module. */
  readonly sealer?: () => Sealer | null;
}

/** What one server needs beside the runtime. */
export interface ServerDeps extends ServeOptions {
  readonly era: Era;
  readonly callerOf: (context: ServerContext) => Caller;
  /** The id that the client gave to a request. */
  readonly idOf: (context: ServerContext) => RequestId;
}
