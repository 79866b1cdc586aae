import { finished } from 'node:stream/promises';
import type { Worker } from 'node:worker_threads';
import type { Database } from '../../src/ports.ts';
import { callerOf, callOf, errorOf } from './fixture.ts';

/** The average of the process's memory over each quarter of the calls, in MB. */
export type Quarters = readonly [number, number, number, number];

const AT_ONCE = 20;
/** Each takes a snapshot of every heap, which costs as much as some hundred calls. */
const SAMPLES_PER_QUARTER = 4;

/** The threads of the engines that were opened since this file was loaded. */
const threads = new Set<Worker>();
process.on('worker', (thread: Worker) => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
});

/**
 * Calls of many kinds on any database: other text each time, parameters, callers, errors, calls given up. Garbage is
 * collected before each look at the memory, so that what is seen is what is kept.
 */
export async function callMany(database: Database, calls: number): Promise<Quarters> {
  const collect = await collector();
  // Threads that have nothing to do do not keep a program alive, and are asked all the same.
  const alive = setInterval(() => {}, 60_000);
  const perSample = calls / 4 / SAMPLES_PER_QUARTER;
  const averages: number[] = [];
  let next = 0;
  for (let quarter = 0; quarter < 4; quarter += 1) {
    let sum = 0;
    for (let sample = 0; sample < SAMPLES_PER_QUARTER; sample += 1) {
      const until = next + perSample;
      const client = async (): Promise<void> => {
        while (next < until) await callOne(database, next++);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, client));
      await collect();
      sum += await heldMb();
    }
    averages.push(sum / SAMPLES_PER_QUARTER);
  }
  clearInterval(alive);
  const [first = 0, second = 0, third = 0, last = 0] = averages;
  return [first, second, third, last];
}

/** What V8 has set aside for new objects grows in large steps and holds nothing; each thread has its own. */
async function heldMb(): Promise<number> {
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  const heaps = await Promise.all([...threads].map((thread) => thread.getHeapStatistics()));
  const spare = heaps.map(({ total_heap_size, used_heap_size }) => total_heap_size - used_heap_size);
  return (rss - (heapTotal - heapUsed) - spare.reduce((sum, size) => sum + size, 0)) / 2 ** 20;
}

async function callOne(database: Database, index: number): Promise<void> {
  const caller = callerOf(index % 50);
  if (index % 100 === 99) {
    await errorOf(database.run(request('SELECT nothing FROM nowhere', []), callOf({ caller })));
  } else if (index % 100 === 49) {
    const given = AbortSignal.abort();
    await errorOf(database.run(request('SELECT 1', []), callOf({ signal: given })));
  } else {
    const sql = `SELECT ${index} AS n, get_username() AS name, $1 || '!' AS text, [1, 2, $2] AS list FROM range(3)`;
    await database.run(request(sql, [`text ${index}`, BigInt(index)]), callOf({ caller }));
  }
}

function request(sql: string, values: readonly (string | bigint)[]) {
  return { sql, values, mode: 'read', maxRows: 10 } as const;
}

/** Node hides its collector behind a flag, which may be set while it runs; a thread collects before it takes a snapshot. */
async function collector(): Promise<() => Promise<void>> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  return async () => {
    collect();
    await Promise.all([...threads].map(collectIn));
  };
}

async function collectIn(thread: Worker): Promise<void> {
  const snapshot = await thread.getHeapSnapshot();
  snapshot.resume();
  await finished(snapshot);
}
