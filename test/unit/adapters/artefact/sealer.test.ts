import * as v from 'valibot';
import { expect, it } from 'vitest';
import { sealerOf } from '../../../../adapters/artefact/sealer.ts';
import { generateKey } from '../../../../src/crypto/keys.ts';
import type { Settings } from '../../../../src/settings/model.ts';

const STATE = v.object({ n: v.number() });

const withKeys = (...keys: readonly { kid: string; secret: string }[]) =>
  ({ auth: { keys } }) as unknown as Settings;

it('what one instance seals, another with the same keys opens, and one without does not', async () => {
  const [key, next] = [generateKey(), generateKey()];
  const text = (await sealerOf(withKeys(key))?.seal('ask', '', { n: 1 }, 60)) ?? '';
  expect(await sealerOf(withKeys(key))?.open('ask', '', text, STATE)).toMatchObject({ n: 1 });
  expect(await sealerOf(withKeys(next, key))?.open('ask', '', text, STATE)).toMatchObject({ n: 1 });
  expect(await sealerOf(withKeys(key))?.open('tx', '', text, STATE)).toBeNull();
  expect(await sealerOf(withKeys(next))?.open('ask', '', text, STATE)).toBeNull();
});

it('without keys there is none', () => {
  expect(sealerOf(withKeys())).toBeNull();
  expect(sealerOf(null)).toBeNull();
});
