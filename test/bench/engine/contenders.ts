import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';
import { openWasmPool } from '../../../adapters/duckdb-wasm/pool/open.ts';
import type { Database } from '../../../src/ports.ts';

/** One way to ask a database file; each answers its rows as objects. */
export interface Contender {
  run(sql: string): Promise<readonly unknown[]>;
  /** Makes the message with the rows for a client, and returns its length; the bare engines make none. */
  toMessage?(rows: readonly unknown[]): number;
  close(): Promise<void>;
}

/** What a contender may take. */
export interface Room {
  readonly memoryMb: number;
}

export type ContenderName = 'wasm' | 'wasm in process' | 'stock wasm' | 'native' | 'plain node-api';

/** Ours and, bare, what they are made of. */
export const CONTENDERS: Readonly<Record<ContenderName, (path: string, room: Room) => Promise<Contender>>> = {
  wasm: async (path, { memoryMb }) => ours(await openWasmPool({ path, workers: 1, memoryMb })),
  'wasm in process': async (path, { memoryMb }) =>
    ours(await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb, pause: nextTurn })),
  'stock wasm': openStock,
  native: async (path) => ours(await openNative({ path, readonly: true })),
  'plain node-api': openPlain,
};

/** Runs a statement as an endpoint would. */
export function ours(database: Database): Contender {
  const call = { caller: null, timeoutMs: 600_000 };
  return {
    run: async (sql) => {
      const request = { sql, values: [], mode: 'read', maxRows: 100_000 } as const;
      return (await database.run(request, { ...call, signal: new AbortController().signal })).rows;
    },
    toMessage,
    close: () => database.close(),
  };
}

/** The text of the content is the JSON of the value, as in `src/mcp/direct.ts`. */
function toMessage(rows: readonly unknown[]): number {
  const json = JSON.stringify(rows);
  const content = `[{"type":"text","text":${JSON.stringify(json)}}]`;
  return Buffer.byteLength(`{"content":${content},"structuredContent":{"result":${json}}}`);
}

type Stock = typeof import('@duckdb/duckdb-wasm/blocking');

/** @duckdb/duckdb-wasm as it is; in Node it opens a database only from memory. */
async function openStock(path: string): Promise<Contender> {
  const require = createRequire(import.meta.url);
  const stock: Stock = require('@duckdb/duckdb-wasm/blocking');
  const dist = dirname(require.resolve('@duckdb/duckdb-wasm'));
  const bundle = (name: string) => ({ mainModule: join(dist, `duckdb-${name}.wasm`), mainWorker: '' });
  const bundles = { mvp: bundle('mvp'), eh: bundle('eh') };
  const database = await stock.createDuckDB(bundles, new stock.VoidLogger(), stock.NODE_RUNTIME);
  await database.instantiate(() => {});
  database.registerFileBuffer('data.duckdb', await readFile(path));
  database.open({ path: 'data.duckdb', accessMode: stock.DuckDBAccessMode.READ_ONLY });
  const connection = database.connect();
  return {
    run: async (sql) =>
      connection
        .query(sql)
        .toArray()
        .map((row) => row.toJSON()),
    close: async () => connection.close(),
  };
}

/** @duckdb/node-api as it is. */
async function openPlain(path: string): Promise<Contender> {
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  return {
    run: async (sql) => (await connection.runAndReadAll(sql)).getRowObjects(),
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
