import type { McpServerFactory, RequestId, ServerContext } from '@modelcontextprotocol/server';
import type { Runtime } from '../../call/runtime.ts';
import type { Caller } from '../context.ts';
import { createServer, type ServeOptions } from '../server.ts';
import { createSession, type McpSession } from '../sessions/session.ts';

/** Makes the server of one stdio connection once its first message has told the era. */
export function createStdioFactory(runtime: Runtime, options: ServeOptions): McpServerFactory {
  return ({ era }) => {
    const session = createSession('');
    const parts = { ...options, era, batches: false, sessions: true, idOf };
    return createServer(runtime, { ...parts, callerOf: (ctx) => callerOf(ctx, session) });
  };
}

function idOf({ mcpReq }: ServerContext): RequestId {
  return mcpReq.id;
}

/** A connection is a session of its own. */
function callerOf({ mcpReq }: ServerContext, session: McpSession): Caller {
  return {
    requestId: crypto.randomUUID(),
    transport: 'stdio',
    user: null,
    headers: () => null,
    sessionId: null,
    traceparent: null,
    signal: mcpReq.signal,
    streams: true,
    session,
  };
}
