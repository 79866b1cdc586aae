import type { McpServerFactory, ServerContext } from '@modelcontextprotocol/server';
import type { Runtime } from '../endpoint/runtime.ts';
import type { Caller } from './caller.ts';
import { createServer, type ServeOptions } from './server.ts';

/** Makes the server of one stdio connection once its first message has told the era. */
export function createStdioFactory(runtime: Runtime, options: ServeOptions): McpServerFactory {
  return ({ era }) => createServer(runtime, { ...options, era, callerOf });
}

function callerOf({ mcpReq }: ServerContext): Caller {
  return {
    requestId: crypto.randomUUID(),
    kind: 'stdio',
    user: null,
    headers: () => null,
    sessionId: null,
    traceparent: null,
    signal: mcpReq.signal,
  };
}
