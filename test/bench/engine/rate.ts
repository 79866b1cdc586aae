import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { openWasmPool } from '../../../adapters/duckdb-wasm/pool/open.ts';
import type { Row } from '../measure.ts';
import { type Contender, ours } from './contenders.ts';
import { pointLookup, type Sales } from './data.ts';

const IN_FLIGHT = 50;
const ROUNDS = 4;
const WORKERS = [1, 2, 4] as const;

/** Small: a lookup, most of which is the way to the engine. Large: work for an engine, as many at a time. */
const LOADS: readonly {
  readonly name: string;
  readonly calls: number;
  readonly sql: (at: number) => string;
}[] = [
  { name: 'lookups', calls: 2000, sql: (at) => pointLookup(at) },
  {
    name: 'sums over 100,000 rows',
    calls: 300,
    sql: (at) => `SELECT sum(amount) AS total FROM sales WHERE id BETWEEN ${at} AND ${at + 100_000}`,
  },
];

/** Calls per second with 50 in flight: by one, two and four workers, and by the native engine. */
export async function measureRate({ path }: Sales): Promise<readonly Row[]> {
  const pools = await Promise.all(
    WORKERS.map(async (workers) => ({
      name: `wasm, ${workers} worker${workers === 1 ? '' : 's'}`,
      contender: ours(await openWasmPool({ path, workers })),
    })),
  );
  const all = [...pools, { name: 'native', contender: ours(await openNative({ path, readonly: true })) }];
  const rows: Row[] = [];
  for (const load of LOADS) {
    const best = await bestOf(all, load);
    const base = best.get(pools[0]?.name ?? '') ?? Number.NaN;
    for (const [name, rate] of best)
      rows.push({
        what: `${name}: ${load.name}`,
        ours: rate,
        base,
        baseName: '1 worker',
        unit: 'calls/s',
        budget: null,
      });
  }
  for (const { contender } of all) await contender.close();
  return rows;
}

interface Named {
  readonly name: string;
  readonly contender: Contender;
}

async function bestOf(
  all: readonly Named[],
  load: (typeof LOADS)[number],
): Promise<ReadonlyMap<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, contender } of round % 2 === 0 ? all : all.toReversed()) {
      const rate = await rateOf(contender, load);
      // In the first round pools grow to their size.
      if (round > 0) best.set(name, Math.max(best.get(name) ?? 0, rate));
    }
  }
  return new Map(all.map(({ name }) => [name, best.get(name) ?? Number.NaN]));
}

async function rateOf(contender: Contender, { calls, sql }: (typeof LOADS)[number]): Promise<number> {
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < calls) {
      begun += 1;
      await contender.run(sql((begun * 7919) % 800_000));
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  return (calls * 1000) / (performance.now() - start);
}
