import { openNative } from '../../adapters/duckdb-native/open.ts';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import type { Database } from '../../src/ports.ts';

/** One way a database file is served on Node. */
export interface EngineCase {
  readonly name: string;
  open(path: string): Promise<Database>;
}

/** Every way a database file is served on Node. */
export const ENGINES: readonly EngineCase[] = [
  { name: 'duckdb-wasm', open: (path) => openWasmPool({ path, workers: 2 }) },
  { name: 'duckdb-native', open: (path) => openNative({ path, readonly: true }) },
  { name: 'duckdb-native, read-write', open: (path) => openNative({ path, readonly: false }) },
];
