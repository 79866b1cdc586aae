import { join } from 'node:path';
import { type ExtensionSettings, extensionOptions } from './extensions.ts';

/** What decides how an engine is set up. */
export interface EngineSettings extends ExtensionSettings {
  readonly readonly: boolean;
  /** Whether the project's statements reach files and the network: only where an extension is there for that. */
  readonly external?: boolean;
  /** The most memory the engine's buffers take; DuckDB's default is 80 % of the machine's. */
  readonly memoryMb?: number;
  /** How many threads run queries; as many as there are cores by default. */
  readonly threads?: number;
}

/** Options that must be there when the database opens; DuckDB takes them in this order. */
export function openOptions(settings: EngineSettings): Record<string, string> {
  const { readonly, memoryMb, threads } = settings;
  return {
    access_mode: readonly ? 'READ_ONLY' : 'READ_WRITE',
    // Without spill files a query that needs too much memory is a clear error and not a full disk.
    temp_directory: '',
    ...(memoryMb === undefined ? {} : { memory_limit: `${memoryMb}MiB` }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
    // Queries run on the engine's own threads in slices, so that a long one never keeps others waiting.
    external_threads: '0',
    scheduler_process_partial: 'true',
    autoload_known_extensions: 'false',
    autoinstall_known_extensions: 'false',
    // Secrets come from the user file alone, never from this user's home. Without persistent secrets DuckDB cannot
    // attach Postgres ("Unknown secret storage found: 'local_file'"), so they are kept below a file, where no folder
    // can exist or be created.
    secret_directory: join(process.execPath, 'secrets'),
    ...extensionOptions(settings),
  };
}

/** Statements that close an open database to everything outside it; nothing can be changed after the last. */
export function lockdown({ readonly, external = false }: EngineSettings): readonly string[] {
  return [
    // The other engine knows only UTC, and an answer must not depend on where the server stands.
    "SET GLOBAL TimeZone = 'UTC'",
    ...(external ? [] : ['SET GLOBAL enable_external_access = false']),
    // A read-only database opens no more files, so it can do without the file system: read_blob of itself included.
    ...(readonly && !external ? ["SET GLOBAL disabled_filesystems = 'LocalFileSystem'"] : []),
    'SET GLOBAL lock_configuration = true',
  ];
}
