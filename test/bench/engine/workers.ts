import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runScript } from '../../../adapters/duckdb-native/files/script.ts';
import { artefactFolder } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { EXPORTS } from '../../../scripts/wasm/exports.ts';
import { renameExports } from '../../../scripts/wasm/strip.ts';
import { benchFile } from '../program.ts';
import { CONFIGURATION, toConfiguration } from './workerd.ts';

/** Without an engine; ours; ours with the module that the package ships; the package itself. */
export const WORKERS = ['empty', 'ours', 'unstripped', 'stock'] as const;

/** A Worker of the bench. */
export type WorkerName = (typeof WORKERS)[number];

/** What each Worker with an engine answers. */
export const ANSWER = '[{"most":4999}]';

const DATABASE = 'CREATE TABLE customers AS SELECT i AS id FROM range(5000) t(i)';
const EMPTY = `export default { fetch: () => new Response('${ANSWER}') };`;

const PACKAGE = dirname(createRequire(import.meta.url).resolve('@duckdb/duckdb-wasm'));
const ENTRIES: Readonly<Record<Exclude<WorkerName, 'empty'>, string>> = {
  ours: 'bare/worker.ts',
  unstripped: 'bare/worker.ts',
  stock: 'bare/stock-worker.ts',
};

/** Puts each Worker in a folder of its name, ready for workerd. */
export async function prepareWorkers(folder: string): Promise<void> {
  await mkdir(join(folder, 'empty/assets'), { recursive: true });
  await writeFile(join(folder, 'empty/index.js'), EMPTY);
  await writeFile(join(folder, 'empty', CONFIGURATION), toConfiguration(['index.js']));
  await runScript(join(folder, 'data.duckdb'), DATABASE);
  for (const [name, entry] of Object.entries(ENTRIES)) await prepareWorker(folder, name, entry);
}

async function prepareWorker(folder: string, name: string, entry: string): Promise<void> {
  const own = join(folder, name);
  const artefact = (file: string): string => fileURLToPath(new URL(file, artefactFolder()));
  await mkdir(join(own, 'assets'), { recursive: true });
  await bundleWorker(benchFile(entry), join(own, 'index.js'));
  await writeFile(join(own, 'duckdb.wasm'), await engineOf(name, artefact('duckdb.wasm')));
  await copyFile(artefact('trampolines.wasm'), join(own, 'trampolines.wasm'));
  await copyFile(join(folder, 'data.duckdb'), join(own, 'assets/data.duckdb'));
  await writeFile(join(own, CONFIGURATION), toConfiguration(['index.js', 'duckdb.wasm', 'trampolines.wasm']));
}

/** The package's engine, which our adapter knows by other names than the package does. */
async function engineOf(name: string, stripped: string): Promise<Uint8Array> {
  if (name === 'ours') return readFile(stripped);
  const whole = await readFile(join(PACKAGE, 'duckdb-eh.wasm'));
  return name === 'unstripped' ? renameExports(whole, EXPORTS) : whole;
}

/** The package's bindings for browsers find neither Node nor a network in workerd. */
async function bundleWorker(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    external: ['*.wasm'],
    alias: { '@duckdb/duckdb-wasm/blocking': join(PACKAGE, 'duckdb-browser-blocking.mjs') },
    define: {
      process: 'undefined',
      'self.location.href': '""',
      importScripts: 'undefined',
      XMLHttpRequest: 'undefined',
    },
    logLevel: 'error',
  });
}
