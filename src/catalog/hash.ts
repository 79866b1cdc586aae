import { sha256Hex } from '../crypto/digest.ts';
import { toCanonicalText } from '../types/canonical.ts';
import type { Catalog } from './model.ts';

/** The content hash of a catalog: over all its other fields, independent of the order of keys. */
export function hashCatalog({
  hash: _,
  ...content
}: Omit<Catalog, 'hash'> & { readonly hash?: string }): Promise<string> {
  // The round trip keeps only JSON, so that a catalog read back has the same hash.
  return sha256Hex(toCanonicalText(JSON.parse(JSON.stringify(content))));
}

/** Freezes data deeply. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
