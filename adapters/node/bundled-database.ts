import type { Manifest } from '../../src/catalog/manifest.ts';
import type { Database, Log } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { openWasmPool } from '../duckdb-wasm/pool/open.ts';
import { memoryLimitOf } from './database/memory-limit.ts';

/** The parts of an artefact that open its database. */
export interface BundledDatabaseOptions {
  readonly manifest: Manifest;
  /** Returns the path of a file beside the entry. */
  readonly pathOf: (file: string) => string;
  /** Null if the artefact needs none. */
  readonly settings: Settings | null;
  readonly log: Log;
}

/** Opens the database of an artefact in threads. `svc build --engine native` puts `native-database.ts` here. */
export function openBundledDatabase({ manifest, pathOf }: BundledDatabaseOptions): Promise<Database> {
  const { memoryMb, database } = manifest;
  return openWasmPool({
    path: pathOf('data.duckdb'),
    name: database.name,
    ...memoryLimitOf(process.env, memoryMb),
  });
}
