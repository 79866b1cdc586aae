/** Builds the protocol's schemas at once, for platforms whose start is cheaper than their first request. */
export { preloadSchemas } from '@modelcontextprotocol/server';
