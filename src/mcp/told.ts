import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import type { Asking, NoticeLevel, RequestContext } from '../context.ts';
import { type Caller, type Told, toRequestContext } from './caller.ts';
import type { Era } from './era.ts';
import type { ServerParts } from './parts.ts';

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
  { era, callerOf }: ServerParts,
  ctx: ServerContext,
  asking?: Asking,
): RequestContext {
  const caller = callerOf(ctx);
  const meta = ctx.mcpReq._meta;
  const envelope: Record<string, unknown> = ctx.mcpReq.envelope ?? {};
  const level = era === 'legacy' ? caller.session?.level : envelope[LOG_LEVEL_META_KEY];
  const told = toldOf(ctx, { token: meta?.progressToken, level, era, caller });
  return toRequestContext(caller, meta, asking === undefined ? told : { ...told, asking });
}

type Progress = NonNullable<Told['progress']>;
type Inform = NonNullable<Told['inform']>;

interface Asked {
  readonly token: string | number | undefined;
  readonly level: unknown;
  readonly era: Era;
  readonly caller: Caller;
}

function toldOf(ctx: ServerContext, { token, level, era, caller: { requestId } }: Asked): Told {
  const least = typeof level === 'string' ? LEVELS.indexOf(level) : -1;
  const progress = token === undefined ? {} : { progress: progressTo(ctx, token) };
  if (least !== -1) return { ...progress, inform: linesTo(ctx, least, requestId) };
  return era === 'modern' ? progress : { ...progress, remark: linesTo(ctx, UNASKED, requestId) };
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

function linesTo({ mcpReq }: ServerContext, least: number, requestId: string): Inform {
  return (level: NoticeLevel, text) => {
    if (LEVELS.indexOf(level) < least) return;
    const params = { level, logger: 'call', data: { message: text, request_id: requestId } };
    mcpReq.notify({ method: 'notifications/message', params }).catch(ignore);
  };
}

/** A client that cannot be told loses a line, not its call. */
function ignore(): void {}
