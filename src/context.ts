import type { JsonValue } from './json.ts';

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

/** What is known about one request; made once, frozen. */
export interface RequestContext {
  readonly requestId: string;
  /** Audit `caller_type`. */
  readonly caller: 'http' | 'sse' | 'stdio' | 'cli';
  readonly user: User | null;
  /** Header names in lower case; null where the transport has none. */
  readonly headers: ReadonlyMap<string, string> | null;
  readonly sessionId: string | null;
  readonly traceparent: string | null;
  /** Aborts when the client goes away or cancels. */
  readonly signal: AbortSignal;
}

/** The trace that a `traceparent` names; null for one that is not sound (W3C Trace Context). */
export function traceIdOf(traceparent: string | null): string | null {
  const found = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(traceparent ?? '')?.[1];
  return found === undefined || /^0+$/.test(found) ? null : found;
}
