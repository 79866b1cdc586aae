import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { bytesFile, type DatabaseFile, prepareWasm } from '../duckdb-wasm/in-process.ts';
import wasm from './duckdb.wasm';
import trampolines from './trampolines.wasm';

/** The static assets of the Worker; only the Worker itself reads them. */
export interface Assets {
  fetch(url: string): Promise<Response>;
}

/** Where `svc build` puts the database; the host is never looked at. */
const DATABASE = 'http://assets/data.duckdb';

let bytes = new Uint8Array();
let name = '';
const file: DatabaseFile = {
  get name() {
    return name;
  },
  size: () => bytesFile(bytes).size(),
  read: (target, position) => bytesFile(bytes).read(target, position),
  close() {},
};

// Opening needs random numbers and the file, which only a request has; the rest is done at the start.
const open = await prepareWasm({ wasm, trampolines, file });

/** Opens the database that lies among the Worker's assets. */
export async function openAsset(assets: Assets | undefined, called: string): Promise<Database> {
  if (assets === undefined) {
    const message = 'No assets are bound as ASSETS, and the database is one.';
    throw new SvcError('database_unavailable', `${message} Keep [assets] in wrangler.toml as it was built.`);
  }
  const response = await assets.fetch(DATABASE);
  if (!response.ok) {
    throw new SvcError('database_unavailable', `The asset data.duckdb was answered with ${response.status}.`);
  }
  name = called;
  bytes = new Uint8Array(await response.arrayBuffer());
  return open();
}
