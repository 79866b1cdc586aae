import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openTokenStore } from '../../../adapters/node/auth/token-store.ts';
import type { TokenStore } from '../../../src/ports.ts';
import { cpuMs } from '../cpu.ts';
import { playHistories } from './histories/run.ts';
import type { OpenShared } from './histories/world.ts';

/* `SVC_TEST_HISTORY_STEPS=100000 SVC_TEST_HISTORY_SEED=7` makes it longer, and other. */

const STEPS = Number(process.env.SVC_TEST_HISTORY_STEPS ?? 2_000);
const SEED = Number(process.env.SVC_TEST_HISTORY_SEED ?? 20_261_123);

/** In memory where there is such a place: a history begins with a new file. */
const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-histories-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let stores = 0;

/** A new SQLite file, which three instances open by themselves. */
async function sqlite(): Promise<OpenShared> {
  stores += 1;
  const path = join(root, `${stores}.db`);
  return async (now) => openTokenStore(path, now);
}

/** What must happen somewhere in so many steps: a server that refuses everything would keep every promise. */
const SEEN = [
  ...['login', 'lost', 'redeem 200', 'redeem 400', 'refresh 200', 'refresh 400', 'revoke 200', 'logout 200'],
  ...['call nothing 200', 'call nothing 401', 'call audit 200', 'call audit 403', 'call sales 403'],
];

describe('histories of sign-ins at three instances', () => {
  // Requirements: oauth.histories
  it(`keep every promise in SQLite (${STEPS} steps, seed ${SEED})`, { timeout: 7_200_000 }, async () => {
    const begun = cpuMs();
    const { histories, steps, counts } = await playHistories(sqlite, { steps: STEPS, seed: SEED });
    const seconds = Math.round((cpuMs() - begun) / 1_000);
    process.stderr.write(
      `seed ${SEED}: ${steps} steps in ${histories} histories, ${seconds} s of processor time; ${JSON.stringify(counts)}\n`,
    );
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(SEEN));
  });

  it.each<readonly [string, (store: TokenStore) => Partial<TokenStore>]>([
    ['gives a claim to everybody', () => ({ claimOnce: async () => true })],
    [
      'writes over a version that nobody has read',
      ({ put }) => ({ put: (key, value, { seconds }) => put(key, value, { seconds }) }),
    ],
    ['deletes nothing', () => ({ delete: async () => undefined })],
  ])('find a store that %s', { timeout: 600_000 }, async (_, spoil) => {
    const spoilt = async (): Promise<OpenShared> => {
      const open = await sqlite();
      return async (now) => {
        const store = await open(now);
        return { ...store, ...spoil(store) };
      };
    };
    const found = playHistories(spoilt, { steps: 20_000, seed: SEED });
    await expect(found).rejects.toThrow(/Counterexample/);
  });
});
