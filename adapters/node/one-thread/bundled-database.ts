import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../../src/ports.ts';
import { DEFAULT_MEMORY_MB } from '../../duckdb-wasm/default-memory.ts';
import { compileEngine } from '../../duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../duckdb-wasm/in-process.ts';
import type { BundledDatabaseOptions } from '../bundled-database.ts';
import { oneThreadMemory } from '../database/memory-limit.ts';

/**
 * Opens the database of an artefact in this thread. `svc build --engine native`
 * puts `node/native-database.ts` here.
 */
export async function openBundledDatabase({ manifest, pathOf }: BundledDatabaseOptions): Promise<Database> {
  const file = pathFile(pathOf('data.duckdb'), manifest.database.name);
  const memoryMb = oneThreadMemory(process.env, manifest.memoryMb, DEFAULT_MEMORY_MB);
  return openWasm({ ...(await compileEngine()), file, memoryMb, pause: nextTurn });
}
