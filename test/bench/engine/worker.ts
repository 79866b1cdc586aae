import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../measure.ts';
import { type Start, startOnce } from './workerd.ts';
import { ANSWER, prepareWorkers, WORKERS, type WorkerName } from './workers.ts';

const ROUNDS = 7;

type Part = 'total' | 'first';
type Cost = (name: WorkerName, part: Part) => number;

/**
 * The engine in workerd, from the start of a process and from its first request: ours, ours unstripped, and
 * @duckdb/duckdb-wasm. What a Worker without any engine takes is workerd's own, and is taken off.
 */
export async function measureWorker(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-worker-'));
  try {
    await prepareWorkers(folder);
    const best = await bestOf(folder);
    const whole: Cost = (name, part) => best.get(name)?.[part] ?? Number.NaN;
    return toRows((name, part) => whole(name, part) - whole('empty', part));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bestOf(folder: string): Promise<ReadonlyMap<WorkerName, Start>> {
  const best = new Map<WorkerName, Start>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of round % 2 === 0 ? WORKERS : WORKERS.toReversed()) {
      const start = await startOnce(join(folder, name));
      if (start.answer !== ANSWER) throw new Error(`unexpected answer: ${start.answer}`);
      const known = best.get(name) ?? start;
      best.set(name, {
        total: Math.min(known.total, start.total),
        first: Math.min(known.first, start.first),
        answer: ANSWER,
      });
    }
  }
  return best;
}

const WHAT: Readonly<Record<Part, string>> = {
  first: 'workerd: first request',
  total: 'workerd: first request, start of the Worker included',
};

function toRows(cost: Cost): readonly Row[] {
  const bases = [
    { name: 'stock', baseName: 'stock wasm', budget: 0.4 },
    { name: 'unstripped', baseName: 'ours, unstripped', budget: null },
  ] as const;
  return (['first', 'total'] as const).flatMap((part) =>
    bases.map(({ name, baseName, budget }) => ({
      what: WHAT[part],
      ours: cost('ours', part),
      base: cost(name, part),
      baseName,
      unit: 'ms',
      budget: part === 'first' ? budget : null,
    })),
  );
}
