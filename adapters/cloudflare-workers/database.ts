import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { bytesFile, openWasm } from '../duckdb-wasm/in-process.ts';
import wasm from './duckdb.wasm';
import trampolines from './trampolines.wasm';

/** The static assets of the Worker; only the Worker itself reads them. */
export interface Assets {
  fetch(url: string): Promise<Response>;
}

/** Where `svc build` puts the database; the host is never looked at. */
const DATABASE = 'http://assets/data.duckdb';

/** Opens the database that lies among the Worker's assets. */
export async function openAsset(assets: Assets): Promise<Database> {
  const response = await assets.fetch(DATABASE);
  if (!response.ok) {
    throw new SvcError('database_unavailable', `The asset data.duckdb was answered with ${response.status}.`);
  }
  return openWasm({ wasm, trampolines, file: bytesFile(new Uint8Array(await response.arrayBuffer())) });
}
