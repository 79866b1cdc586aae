import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../src/errors.ts';

const FILES = ['duckdb.wasm', 'trampolines.wasm', 'LICENSE.duckdb.txt'];

/** Copies the engine that every artefact runs on. */
export async function copyEngine(folder: string): Promise<void> {
  const from = engineFolder();
  for (const file of FILES) await copyFile(join(from, file), join(folder, file));
}

/** The folder of the engine: beside this file in an installed package, in `dist` of a checkout. */
export function engineFolder(): string {
  const places = ['../duckdb-wasm', '../dist/duckdb-wasm'].map((path) => new URL(path, import.meta.url));
  const found = places.map((url) => fileURLToPath(url)).find((path) => existsSync(join(path, 'duckdb.wasm')));
  if (found !== undefined) return found;
  throw new SvcError(
    'internal',
    'The database engine is missing from this installation. Run `npm run build` in a checkout, or install the package again.',
  );
}
