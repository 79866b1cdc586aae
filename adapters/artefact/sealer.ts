import { createKeyRing, parseKeys } from '../../src/crypto/keys.ts';
import { createSealer, type Sealer } from '../../src/crypto/seal.ts';
import type { Settings } from '../../src/settings/model.ts';

/** Seals the state of calls under `auth.keys`, so that any instance can go on with a call; null without keys. */
export function sealerOf(settings: Settings | null): Sealer | null {
  const keys = settings?.auth.keys ?? [];
  if (keys.length === 0) return null;
  return createSealer({ ring: createKeyRing(parseKeys(keys)), now: Date.now, notBefore: null });
}
