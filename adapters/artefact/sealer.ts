import { createKeyRing, parseKeys } from '../../src/auth/keys.ts';
import { createSealer, type Sealer } from '../../src/mcp/seal.ts';
import type { Settings } from '../../src/settings/model.ts';

/** Seals what calls that ask were told so that any instance with the keys can go on; null where there are none. */
export async function sealerOf(settings: Settings | null): Promise<Sealer | null> {
  const keys = settings?.auth.keys ?? [];
  if (keys.length === 0) return null;
  const ring = createKeyRing(parseKeys(keys));
  const key = await ring.derive(ring.first.kid, 'ask', '');
  return key === null ? null : createSealer(key.bytes);
}
