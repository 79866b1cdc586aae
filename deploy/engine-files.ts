import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { artefactFolder, readEngine } from '../adapters/duckdb-wasm/engine/artefact.ts';

const FILES = ['trampolines.wasm', 'LICENSE.duckdb.txt'];

/** Copies the engine that every artefact runs on. */
export async function copyEngine(folder: string): Promise<void> {
  await writeFile(join(folder, 'duckdb.wasm'), await readEngine());
  for (const file of FILES) await copyFile(join(engineFolder(), file), join(folder, file));
}

/** The folder of the engine. Throws `database_unavailable` if it is missing. */
export function engineFolder(): string {
  return fileURLToPath(artefactFolder());
}
