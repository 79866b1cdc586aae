import { SvcError } from '../../../src/errors.ts';
import { toDuckdbError } from '../errors.ts';
import type { DatabaseFile } from './database-file.ts';
import { mountPath } from './file-system.ts';
import type { Instance } from './instance.ts';
import { type EngineStep, whileText } from './steps.ts';

/** The memory that the engine needs before any query, in MiB: static data, stack, catalog. */
const OWN_MB = 16;
/** The share of the rest that DuckDB may use. It allocates some memory that it does not count. */
const COUNTED = 0.85;

/** Addresses above this would be negative numbers in JavaScript. */
export const MOST_MB = 2048;
const LEAST_MB = 24;

/** Refuses a limit that the engine cannot work with. */
export function checkMemory(memoryMb: number): void {
  if (Number.isInteger(memoryMb) && memoryMb >= LEAST_MB && memoryMb <= MOST_MB) return;
  throw new SvcError(
    'config_invalid',
    `The memory of the wasm engine is ${memoryMb} MB, but must be a whole number from ${LEAST_MB} to ${MOST_MB}. Change \`database.memory_limit\` of the profile, or SVC_DATABASE_MEMORY_LIMIT.`,
  );
}

/** The settings that close an open database to everything outside, in order. The last one locks the configuration. */
export function lockdown(memoryMb: number): readonly string[] {
  return [
    `memory_limit = '${Math.floor((memoryMb - OWN_MB) * COUNTED)}MB'`,
    'enable_external_access = false',
    "disabled_filesystems = 'LocalFileSystem'",
    // The time to plan an expression grows with the cube of its depth, and nothing interrupts planning.
    'GLOBAL max_expression_depth = 200',
    'lock_configuration = true',
  ];
}

/** The options that must be set before the database is opened. */
const CONFIGURATION = {
  access_mode: 'READ_ONLY',
  temp_directory: '',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
} as const;

/** Opens the engine's database; returns its handle. Throws `database_unavailable`. */
export function* openDatabase(instance: Instance, file: DatabaseFile): EngineStep<number> {
  const { call, heap, scratch } = instance;
  call.duckdb_create_config(scratch);
  const config = heap.u32(scratch);
  for (const [name, value] of Object.entries(CONFIGURATION)) setOption(instance, config, name, value);
  heap.words(scratch, [0, 0, config]);
  const path = mountPath(file);
  const state = yield* whileText(instance, path, (at) => [
    'duckdb_open_ext',
    at,
    scratch,
    config,
    scratch + 4,
  ]);
  const [database, error] = [heap.u32(scratch), heap.u32(scratch + 4)];
  call.duckdb_destroy_config(scratch + 8);
  if (state === 0) return database;
  throw openError(heap.cString(error), file.name);
}

function setOption({ call, withText }: Instance, config: number, name: string, value: string): void {
  const state = withText(name, (at) =>
    withText(value, (valueAt) => call.duckdb_set_config(config, at, valueAt)),
  );
  if (state !== 0) throw new SvcError('internal', `DuckDB has no option ${name}.`);
}

function openError(message: string, name: string): SvcError {
  if (toDuckdbError(message).code === 'memory_exceeded') return toDuckdbError(message);
  return new SvcError('database_unavailable', `The database ${name} cannot be opened: ${message}`);
}
