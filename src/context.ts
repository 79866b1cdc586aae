import type { JsonObject, JsonValue } from './json.ts';

/** Who calls (spec, "User context fields"); every key is always there. */
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
}

/** How much a line about a call matters (RFC 5424, in MCP's words). */
export type NotificationLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

/** One question as it is put: with its text, and a form as a JSON Schema. */
export type ElicitationRequest =
  | {
      readonly kind: 'form';
      readonly key: string;
      readonly message: string;
      readonly schema: JsonObject;
      /** An answer counts only to the question that was put about these very arguments. */
      readonly binding: boolean;
    }
  | {
      readonly kind: 'sampling';
      readonly key: string;
      readonly message: string;
      readonly maxTokens: number;
    }
  | { readonly kind: 'roots'; readonly key: string };

/** An answer; the values are unchecked. Null: a person declined. */
export type ElicitationReply = { readonly values: JsonObject } | null;

/** Whom a call can ask while it runs. */
export interface Elicitation {
  can(kind: ElicitationRequest['kind']): boolean;
  /** The answers by key. Throws input_required where the client is to call again with them. */
  ask(inquiries: readonly ElicitationRequest[]): Promise<ReadonlyMap<string, ElicitationReply>>;
}

/** What is known about one request; made once, frozen. */
export interface RequestContext {
  readonly requestId: string;
  /** Audit `caller_type`. */
  readonly transport: 'http' | 'sse' | 'stdio' | 'cli';
  readonly user: User | null;
  /** Header names in lower case; null where the transport has none. */
  readonly headers: ReadonlyMap<string, string> | null;
  readonly sessionId: string | null;
  /** What the caller's token holds; absent where nobody asks for tokens. */
  readonly scopes?: readonly string[];
  readonly traceparent: string | null;
  /** Aborts when the client goes away or cancels. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call is; `done` grows each time. Absent where the client did not ask. */
  readonly progress?: (done: number, total: number, message: string) => void;
  /** Tells the client a line about its call, never SQL, values or internals. Absent where it did not ask. */
  readonly notify?: (level: NotificationLevel, text: string) => void;
  /** Tells what the endpoint's author says to a client that named no level, from `info` on. Absent where that may not be. */
  readonly notifyUnasked?: (level: NotificationLevel, text: string) => void;
  /** Absent where nobody can be asked. */
  readonly elicitation?: Elicitation;
}

/** What every line of the log about a request names. */
export function logIdsOf({ requestId, traceparent }: Pick<RequestContext, 'requestId' | 'traceparent'>) {
  const traceId = traceIdOf(traceparent);
  return { request_id: requestId, ...(traceId === null ? {} : { trace_id: traceId }) };
}

/** The trace that a `traceparent` names; null for one that is not sound (W3C Trace Context). */
export function traceIdOf(traceparent: string | null): string | null {
  const found = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(traceparent ?? '')?.[1];
  return found === undefined || /^0+$/.test(found) ? null : found;
}
