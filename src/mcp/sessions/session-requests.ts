import { REJECTIONS } from '../../errors.ts';
import type { Caller } from '../context.ts';
import { MODERN_VERSIONS } from '../era.ts';
import { NO_STREAM, type Rejection, toRejectionResponse } from '../transport/rejection.ts';
import { readsStreams, toStream } from '../transport/response.ts';
import type { Sessions } from './sessions.ts';

/** The rejection of a session that has ended or belongs to somebody else. */
export const NO_SESSION: Rejection = {
  ...REJECTIONS.session_unknown,
  message: 'Session not found: begin a new one with initialize.',
};

/** Whether a GET or DELETE refers to a session; revision 2026-07-28 has none. */
export function namesSession(headers: Headers): boolean {
  return (
    headers.has('mcp-session-id') && !MODERN_VERSIONS.includes(headers.get('mcp-protocol-version') ?? '')
  );
}

/**
 * Answers a GET with the stream of messages that belong to no call (MCP 2025-11-25, "Listening for Messages from
 * the Server").
 */
export function answerListen(sessions: Sessions, headers: Headers, { user }: Caller): Response {
  const session = sessions.find(headers.get('mcp-session-id') ?? '', user);
  if (session === null) return toRejectionResponse(NO_SESSION);
  if (!readsStreams(headers.get('accept'))) return toRejectionResponse(NO_STREAM);
  return toStream(sessions.listen(session));
}

/** Answers a DELETE, which ends the client's session. */
export function answerEnd(sessions: Sessions, headers: Headers, { user }: Caller): Response {
  const session = sessions.find(headers.get('mcp-session-id') ?? '', user);
  if (session === null) return toRejectionResponse(NO_SESSION);
  sessions.end(session);
  return new Response(null, { status: 204 });
}
