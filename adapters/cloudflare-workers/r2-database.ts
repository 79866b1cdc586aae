import { waitUntil } from 'cloudflare:workers';
import { fromBase64Url } from '../../src/crypto/encoding.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { type FetchedFile, prepareWasm } from '../duckdb-wasm/in-process.ts';
import { blockDigests } from '../duckdb-wasm/remote/blocks.ts';
import { createReadAhead, unpackColumns } from '../duckdb-wasm/remote/read-ahead.ts';
import { RemoteFile } from '../duckdb-wasm/remote/remote-file.ts';
import type { BundledDatabase, DatabaseBindings } from './database.ts';
import wasm from './duckdb.wasm';
import { openObject } from './r2-object.ts';
import trampolines from './trampolines.wasm';

/* The database in an R2 bucket, for an artefact whose database is larger than a static asset can be. */

/** Cloudflare allows 1,000 requests to R2 for each request to a Worker. */
const MAX_RANGES = 900;

let openFile: () => Promise<FetchedFile> = () => Promise.reject(new Error('no request has come yet'));
const open = await prepareWasm({ wasm, trampolines, file: () => openFile(), maxRanges: MAX_RANGES });

/** Opens the database in the bucket that `DATABASE` binds. Throws `database_unavailable`. */
export async function openBundled(
  { DATABASE: bucket }: DatabaseBindings,
  { name, bytes, remote }: BundledDatabase,
): Promise<Database> {
  if (bucket === undefined || remote === undefined) {
    throw new SvcError(
      'database_unavailable',
      'The database is in an R2 bucket, but the binding DATABASE is missing. Keep [[r2_buckets]] in wrangler.toml as it was built.',
    );
  }
  const digests = blockDigests(fromBase64Url(remote.digests) ?? new Uint8Array());
  const readAhead = createReadAhead(unpackColumns(remote.columns));
  openFile = async () => {
    const source = await openObject(bucket, { key: remote.key, bytes, keepAlive });
    return new RemoteFile({ name, source, digests, readAhead });
  };
  return keptAlive(await open());
}

/** Runs each call to its end even if its client leaves, because the engine may be suspended on a read of that request. */
function keptAlive(database: Database): Database {
  return {
    engine: database.engine,
    readonly: database.readonly,
    run: (request, call) => keepAlive(database.run(request, call)),
    prepare: (sql, mode) => keepAlive(database.prepare(sql, mode)),
    close: () => database.close(),
  };
}

function keepAlive<T>(work: Promise<T>): Promise<T> {
  waitUntil(work.catch(() => {}));
  return work;
}
