import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createD1Store, type D1 } from '../../../../adapters/cloudflare-workers/token-store.ts';
import { playHistories } from '../../auth/histories/run.ts';
import { itIsATokenStore } from '../../auth/store-contract.ts';

/* `SVC_TEST_HISTORY_STEPS=10000` plays longer histories of sign-ins over D1. */

const STEPS = Number(process.env.SVC_TEST_HISTORY_STEPS ?? 60);
const SEED = Number(process.env.SVC_TEST_HISTORY_SEED ?? 20_261_123);

const CONFIG = `name = "stores"
compatibility_date = "2026-10-20"
[[d1_databases]]
binding = "TOKENS"
database_name = "tokens"
database_id = "tokens"
`;

const folder = mkdtempSync(join(tmpdir(), 'svc-d1-'));
let database: D1;
let dispose: () => Promise<void>;

beforeAll(async () => {
  process.env.WRANGLER_SEND_METRICS = 'false';
  process.env.WRANGLER_LOG = 'error';
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false';
  const configPath = join(folder, 'wrangler.toml');
  writeFileSync(configPath, CONFIG);
  const { getPlatformProxy } = await import('wrangler');
  const platform = await getPlatformProxy<{ TOKENS: D1 }>({ configPath, persist: false });
  database = platform.env.TOKENS;
  dispose = platform.dispose;
}, 60_000);

afterAll(async () => {
  await dispose?.();
  rmSync(folder, { recursive: true, force: true });
});

async function open(now: () => number) {
  await database.prepare('DROP TABLE IF EXISTS tokens').run();
  return createD1Store(database, now);
}

const count = async () => (await database.prepare('SELECT count(*) AS n FROM tokens').first())?.n;

describe('the store in D1, in workerd', () => {
  itIsATokenStore(open);

  it('removes what is over, by the way and not at each call', async () => {
    let ms = 1_700_000_000_000;
    const store = await open(() => ms);
    await store.put('a', 'one', { seconds: 60 });
    ms += 60_000;
    await store.get('b');
    expect(await count()).toBe(1);
    ms += 600_000;
    await store.get('b');
    expect(await count()).toBe(0);
  });

  it('is shared by two Workers, and begun by both at once', async () => {
    const stores = [await open(Date.now), createD1Store(database)];
    const claims = await Promise.all(stores.map((store) => store.claimOnce('a', 60)));
    expect([...claims].sort()).toEqual([false, true]);
  });

  it('does not wait for a request that was cancelled while it began', async () => {
    await open(Date.now);
    let first = true;
    const batch: D1['batch'] = (statements) => {
      if (!first) return database.batch(statements);
      first = false;
      return new Promise(() => {});
    };
    const store = createD1Store({ prepare: (sql) => database.prepare(sql), batch });
    void store.get('a');
    expect(await store.claimOnce('a', 60)).toBe(true);
  });

  // Requirements: oauth.histories
  it(`keeps every promise of sign-ins (${STEPS} steps, seed ${SEED})`, { timeout: 3_600_000 }, async () => {
    const shared = async () => {
      await open(Date.now);
      return async (now: () => number) => createD1Store(database, now);
    };
    const { steps } = await playHistories(shared, { steps: STEPS, seed: SEED, most: 40 });
    expect(steps).toBeGreaterThanOrEqual(STEPS);
  });

  it('says which setting it is where the database cannot be used, and tries again', async () => {
    await open(Date.now);
    let broken = true;
    const batch: D1['batch'] = (statements) =>
      broken ? Promise.reject(new Error('D1_ERROR')) : database.batch(statements);
    const store = createD1Store({ prepare: (sql) => database.prepare(sql), batch });
    await expect(store.claimOnce('a', 60)).rejects.toMatchObject({
      code: 'login_unavailable',
      message: expect.stringContaining('`auth.persistence.binding`'),
    });
    broken = false;
    expect(await store.claimOnce('a', 60)).toBe(true);
  });
});
