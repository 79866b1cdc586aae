import { rm } from 'node:fs/promises';
import type { Built } from './built.ts';
import { ask } from './load/ask.ts';
import type { Load, Outcome } from './load/client.ts';
import type { Flood, FloodOutcome } from './load/flood.ts';
import { type LoadedServer, startServer } from './load/server.ts';
import type { Row } from './measure.ts';
import { benchFile } from './program.ts';
import { CALLED_ROWS, createProject } from './projects.ts';

const PER_SECOND = 2_000;
const MS = 30_000;
const MOST_CONNECTIONS = 6_000;
const CAPACITY_MS = 5_000;

/** More calls than each engine can answer: those that are answered, those that are refused, and a call afterwards. */
export async function measureOverload(built: Built): Promise<readonly Row[]> {
  const root = await createProject(5, { rows: CALLED_ROWS });
  const native = () => startServer([benchFile('../../cli/svc.js'), 'serve', '--port', '0', '--json'], root);
  const wasm = () => startServer(['index.js'], built.folderOf('node'));
  try {
    return [...(await measureOne('native', native)), ...(await measureOne('wasm', wasm))];
  } finally {
    await rm(root, { recursive: true });
  }
}

async function measureOne(name: string, start: () => Promise<LoadedServer>): Promise<readonly Row[]> {
  const server = await start();
  try {
    const { url } = server;
    const load: Load = { url, ids: CALLED_ROWS, connections: 64, ms: CAPACITY_MS, checked: true };
    await ask<Outcome>('load/client.ts', load);
    const { calls, elapsedMs } = await ask<Outcome>('load/client.ts', load);
    const capacity = (calls * 1000) / elapsedMs;
    const perSecond = Math.max(PER_SECOND, 1.25 * capacity);
    const flood: Flood = { url, perSecond, ms: MS, mostConnections: MOST_CONNECTIONS };
    const outcome = await ask<FloodOutcome>('load/flood.ts', flood);
    return toRows(`${name}, ${perSecond.toFixed(0)} calls/s offered`, capacity, outcome);
  } finally {
    await server.close();
  }
}

function toRows(name: string, capacity: number, { endings, ...outcome }: FloodOutcome): readonly Row[] {
  const { right, wrong, refused, failed } = endings;
  const row = (what: string, ours: number, unit: string, budget: number | null): Row => ({
    what: `${name}: ${what}`,
    ours,
    base: null,
    baseName: '',
    unit,
    budget,
  });
  const answered = (right.length * 1000) / outcome.elapsedMs;
  return [
    row('capacity at 64 connections', capacity, 'calls/s', null),
    {
      ...row('capacity, of what is answered', capacity, 'calls/s', 1 / 0.9),
      base: answered,
      baseName: 'answered',
    },
    row('answered, p99', at(right, 0.99), 'ms', 2_000),
    row('refused with 503', refused.length, 'calls', null),
    row('refused, the slowest', at(refused, 1), 'ms', 1_000),
    row('reset, another error, or a wrong row', failed.length + wrong.length, 'calls', 0),
    row('not sent for want of connections', outcome.unsent, 'calls', null),
    row('one call afterwards', outcome.afterwardsMs, 'ms', 100),
  ];
}

function at(latencies: readonly number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
