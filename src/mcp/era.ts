import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** `modern` is 2026-07-28, which has no handshake; `legacy` is every revision with an `initialize` handshake. */
export type Era = 'modern' | 'legacy';

/** The revisions of the modern era, newest first. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** The revisions of the legacy era, newest first. */
export const LEGACY_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS.filter(
  (version) => !MODERN_VERSIONS.includes(version),
);

/** The last revision with JSON-RPC batches. A legacy request without a version header speaks it too. */
export const LAST_BATCH_VERSION = '2025-03-26';
