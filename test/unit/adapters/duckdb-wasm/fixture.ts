import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadDriver } from '../../../../adapters/duckdb-native/driver/driver.ts';
import { compileEngine } from '../../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../../../adapters/duckdb-wasm/in-process.ts';
import { type ErrorCode, SvcError } from '../../../../src/errors.ts';
import type { Database, SqlCall, SqlCaller, SqlResult } from '../../../../src/ports.ts';
import type { SqlValue } from '../../../../src/sql-value.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

/** Tables small and large enough for every test of this folder. */
export const TABLES = `
  CREATE TABLE users AS SELECT i::INTEGER AS id, 'u' || i || '@example.com' AS email FROM range(1000) r(i);
  CREATE TABLE words AS SELECT i AS id, 'word ' || i AS word, (i / 7)::DECIMAL(12, 3) AS amount FROM range(100000) r(i);
`;

/** Makes a database file with the native engine, whose blocks have a size in bytes, and answers its path. */
export async function createDatabase(
  sql = TABLES,
  name = 'data.duckdb',
  folder = temporaryFolder(),
  blockBytes = 262_144,
): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, await databaseOf(sql, blockBytes));
  return path;
}

const made = new Map<string, Promise<Buffer>>();

function databaseOf(sql: string, blockBytes: number): Promise<Buffer> {
  const key = `${blockBytes} ${sql}`;
  const database = made.get(key) ?? makeDatabase(sql, blockBytes);
  made.set(key, database);
  return database;
}

async function makeDatabase(sql: string, blockBytes: number): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-wasm-'));
  const path = join(folder, 'made.duckdb');
  const { openInstance } = await loadDriver();
  const instance = await openInstance(path, { default_block_size: String(blockBytes) });
  const connection = await instance.connect();
  await connection.run(sql);
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return bytes;
}

/** Opens a database in this thread; it is closed after the test. */
export async function openHere(path: string, memoryMb = 64): Promise<Database> {
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb });
  onTestFinished(() => database.close());
  return database;
}

/** What of a call a test chooses. */
export interface Circumstances {
  readonly values?: readonly SqlValue[];
  readonly caller?: SqlCaller | null;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxRows?: number;
  readonly maxBytes?: number;
}

/** Runs a reading statement. */
export function read(database: Database, sql: string, chosen: Circumstances = {}): Promise<SqlResult> {
  const { values = [], caller = null, timeoutMs = 20_000, maxRows = 1000, maxBytes } = chosen;
  const call: SqlCall = { caller, timeoutMs, signal: chosen.signal ?? new AbortController().signal };
  return database.run({ sql, values, mode: 'read', maxRows, ...(maxBytes && { maxBytes }) }, call);
}

/** The code and the text of the error a promise ends with. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
  try {
    await promise;
  } catch (thrown) {
    if (thrown instanceof SvcError) return { code: thrown.code, message: thrown.message };
    throw thrown;
  }
  throw new Error('it did not fail');
}

/** A caller that says who it is in every way. */
export function callerNamed(name: string): SqlCaller {
  return {
    externalToken: `token of ${name}`,
    username: name,
    provider: 'idp',
    email: `${name}@example.com`,
    headers: new Map([['x-name', name]]),
  };
}

/** Opens the tables for all tests of a file, which closes them itself. */
export async function openShared(memoryMb = 64): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-wasm-'));
  const path = await createDatabase(TABLES, 'data.duckdb', folder);
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(path), memoryMb });
  // The open descriptor keeps the file alive.
  rmSync(folder, { recursive: true });
  return database;
}
