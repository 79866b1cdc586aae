import { stat } from 'node:fs/promises';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { BLOCK_BYTES } from '../../adapters/duckdb-wasm/remote/blocks.ts';
import { isTargetName, TARGETS, type TargetChoice } from '../../deploy/targets/targets.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import type { Finding } from '../../src/project/finding.ts';
import { checkRanges } from '../../src/quality/ranges/check.ts';

/** The memory for listing the blocks of a large database, in MiB. */
const MEMORY_MB = 1024;

/** Compares the plans of endpoints with the limits of a platform that reads a database of this size by ranges. */
export async function checkRangesOn(
  target: TargetChoice | null,
  path: string,
  endpoints: Parameters<typeof checkRanges>[0],
  catalog: Catalog,
): Promise<readonly Finding[]> {
  if (target === null || !isTargetName(target) || path === MEMORY_PATH) return [];
  const { remote } = (await TARGETS[target].load()).target;
  const { size } = await stat(path);
  if (!remote || remote.above === null || remote.mostRanges === null || size <= remote.above) return [];
  const limits = { platform: target, ranges: remote.mostRanges, blockBytes: BLOCK_BYTES };
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb: MEMORY_MB });
  try {
    return await checkRanges(endpoints, catalog, database, limits);
  } finally {
    await database.close();
  }
}
