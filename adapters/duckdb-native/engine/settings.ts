import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ExtensionSettings } from '../options.ts';
import { extensionOptions } from './extensions.ts';

/** The settings of an engine. */
export interface EngineSettings extends ExtensionSettings {
  readonly readonly: boolean;
  /** Whether the project's statements reach files and the network. Only extensions made for this allow it. */
  readonly external?: boolean;
  /** The most memory the engine's buffers take; DuckDB's default is 80 % of the machine's. */
  readonly memoryMb?: number;
  /** The number of threads that run queries; by default the number of cores. */
  readonly threads?: number;
  /** Whether each statement runs on a thread of Node's pool, because it may wait for a network or for another database. */
  readonly outside?: boolean;
}

/** The options that must be set when the database opens, in DuckDB's order. */
export function openOptions(settings: EngineSettings): Record<string, string> {
  const { readonly, memoryMb, threads = availableParallelism(), outside = false } = settings;
  return {
    access_mode: readonly ? 'READ_ONLY' : 'READ_WRITE',
    // Without spill files a query that needs too much memory fails, instead of filling the disk.
    temp_directory: '',
    ...(memoryMb === undefined ? {} : { memory_limit: `${memoryMb}MiB` }),
    threads: String(threads),
    // A statement runs on the thread that asks for it and on the engine's own, which are one fewer. Waking more of them
    // costs a lookup a quarter more processor time. Without one, a statement that runs in slices would never run.
    external_threads: outside || threads > 1 ? '1' : '0',
    scheduler_process_partial: 'true',
    // The log of a process that was killed is read again at the next start, at about 0.2 ms a commit. DuckDB's default of 16 MB
    // holds a hundred thousand short ones.
    checkpoint_threshold: '1MiB',
    // Rows are in the log before a checkpoint begins, so that one that fails loses none. By default, DuckDB keeps the rows
    // of large transactions out of the log.
    auto_checkpoint_skip_wal_threshold: String(2n ** 64n - 1n),
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    // Secrets come from the user file alone, never from this user's home. Without persistent secrets DuckDB cannot
    // attach Postgres ("Unknown secret storage found: 'local_file'"), so they are kept below a file, where no folder
    // can exist or be created.
    secret_directory: join(process.execPath, 'secrets'),
    ...extensionOptions(settings),
  };
}

/** The pause is as long as the three default ones together. */
const ONE_RETRY = ['SET GLOBAL http_retries = 1', 'SET GLOBAL http_retry_wait_ms = 500'];

/** The statements that close an open database to files, network and settings. The last one locks the configuration. */
export function lockdown({ readonly, external = false, extensions = [] }: EngineSettings): readonly string[] {
  return [
    // A request without an answer takes 30 seconds each time, and keeps its place. DuckDB's default is three retries.
    ...(extensions.some(({ name }) => name === 'httpfs') ? ONE_RETRY : []),
    // The wasm engine knows only UTC, and answers must not depend on the server's location.
    "SET GLOBAL TimeZone = 'UTC'",
    ...(external ? [] : ['SET GLOBAL enable_external_access = false']),
    // A read-only database opens no further files. Without a file system it cannot even read its own file as a blob.
    ...(readonly && !external ? ["SET GLOBAL disabled_filesystems = 'LocalFileSystem'"] : []),
    'SET GLOBAL lock_configuration = true',
  ];
}
