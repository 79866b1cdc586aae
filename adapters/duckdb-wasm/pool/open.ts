import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import type { Database } from '../../../src/ports.ts';
import { POOL_MEMORY_MB } from '../default-memory.ts';
import { compileEngine } from '../engine/artefact.ts';
import { openPath } from '../engine/path-file.ts';
import { Pool } from './pool.ts';

/** The options of a pool. */
export interface WasmPoolOptions {
  /** The database file. */
  readonly path: string;
  /** The name in the engine; by default the file's name. */
  readonly name?: string;
  /** The folder with duckdb.wasm and trampolines.wasm; found by itself beside the program or in the package. */
  readonly artefactDir?: string;
  /** The worker's entry; by default `engine-worker` beside this file. */
  readonly workerUrl?: URL;
  /** The most engines; by default one for each core, up to 4. */
  readonly workers?: number;
  /** The most memory each engine can take; 512 by default. */
  readonly memoryMb?: number;
  /** The most calls that wait; 1,024 by default. */
  readonly queueLimit?: number;
}

/** Opens a read-only database with engines in worker threads; the first one is started before this answers. */
export async function openWasmPool(options: WasmPoolOptions): Promise<Database> {
  const { path, name, artefactDir, workers = Math.min(availableParallelism(), 4) } = options;
  const folder = artefactDir === undefined ? undefined : pathToFileURL(`${artefactDir}/`);
  const engine = await compileEngine(folder);
  const pool = new Pool({
    workerUrl: options.workerUrl ?? workerBeside(import.meta.url),
    openFile: () => openPath(path, name),
    setup: { ...engine, memoryMb: options.memoryMb ?? POOL_MEMORY_MB },
    workers,
    queueLimit: options.queueLimit ?? 1024,
  });
  return pool.open();
}

/** The worker's entry beside a program, in TypeScript or JavaScript as the program is. */
function workerBeside(program: string): URL {
  return new URL(program.endsWith('.ts') ? './engine-worker.ts' : './engine-worker.js', program);
}
