import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { type FetchedFile, prepareWasm } from '../duckdb-wasm/in-process.ts';
import { layoutOf } from '../duckdb-wasm/remote/blocks.ts';
import { openRemote, type RangeSource } from '../duckdb-wasm/remote/remote-file.ts';
import type { Assets, BundledDatabase, DatabaseBindings } from './database.ts';
import wasm from './duckdb.wasm';
import { keepAlive, keptAlive } from './keep-alive.ts';
import { MAX_RANGES } from './limits.ts';
import { openObject } from './r2-object.ts';
import trampolines from './trampolines.wasm';

/* A database that is read by ranges: an object in an R2 bucket, or an asset for each block. */

let openFile: () => Promise<FetchedFile> = () => Promise.reject(new Error('no request has come yet'));
const open = await prepareWasm({ wasm, trampolines, file: () => openFile(), maxRanges: MAX_RANGES });

/** Opens the database in the store that the manifest names. Throws `database_unavailable`. */
export async function openBundled(bindings: DatabaseBindings, database: BundledDatabase): Promise<Database> {
  openFile = async () => openRemote(database, await openSource(bindings, database));
  return keptAlive(await open());
}

async function openSource(
  { DATABASE: bucket, ASSETS: assets }: DatabaseBindings,
  { bytes, remote }: BundledDatabase,
): Promise<RangeSource> {
  const { store, key } = remote ?? { store: '', key: '' };
  if (store === 'assets' && assets !== undefined) return blockAssets(assets, { bytes, keepAlive });
  if (store === 'r2' && bucket !== undefined) return openObject(bucket, { key, bytes, keepAlive });
  const [binding, table] = store === 'assets' ? ['ASSETS', '[assets]'] : ['DATABASE', '[[r2_buckets]]'];
  throw new SvcError(
    'database_unavailable',
    `The database is behind the binding ${binding}, which is missing. Keep ${table} in wrangler.toml as it was built.`,
  );
}

/** The assets that an artefact expects. */
interface ExpectedAssets {
  /** The size of the database. */
  readonly bytes: number;
  /** Lets a request end although the request of a client that began it has ended. */
  readonly keepAlive: <T>(work: Promise<T>) => Promise<T>;
}

/** A database whose blocks are static assets of the Worker, which have the Worker's version. Reads one block at a time. */
function blockAssets(assets: Assets, { bytes, keepAlive }: ExpectedAssets): RangeSource {
  const layout = layoutOf(bytes);
  const read = async (offset: number): Promise<Uint8Array<ArrayBuffer>> => {
    const [block] = layout.holding(offset, 1);
    const response = await assets.fetch(`http://assets/blocks/${block}`);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    await response.body?.cancel();
    throw new Error(`the asset blocks/${block} has the status ${response.status}`);
  };
  return { name: 'of the assets', size: bytes, read: (offset) => keepAlive(read(offset)) };
}
