import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { ToolEntry } from '../catalog/model.ts';
import { isObject, type JsonObject } from '../json.ts';

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

/** The revision before batches. */
const BEFORE_BATCHES = '2024-11-05';

/**
 * The revision that `initialize` agrees on: the client's, or the newest. A receiver of 2025-03-26 must accept batches, so a
 * transport without them agrees on the revision before, which clients of 2025-03-26 know.
 */
export function agreedVersion(asked: string, { batches }: { readonly batches: boolean }): string {
  if (asked === LAST_BATCH_VERSION && !batches) return BEFORE_BATCHES;
  return LEGACY_VERSIONS.includes(asked) ? asked : (LEGACY_VERSIONS[0] ?? asked);
}

/** Whether a declared result has to travel as `{result: …}`: legacy revisions know objects only. */
export function isWrapped(entry: ToolEntry, era: Era): boolean {
  const schema = entry.wire.outputSchema;
  return era === 'legacy' && isObject(schema) && schema.type !== 'object';
}

/** A tool as `tools/list` of an era shows it. */
export function toEraTool(entry: ToolEntry, era: Era): JsonObject {
  if (!isWrapped(entry, era)) return entry.wire;
  const result = entry.wire.outputSchema ?? {};
  return {
    ...entry.wire,
    outputSchema: { type: 'object', properties: { result }, required: ['result'] },
  };
}
