import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runScript } from '../../../adapters/duckdb-native/script.ts';
import { artefactFolder } from '../../../adapters/duckdb-wasm/artefact.ts';
import { startWorker } from '../../matrix/worker.ts';
import type { Row } from '../measure.ts';
import { benchFile } from '../program.ts';

const ROUNDS = 5;

const CONFIGURATION = `name = "bare"
main = "index.js"
compatibility_date = "2026-10-20"
no_bundle = true
find_additional_modules = true
[assets]
directory = "assets"
binding = "ASSETS"
run_worker_first = true
`;

/** In workerd: our stripped engine against the module that @duckdb/duckdb-wasm ships, both by our loader. */
export async function measureWorker(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-worker-'));
  try {
    const [stripped, whole] = await prepare(folder);
    const best = { stripped: NEVER, whole: NEVER };
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = round % 2 === 0 ? (['stripped', 'whole'] as const) : (['whole', 'stripped'] as const);
      for (const side of order)
        best[side] = better(best[side], await start(side === 'stripped' ? stripped : whole));
    }
    return toRows(best.stripped, best.whole);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Milliseconds until a Worker listens, and from its first request to the answer. */
interface Start {
  readonly listens: number;
  readonly first: number;
}

const NEVER: Start = { listens: Number.POSITIVE_INFINITY, first: Number.POSITIVE_INFINITY };

const better = (one: Start, other: Start): Start => ({
  listens: Math.min(one.listens, other.listens),
  first: Math.min(one.first, other.first),
});

function toRows(stripped: Start, whole: Start): readonly Row[] {
  const row = { baseName: 'unstripped', unit: 'ms' };
  return [
    {
      ...row,
      what: 'workerd: first request, engine alone',
      ours: stripped.first,
      base: whole.first,
      budget: 0.4,
    },
    { ...row, what: 'workerd: until it listens', ours: stripped.listens, base: whole.listens, budget: null },
  ];
}

/** Two Workers that differ in one file. */
async function prepare(folder: string): Promise<readonly [string, string]> {
  const [stripped, whole] = [join(folder, 'stripped'), join(folder, 'whole')];
  await mkdir(join(stripped, 'assets'), { recursive: true });
  await build({
    entryPoints: [benchFile('bare/worker.ts')],
    outfile: join(stripped, 'index.js'),
    bundle: true,
    format: 'esm',
    external: ['*.wasm'],
    logLevel: 'silent',
  });
  await runScript(
    join(stripped, 'assets/data.duckdb'),
    'CREATE TABLE customers AS SELECT i AS id FROM range(5000) t(i)',
  );
  await writeFile(join(stripped, 'wrangler.toml'), CONFIGURATION);
  for (const name of ['duckdb.wasm', 'trampolines.wasm'])
    await copyFile(fileURLToPath(new URL(name, artefactFolder())), join(stripped, name));
  await cp(stripped, whole, { recursive: true });
  const dist = dirname(createRequire(import.meta.url).resolve('@duckdb/duckdb-wasm'));
  await copyFile(join(dist, 'duckdb-eh.wasm'), join(whole, 'duckdb.wasm'));
  return [stripped, whole];
}

async function start(folder: string): Promise<Start> {
  const begun = performance.now();
  const worker = await startWorker(folder);
  const listening = performance.now();
  const response = await fetch(worker.url);
  const text = await response.text();
  const answered = performance.now();
  await worker.close();
  if (text !== '[{"most":4999}]') throw new Error(`unexpected answer: ${text}`);
  return { listens: listening - begun, first: answered - listening };
}
