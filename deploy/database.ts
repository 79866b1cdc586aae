import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, constants, copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { enforceReadableFile } from '../adapters/node/database/database-file.ts';
import type { Manifest } from '../src/catalog/manifest.ts';
import { SvcError, toSvcError } from '../src/errors.ts';
import { type LoadedTable, type LoadOptions, loadTables } from './load-tables.ts';
import { type SortedTable, sortTables } from './sort-tables.ts';

/** The database file in the artefact. */
export interface CopiedDatabase {
  /** The file name in the project. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The database as the manifest has it. */
export type ServedDatabase = Manifest['database'];

const ATTEMPTS = 5;

/** Copies a database and describes the copy. */
export async function copyDatabase(source: string, target: string): Promise<CopiedDatabase> {
  await copyWhole(source, target);
  return describe(source, target);
}

/**
 * Copies a database as one complete file, including the changes in its log. The source and its log stay as they are,
 * because a server with the wasm engine may read them without a lock. DuckDB writes a log into a file in other bytes each
 * time, so two copies of a source with a log have the same rows and different bytes.
 */
export async function copyWhole(source: string, target: string): Promise<void> {
  await enforceReadableFile(source);
  if ((await version(source)) === null) throw missing(source);
  await mkdir(dirname(target), { recursive: true });
  await copyUnchanged(source, target);
  if (await hasLog(target)) await checkpoint(target);
  for (const log of logsOf(target)) await rm(log, { force: true });
}

/**
 * Fills tables of the artefact's database from files. If the project has no database, it makes one from these tables.
 */
export async function loadDatabase(
  source: string,
  target: string,
  options: LoadOptions,
): Promise<{ readonly database: CopiedDatabase; readonly loaded: readonly LoadedTable[] }> {
  await enforceReadableFile(source);
  if ((await version(source)) === null) await mkdir(dirname(target), { recursive: true });
  else await copyDatabase(source, target);
  const loaded = await loadTables(target, options);
  return { database: await describe(source, target), loaded };
}

/** Sorts tables of the artefact's database. */
export async function sortDatabase(
  source: string,
  target: string,
  tables: readonly SortedTable[],
): Promise<CopiedDatabase> {
  await sortTables(target, tables);
  return describe(source, target);
}

async function describe(source: string, file: string): Promise<CopiedDatabase> {
  return { name: basename(source), bytes: (await stat(file)).size, sha256: await sha256(file) };
}

/** Whether a database has changes that are not in its file yet. */
export async function hasLog(file: string): Promise<boolean> {
  const log = await stat(wal(file)).catch(() => null);
  return log !== null && log.size > 0;
}

/** Copies file and logs. Repeats if a writer changed any of them meanwhile. */
async function copyUnchanged(source: string, target: string): Promise<void> {
  const versions = async (): Promise<string> =>
    (await Promise.all([source, ...logsOf(source)].map(version))).join(' ');
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await versions();
    await copyWritable(source, target);
    for (const [index, log] of logsOf(target).entries()) {
      await rm(log, { force: true });
      await copyWritable(logsOf(source)[index] ?? '', log).catch(ignoreMissing);
    }
    if (before === (await versions())) return;
  }
  throw new SvcError(
    'database_unavailable',
    `${source} changes while it is copied. Stop the program that writes to it and try again.`,
  );
}

/**
 * Copies a file; without reading it where the file system shares blocks. Its owner may write to the copy, also if the
 * original is read-only.
 */
async function copyWritable(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, ((await stat(target)).mode & 0o777) | 0o200);
}

/** Writes the log of a database into its file, with the native engine, because the wasm engine only reads. */
async function checkpoint(file: string): Promise<void> {
  const { runScript } = await import('../adapters/duckdb-native/files/script.ts');
  try {
    await runScript(file, 'CHECKPOINT');
  } catch (cause) {
    const { code, message } = toSvcError(cause);
    throw new SvcError(code, `The log of the database cannot be written into it: ${message}`, { cause });
  }
}

async function version(file: string): Promise<string | null> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found?.isFile() ? `${found.ino}:${found.size}:${found.mtimeNs}` : null;
}

/** The SHA-256 of a file, in hex. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

function missing(source: string): SvcError {
  const fix =
    'Create it (a `seed.sql` beside svc-site.yml does it), or name another with `database.path` of the profile or with SVC_DATABASE_PATH.';
  return new SvcError('database_unavailable', `There is no database file at ${source}. ${fix}`);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function wal(file: string): string {
  return `${file}.wal`;
}

/** The log, and the second one that a writer leaves if it is killed in a checkpoint while others commit. */
export function logsOf(file: string): readonly string[] {
  return [wal(file), `${wal(file)}.checkpoint`];
}
