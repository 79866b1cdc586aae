import type { RequestContext } from '../context.ts';
import type { SvcError } from '../errors.ts';
import type { Session } from './session.ts';

/** The ways to speak to a client while its call runs. */
export type Told = Pick<RequestContext, 'progress' | 'inform' | 'remark' | 'asking'>;

/** The scopes of a token, and the refusal of what needs others. */
export interface Grant {
  readonly scopes: readonly string[];
  readonly refuse: (needed: readonly string[]) => SvcError;
}

/** Who sent a message and over what; the transport makes one for each request it carries. */
export interface Caller {
  readonly requestId: string;
  readonly kind: RequestContext['caller'];
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
  readonly session?: Session;
}

/** The context of one message (SEP-414: the trace travels in `_meta`). */
export function toRequestContext(
  caller: Caller,
  meta: Record<string, unknown> | undefined,
  told: Told = {},
): RequestContext {
  const traceparent = meta?.traceparent;
  return Object.freeze({
    requestId: caller.requestId,
    caller: caller.kind,
    user: caller.user,
    get headers() {
      return caller.headers();
    },
    sessionId: caller.sessionId,
    ...(caller.grant && { scopes: caller.grant.scopes }),
    traceparent: typeof traceparent === 'string' ? traceparent : caller.traceparent,
    signal: caller.signal,
    ...told,
  });
}
