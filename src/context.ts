import type { JsonObject, JsonValue } from './json.ts';
import type { CallerType } from './transports.ts';

/** The user behind a call (spec, "User context fields"). Every key is always present. */
export interface User {
  readonly id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly provider: string | null;
  readonly role: string | null;
  readonly permissions: readonly string[];
  readonly groups: readonly string[];
  readonly capabilities: readonly string[];
  readonly claims: { readonly [key: string]: JsonValue };
  /** The identity provider's own token; for SQL and Python only, never for policies, logs or spans. */
  readonly externalToken: string | null;
  /** The name of the API key that the caller used; not for policies. Absent for other callers. */
  readonly apiKey?: string;
}

/** The severity of a log line (RFC 5424, by MCP's names). */
export type NotificationLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

/** One question to the client: its text, and a form as JSON Schema. */
export type ElicitationRequest =
  | {
      readonly kind: 'form';
      readonly key: string;
      readonly message: string;
      readonly schema: JsonObject;
      /** Whether an answer counts only for these exact arguments. */
      readonly binding: boolean;
    }
  | {
      readonly kind: 'sampling';
      readonly key: string;
      readonly message: string;
      readonly maxTokens: number;
    }
  | { readonly kind: 'roots'; readonly key: string };

/** An answer with unchecked values; null if the person declined. */
export type ElicitationReply = { readonly values: JsonObject } | null;

/** Asks the client of a running call for input (MCP, "Elicitation", "Sampling", "Roots"). */
export interface Elicitation {
  can(kind: ElicitationRequest['kind']): boolean;
  /** Returns the answers by key. Throws input_required if the client has to call again with them. */
  ask(inquiries: readonly ElicitationRequest[]): Promise<ReadonlyMap<string, ElicitationReply>>;
}

/** The facts about one request; made once, frozen. */
export interface RequestContext {
  readonly requestId: string;
  /** Audit `caller_type`. */
  readonly transport: CallerType;
  readonly user: User | null;
  /**
   * Returns the headers with lower-case names; null on a transport without headers. A function, because a getter of an
   * object would keep the object, and the whole request, in memory until a full garbage collection.
   */
  readonly headers: () => ReadonlyMap<string, string> | null;
  readonly sessionId: string | null;
  /** The scopes of the caller's token; absent if sign-in is off. */
  readonly scopes?: readonly string[];
  readonly traceparent: string | null;
  /** Aborts when the client goes away or cancels. */
  readonly signal: AbortSignal;
  /** Reports progress to the client; `done` must grow. Absent if the client did not ask for progress. */
  readonly progress?: (done: number, total: number, message: string) => void;
  /**
   * Sends the client a log line about its call, never SQL, values or internals; false if the client does not get it,
   * because it asked for other levels only or reads no stream. Absent if it did not ask.
   */
  readonly notify?: (level: NotificationLevel, text: string) => boolean;
  /**
   * Sends log lines of the endpoint's author, from `info` on, to a client that set no level. Absent if the protocol
   * forbids it.
   */
  readonly notifyUnasked?: (level: NotificationLevel, text: string) => void;
  /** Absent if the client cannot be asked. */
  readonly elicitation?: Elicitation;
}

/** The ids that every log line about a request carries. */
export function logIdsOf({ requestId, traceparent }: Pick<RequestContext, 'requestId' | 'traceparent'>) {
  const traceId = traceIdOf(traceparent);
  return { request_id: requestId, ...(traceId === null ? {} : { trace_id: traceId }) };
}

/** The caller's position in a trace. */
interface RemoteParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a `traceparent` (W3C Trace Context). Null for one that is not sound; the request then starts a trace of its own. */
export function parseTraceparent(text: string | null): RemoteParent | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** The trace that a `traceparent` names; null for one that is not sound. */
export function traceIdOf(traceparent: string | null): string | null {
  return traceparent === null ? null : (parseTraceparent(traceparent)?.traceId ?? null);
}

/**
 * Whether a token holds every scope that an endpoint requires. An absent `held` means that sign-in is off, and
 * allows.
 */
export function mayCall(
  { scopes = [] }: { readonly scopes?: readonly string[] },
  held: RequestContext['scopes'],
): boolean {
  return held === undefined || scopes.every((scope) => held.includes(scope));
}
