import { toCanonicalText } from '../types/canonical.ts';
import type { Catalog } from './model.ts';

/** SHA-256 of a text as UTF-8, hex. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The content hash of a catalog: over everything else in it, whatever the order of keys. */
export function hashCatalog({ project, tools, resources, prompts }: Omit<Catalog, 'hash'>): Promise<string> {
  // The round trip leaves what JSON keeps, so a catalog read back has the same hash.
  return sha256(toCanonicalText(JSON.parse(JSON.stringify({ project, tools, resources, prompts }))));
}
