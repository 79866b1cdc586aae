/** Builds the protocol's schemas now, where a platform's start is cheaper than its first request. */
export { preloadSchemas } from '@modelcontextprotocol/server';
