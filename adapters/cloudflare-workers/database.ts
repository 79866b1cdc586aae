import type { Manifest } from '../../src/catalog/manifest.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { bytesFile, type DatabaseFile, prepareWasm } from '../duckdb-wasm/in-process.ts';
import wasm from './duckdb.wasm';
import { keptAlive } from './keep-alive.ts';
import type { Bucket } from './r2-object.ts';
import trampolines from './trampolines.wasm';

/** The static assets of the Worker. Only the Worker itself can read them. */
export interface Assets {
  fetch(url: string): Promise<Response>;
}

/** The asset that `svc build` writes. The binding ignores the host. */
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

// Only a request may use random numbers and assets, so the database opens there. Everything else is done at the start.
const open = await prepareWasm({ wasm, trampolines, file });

/** The bindings that may hold the database. */
export interface DatabaseBindings {
  readonly ASSETS?: Assets;
  /** The bucket of a database that is larger than an asset can be. */
  readonly DATABASE?: Bucket;
}

/** The database of the manifest. */
export type BundledDatabase = Manifest['database'];

/** Opens the database among the Worker's assets. Throws `database_unavailable`. */
export async function openBundled(
  { ASSETS: assets }: DatabaseBindings,
  { name: called }: BundledDatabase,
): Promise<Database> {
  if (assets === undefined) {
    const message = 'The database is an asset, but the binding ASSETS is missing.';
    throw new SvcError('database_unavailable', `${message} Keep [assets] in wrangler.toml as it was built.`);
  }
  const response = await assets.fetch(DATABASE);
  if (!response.ok) {
    throw new SvcError(
      'database_unavailable',
      `The asset data.duckdb cannot be read: its status is ${response.status}.`,
    );
  }
  name = called;
  bytes = new Uint8Array(await response.arrayBuffer());
  return keptAlive(await open());
}
