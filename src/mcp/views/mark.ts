/*
 * A server without sessions remembers no client, and a client of 2025-11-25 or older says only once that it shows views. Such a
 * client gets a mark as the id of its session, which it sends with every request. The mark grants nothing: it says how
 * results are sent to the client that has it.
 */

const PREFIX = 'svc-views-';

/** Makes the mark of a client that shows views. Session ids are unique (MCP 2025-11-25, "Session Management"). */
export function createViewMark(): string {
  return `${PREFIX}${crypto.randomUUID()}`;
}

/** Whether a session id is the mark of a client that shows views. */
export function isViewMark(sessionId: string | null): boolean {
  return sessionId?.startsWith(PREFIX) ?? false;
}
