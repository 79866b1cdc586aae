import { readFile } from 'node:fs/promises';
import type { Database } from '../../src/ports.ts';
import { openWasm } from '../duckdb-wasm/in-process.ts';
import { pathFile } from '../duckdb-wasm/path-file.ts';

/** Opens the database of the package, in this thread: an environment answers one call at a time. */
export async function openPackaged(pathOf: (file: string) => string): Promise<Database> {
  const [wasm, trampolines] = await Promise.all([
    compile(pathOf('duckdb.wasm')),
    compile(pathOf('trampolines.wasm')),
  ]);
  return openWasm({ wasm, trampolines, file: pathFile(pathOf('data.duckdb')) });
}

async function compile(path: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(path));
}
