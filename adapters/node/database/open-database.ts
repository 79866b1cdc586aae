import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import type { Database, Log } from '../../../src/ports.ts';
import { MEMORY_PATH } from '../../../src/project/attachment.ts';
import type { NativeOptions } from '../../duckdb-native/options.ts';
import { makeFolder } from '../make-folder.ts';
import type { DatabaseChoice } from './database-choice.ts';
import { enforceReadableFile } from './database-file.ts';

/** A choice, and how it is opened. */
export interface OpenOptions extends DatabaseChoice {
  /** Whether a missing read-write database is created; yes by default. */
  readonly create?: boolean;
  /** The log of a server. */
  readonly log?: Log;
}

/**
 * Opens a database and loads only the engine that it needs. Creates a missing read-write database; throws
 * `database_unavailable` if a read-only one is missing.
 */
export async function openNodeDatabase({ create = true, log, ...choice }: OpenOptions): Promise<Database> {
  const { path, readonly, engine, extensions, memoryMb, external, secrets = [] } = choice;
  const { attach, use, root } = choice;
  const inMemory = path === MEMORY_PATH;
  if (readonly && !inMemory && !existsSync(path)) throw missing(path);
  if (!inMemory && !(await isHeld(choice))) await enforceReadableFile(path);
  if (engine === 'wasm') return openWasm(choice);
  if (create && !readonly && !inMemory) makeFolder(dirname(path));
  const options: NativeOptions = {
    path,
    readonly,
    createIfMissing: create,
    secrets,
    ...extensions,
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(external === undefined ? {} : { external }),
    ...(attach === undefined ? {} : { attach }),
    ...(use === undefined ? {} : { use }),
    ...(root === undefined ? {} : { root }),
  };
  return openIsolated(choice.isolated, options, log);
}

/**
 * Whether the engine in this process has the file open for writing. Such a file must not be read here: when a process
 * closes any descriptor of a file, the system ends its locks on it (POSIX), and another process could write too.
 */
async function isHeld({ path, engine, isolated }: DatabaseChoice): Promise<boolean> {
  if (engine !== 'native' || isolated !== undefined) return false;
  const { isOpenForWriting } = await import('../../duckdb-native/engine/engine.ts');
  return isOpenForWriting(path);
}

async function openIsolated(
  isolated: DatabaseChoice['isolated'],
  options: NativeOptions,
  log: Log | undefined,
): Promise<Database> {
  if (isolated === undefined) return (await import('../../duckdb-native/open.ts')).openNative(options);
  const { openForCallers, openProcess } = await import('../../duckdb-native/process/open.ts');
  return isolated === 'all' ? openProcess(options, log) : openForCallers(options, log);
}

async function openWasm(choice: DatabaseChoice): Promise<Database> {
  const { path, readonly, extensions, memoryMb, attach = [] } = choice;
  const names = (extensions?.extensions ?? []).map(({ name }) => name);
  const [own] = attach.filter((one) => one.own === true);
  if (own !== undefined) throw readsNoAddress(own.uri);
  if (attach.length > 0) throw attachesNothing(attach.map(({ name }) => name));
  if (names.length > 0) throw loadsNothing(names);
  if (!readonly) throw writes(path);
  const { openWasmPool } = await import('../../duckdb-wasm/pool/open.ts');
  return openWasmPool({ path, ...(memoryMb === undefined ? {} : { memoryMb }) });
}

function missing(path: string): SvcError {
  return new SvcError(
    'database_unavailable',
    `There is no database file at ${path}, and a read-only database cannot be created.
Create it first (svc runs a \`seed.sql\` beside svc-site.yml on start), or correct \`database.path\` of the profile.`,
  );
}

function writes(path: string): SvcError {
  return new SvcError(
    'config_invalid',
    `The engine wasm can only read, but the profile opens ${path} for writing.
Set \`readonly: true\` for the database of the profile, or \`engine: native\`.`,
  );
}

function readsNoAddress(uri: string): SvcError {
  return new SvcError(
    'target_unsupported',
    `The engine wasm reads only files of this machine, and \`database.path\` is ${uri}.
Set \`engine: native\` for the database of the profile, or download the file.`,
  );
}

function attachesNothing(names: readonly string[]): SvcError {
  return new SvcError(
    'target_unsupported',
    `The engine wasm attaches no databases, and the profile names ${names.join(', ')} under \`attach\`.
Set \`engine: native\` for the database of the profile, or remove them.`,
  );
}

function loadsNothing(extensions: readonly string[]): SvcError {
  return new SvcError(
    'target_unsupported',
    `The engine wasm cannot load extensions, but the project names ${extensions.join(', ')}.
Set \`engine: native\` for the database of the profile, or remove them from \`extensions\`.`,
  );
}
