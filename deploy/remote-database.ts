import { createHash } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compileEngine } from '../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../adapters/duckdb-wasm/in-process.ts';
import { blockOfId, layoutOf } from '../adapters/duckdb-wasm/remote/blocks.ts';
import { type ColumnBlocks, packColumns } from '../adapters/duckdb-wasm/remote/read-ahead.ts';
import type { RemoteDatabase } from '../src/catalog/manifest.ts';
import { SvcError } from '../src/errors.ts';
import type { JsonObject } from '../src/json.ts';
import type { Database } from '../src/ports.ts';
import { readBlockBytes } from '../src/quality/ranges/blocks.ts';
import { quoteName, quoteText } from '../src/sql/quote.ts';
import type { CopiedDatabase } from './database.ts';
import {
  BLOCKS_FOLDER,
  type BuildTarget,
  type StoreKind,
  toDeploymentName,
  UPLOADED_DATABASE,
} from './targets/target.ts';

/** A database of an artefact that may be read by ranges. */
interface StoreChoice {
  /** The value of `--store`. */
  readonly asked: string | undefined;
  /** The size of the database. */
  readonly bytes: number;
  /** Whether the artefact has the native engine. */
  readonly native: boolean;
}

/** The place of a database that is read by ranges; null if the artefact contains it as one file. Throws `usage`. */
export function chooseStore(target: BuildTarget, { asked, bytes, native }: StoreChoice): string | null {
  const stores: readonly StoreKind[] = target.remote?.stores ?? [];
  const above = target.remote?.above ?? null;
  if (asked === undefined) return native || above === null || bytes <= above ? null : (stores[0] ?? null);
  if (native) {
    throw new SvcError(
      'usage',
      '--store is for the wasm engine. The native engine opens remote files with `attach` of the profile.',
    );
  }
  if (hasUser(asked)) {
    throw new SvcError(
      'usage',
      '--store names an address with a user name or a password, which would be written into the artefact, and which the program cannot use. Leave them out, or store the database in S3: --store s3://bucket/folder.',
    );
  }
  const kind = kindOf(asked);
  if (kind !== null && stores.includes(kind)) return asked.replace(/\/+$/, '');
  const fix =
    stores.length === 0
      ? 'Leave it out: the platform reads no database by ranges.'
      : `Choose ${stores.map((known) => FORMS[known]).join(' or ')}.`;
  throw new SvcError('usage', `--store ${asked} is not possible for this platform. ${fix}`);
}

/** The forms of `--store`. */
const FORMS: { readonly [kind in StoreKind]: string } = {
  r2: 'r2',
  assets: 'assets',
  s3: 's3://bucket/folder',
  https: 'https://host/folder',
};

function hasUser(store: string): boolean {
  if (!URL.canParse(store)) return false;
  const { username, password } = new URL(store);
  return username !== '' || password !== '';
}

function kindOf(store: string): StoreKind | null {
  if (store === 'r2' || store === 'assets') return store;
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.\-/]*)?$/.test(store)) return 's3';
  // The address becomes a word of a command.
  const address = /^[\w.~:/%[\]-]+$/.test(store) && URL.canParse(store) ? new URL(store) : null;
  if (address === null || address.search !== '' || address.hash !== '') return null;
  // Another scheme is safe on this machine only.
  const here = address.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(address.hostname);
  return address.protocol === 'https:' || here ? 'https' : null;
}

/** The memory for listing the blocks of a large database, in MiB. */
const MEMORY_MB = 1024;
/** The longest time for one table, in milliseconds. */
const TIMEOUT_MS = 600_000;
const MOST_SEGMENTS = 10_000_000;

/** Describes a database that an artefact reads by ranges: its key, the digests of its blocks, and the blocks of its columns. */
export async function describeRemote(
  path: string,
  { sha256 }: CopiedDatabase,
  { project, store }: { readonly project: string; readonly store: string },
): Promise<RemoteDatabase> {
  return {
    store,
    key: `${toDeploymentName(project)}/${sha256.slice(0, 16)}.duckdb`,
    digests: (await digestBlocks(path)).toString('base64url'),
    columns: packColumns(await listColumns(path)),
  };
}

async function digestBlocks(path: string): Promise<Buffer> {
  const digests: Buffer[] = [];
  for await (const block of blocksOf(path)) digests.push(createHash('sha256').update(block).digest());
  return Buffer.concat(digests);
}

async function* blocksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const layout = layoutOf((await file.stat()).size);
    for (let block = 0; block < layout.count; block += 1) {
      const { start, end } = layout.range(block);
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      yield buffer;
    }
  } finally {
    await file.close();
  }
}

async function listColumns(path: string): Promise<ColumnBlocks> {
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb: MEMORY_MB });
  try {
    const tables = await read(
      database,
      'SELECT schema_name AS s, table_name AS t FROM duckdb_tables() ORDER BY ALL',
    );
    const size = await readBlockBytes(database);
    const columns: (readonly number[])[] = [];
    for (const { s, t } of tables)
      columns.push(...(await columnsOf(database, [s, t].map(String).map(quoteName).join('.'), size)));
    return columns;
  } finally {
    await database.close();
  }
}

/** The blocks of the columns of a table, in a database whose blocks have a size in bytes. */
async function columnsOf(database: Database, table: string, size: number): Promise<ColumnBlocks> {
  const segments = await read(
    database,
    `SELECT column_path AS c, block_id AS b FROM pragma_storage_info(${quoteText(table)})
     WHERE block_id >= 0 ORDER BY column_id, column_path, row_group_id, segment_id`,
  );
  const columns = new Map<string, number[]>();
  for (const { c, b } of segments) {
    const blocks = columns.get(String(c)) ?? [];
    columns.set(String(c), blocks);
    const block = blockOfId(Number(b), size);
    if (blocks.at(-1) !== block) blocks.push(block);
  }
  // A scan of one or two blocks has nothing to fetch ahead.
  return [...columns.values()].filter((blocks) => blocks.length > 2);
}

async function read(database: Database, sql: string): Promise<readonly JsonObject[]> {
  const { rows } = await database.run(
    { sql, values: [], mode: 'read', maxRows: MOST_SEGMENTS },
    { caller: null, signal: new AbortController().signal, timeoutMs: TIMEOUT_MS },
  );
  return rows;
}

/** Moves a database to its place in the artefact: the file to upload, or the assets of its blocks. */
export async function placeDatabase(copy: string, folder: string, store: string): Promise<void> {
  if (store === 'assets') return writeBlocks(copy, join(folder, BLOCKS_FOLDER));
  const place = join(folder, UPLOADED_DATABASE);
  await mkdir(dirname(place), { recursive: true });
  await rename(copy, place);
}

async function writeBlocks(copy: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  let number = 0;
  for await (const block of blocksOf(copy)) {
    await writeFile(join(folder, String(number)), block);
    number += 1;
  }
  await rm(copy);
}
