import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** `modern` is 2026-07-28, where every request stands alone; `legacy` is every revision with an `initialize` handshake. */
export type Era = 'modern' | 'legacy';

/** The revisions of the modern era, newest first. */
export const MODERN_VERSIONS: readonly string[] = ['2026-07-28'];

/** The revisions of the legacy era, newest first. */
export const LEGACY_VERSIONS: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS.filter(
  (version) => !MODERN_VERSIONS.includes(version),
);

/** The last revision with JSON-RPC batches; also what a legacy request without a version header speaks. */
export const LAST_BATCH_VERSION = '2025-03-26';
