import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Built } from './built.ts';
import { ask } from './load/ask.ts';
import type { Load, Outcome } from './load/client.ts';
import { type LoadedServer, startServer } from './load/server.ts';
import type { Row } from './measure.ts';
import { benchFile } from './program.ts';
import { CALLED_ROWS, createProject } from './projects.ts';

const CALLS = 100_000;
const QUARTERS = 4;
const STRETCH_MS = 2_000;
/** What the measure itself may differ by: V8 and the allocator return memory when they like. */
const FLAT = 1.05;

/** The memory of the process of each engine after each quarter of 100,000 calls at 8 connections. */
export async function measureMemory(built: Built): Promise<readonly Row[]> {
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
    const megabytes: number[] = [];
    for (let quarter = 1; quarter <= QUARTERS; quarter += 1) megabytes.push(await loadQuarter(server));
    return megabytes.map((now, index) => toRow(name, index, { now, before: megabytes[index - 1] ?? null }));
  } finally {
    await server.close();
  }
}

/** The most memory at the end of a stretch in the quarter: garbage goes up and down between them. */
async function loadQuarter({ url, pid }: LoadedServer): Promise<number> {
  const load: Load = { url, ids: CALLED_ROWS, connections: 8, ms: STRETCH_MS, checked: true };
  let most = 0;
  for (let done = 0; done < CALLS / QUARTERS; ) {
    const { calls, failed, wrong } = await ask<Outcome>('load/client.ts', load);
    if (failed + wrong > 0) throw new Error(`${failed} calls failed, and ${wrong} had a wrong row`);
    done += calls;
    most = Math.max(most, megabytesOf(pid));
  }
  return most;
}

function megabytesOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kilobytes) / 1024;
}

function toRow(
  name: string,
  index: number,
  { now, before }: { readonly now: number; readonly before: number | null },
): Row {
  const what = `${name}: resident memory, quarter ${index + 1} of ${CALLS} calls`;
  // The first quarter fills what later calls use again.
  const flat = index >= 2 ? FLAT : null;
  return { what, ours: now, base: before, baseName: 'the quarter before', unit: 'MB', budget: flat };
}
