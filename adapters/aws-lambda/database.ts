import type { Database } from '../../src/ports.ts';
import { compileEngine } from '../duckdb-wasm/artefact.ts';
import { openWasm } from '../duckdb-wasm/in-process.ts';
import { pathFile } from '../duckdb-wasm/path-file.ts';
import { nextImmediate } from '../duckdb-wasm/pause.ts';

/** Opens the database of the package, in this thread: an environment answers one call at a time. */
export async function openPackaged(path: string, name: string): Promise<Database> {
  return openWasm({ ...(await compileEngine()), file: pathFile(path, name), pause: nextImmediate });
}
