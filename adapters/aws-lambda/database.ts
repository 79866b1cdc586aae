import type { Database } from '../../src/ports.ts';
import { compileEngine } from '../duckdb-wasm/engine/artefact.ts';
import { nextImmediate } from '../duckdb-wasm/engine/next-immediate.ts';
import { pathFile } from '../duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../duckdb-wasm/in-process.ts';

/** Opens the database of the package, in this thread: an environment answers one call at a time. */
export async function openPackaged(path: string, name: string): Promise<Database> {
  return openWasm({ ...(await compileEngine()), file: pathFile(path, name), pause: nextImmediate });
}
