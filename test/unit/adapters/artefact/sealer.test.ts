import { expect, it } from 'vitest';
import { sealerOf } from '../../../../adapters/artefact/sealer.ts';
import { generateKey } from '../../../../src/auth/keys.ts';
import type { Settings } from '../../../../src/settings/model.ts';

const withKeys = (...keys: readonly { kid: string; secret: string }[]) =>
  ({ auth: { keys } }) as unknown as Settings;

it('what one instance seals, another with the same keys opens, and one without does not', async () => {
  const key = generateKey();
  const [one, other] = [await sealerOf(withKeys(key)), await sealerOf(withKeys(key))];
  const text = (await one?.seal({ n: 1 }, 'ask')) ?? '';
  expect(await other?.open(text, 'ask')).toEqual({ n: 1 });
  expect(await other?.open(text, 'something else')).toBeNull();
  expect(await (await sealerOf(withKeys(generateKey())))?.open(text, 'ask')).toBeNull();
});

it('without keys there is none', async () => {
  expect(await sealerOf(withKeys())).toBeNull();
  expect(await sealerOf(null)).toBeNull();
});
