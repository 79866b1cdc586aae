import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { compileEngine } from '../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../adapters/duckdb-wasm/in-process.ts';
import { blockOfId, layoutOf } from '../adapters/duckdb-wasm/remote/blocks.ts';
import { type ColumnBlocks, packColumns } from '../adapters/duckdb-wasm/remote/read-ahead.ts';
import type { RemoteDatabase } from '../src/catalog/manifest.ts';
import type { JsonObject } from '../src/json.ts';
import type { Database } from '../src/ports.ts';
import type { CopiedDatabase } from './database.ts';
import { toDeploymentName } from './targets/deployment-name.ts';

/** The memory for listing the blocks of a large database, in MiB. */
const MEMORY_MB = 1024;
/** The longest time for one table, in milliseconds. */
const TIMEOUT_MS = 600_000;
const MOST_SEGMENTS = 10_000_000;

/** Describes a database that an artefact reads by ranges: its key, the digests of its blocks, and the blocks of its columns. */
export async function describeRemote(
  path: string,
  { bytes, sha256 }: CopiedDatabase,
  { project, store }: { readonly project: string; readonly store: string },
): Promise<RemoteDatabase> {
  return {
    store,
    key: `${toDeploymentName(project)}/${sha256.slice(0, 16)}.duckdb`,
    digests: (await digestBlocks(path, bytes)).toString('base64url'),
    columns: packColumns(await listColumns(path)),
  };
}

async function digestBlocks(path: string, bytes: number): Promise<Buffer> {
  const layout = layoutOf(bytes);
  const file = await open(path);
  try {
    const digests: Buffer[] = [];
    for (let block = 0; block < layout.count; block += 1) {
      const { start, end } = layout.range(block);
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      digests.push(createHash('sha256').update(buffer).digest());
    }
    return Buffer.concat(digests);
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
    const columns: (readonly number[])[] = [];
    for (const { s, t } of tables) columns.push(...(await columnsOf(database, String(s), String(t))));
    return columns;
  } finally {
    await database.close();
  }
}

async function columnsOf(database: Database, schema: string, table: string): Promise<ColumnBlocks> {
  const name = [schema, table].map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
  const segments = await read(
    database,
    `SELECT column_path AS c, block_id AS b FROM pragma_storage_info('${name.replaceAll("'", "''")}')
     WHERE block_id >= 0 ORDER BY column_id, column_path, row_group_id, segment_id`,
  );
  const columns = new Map<string, number[]>();
  for (const { c, b } of segments) {
    const blocks = columns.get(String(c)) ?? [];
    columns.set(String(c), blocks);
    const block = blockOfId(Number(b));
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
