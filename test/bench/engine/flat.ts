import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';
import { openWasmPool } from '../../../adapters/duckdb-wasm/pool/open.ts';
import type { Database } from '../../../src/ports.ts';
import { callMany } from '../../engine/quarters.ts';
import type { Row } from '../measure.ts';
import type { Sales } from './data.ts';

const CALLS = 100_000;

/** Memory over many calls: the average of the last quarter against that of the second. */
export async function measureFlat({ path }: Sales): Promise<readonly Row[]> {
  const engines: readonly (readonly [string, () => Promise<Database>])[] = [
    ['wasm', () => openWasmPool({ path, workers: 2 })],
    ['wasm in process', async () => openWasm({ ...(await compileEngine()), file: pathFile(path) })],
    ['native', () => openNative({ path, readonly: true })],
  ];
  const rows: Row[] = [];
  for (const [name, open] of engines) {
    const database = await open();
    const quarters = await callMany(database, CALLS);
    await database.close();
    rows.push({
      what: `${name}: memory over 100,000 calls, last quarter`,
      ours: quarters[3],
      base: quarters[1],
      baseName: 'second quarter',
      unit: 'MB',
      budget: 1.05,
    });
  }
  return rows;
}
