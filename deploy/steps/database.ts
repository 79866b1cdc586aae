import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import type { DatabaseSecret } from '../../adapters/duckdb-native/options.ts';
import {
  DEFAULT_MEMORY_MB,
  POOL_MEMORY_MB,
  REMOTE_MEMORY_MB,
} from '../../adapters/duckdb-wasm/default-memory.ts';
import { compileEngine } from '../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../adapters/duckdb-wasm/in-process.ts';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import type { Catalog, ResourceEntry, ToolEntry } from '../../src/catalog/model.ts';
import { SvcError, toSvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import type { Allowed } from '../../src/quality/gate/report.ts';
import type { BuildOptions } from '../build-options.ts';
import { refuseElsewhere } from '../compile-project.ts';
import {
  type CopiedDatabase,
  copyDatabase,
  loadDatabase,
  type ServedDatabase,
  sortDatabase,
} from '../database.ts';
import type { LoadedTable } from '../load-tables.ts';
import { runsHere } from '../native/architecture.ts';
import type { NativeParts } from '../native/native-parts.ts';
import { chooseStore, describeRemote, placeDatabase } from '../remote-database.ts';
import type { BuildTarget } from '../targets/target.ts';
import type { Ready } from './read-project.ts';

/** The database of an artefact; `copy` is the path of its file, or `:memory:`. */
interface WrittenDatabase {
  readonly copy: string;
  readonly database: Omit<ServedDatabase, 'remote'>;
  readonly loaded?: readonly LoadedTable[];
}

/** Copies the database of the project into the artefact, with the tables and the order that the options ask for. */
export async function writeDatabase(
  folder: string,
  target: BuildTarget,
  { site, native }: Ready,
  { root, load, sort = [] }: BuildOptions,
): Promise<WrittenDatabase> {
  const source =
    native?.choice.path ?? absolutePath(root, process.env.SVC_DATABASE_PATH || site.database.path);
  if (native === null) refuseElsewhere(site);
  if (source === MEMORY_PATH) return { copy: source, database: NO_FILE };
  // The native engine names a database like its file, and views refer to that name.
  const copy = join(folder, native === null ? target.database : join('database', basename(source)));
  const written = load
    ? await loadDatabase(source, copy, load)
    : { database: await copyDatabase(source, copy) };
  const database = sort.length === 0 ? written.database : await sortDatabase(source, copy, sort);
  const changedBy = [
    ...(load ? (['--load'] as const) : []),
    ...(sort.length > 0 ? (['--sort'] as const) : []),
  ];
  return { copy, ...written, database: changedBy.length === 0 ? database : { ...database, changedBy } };
}

/** All data of the artefact is in attached databases. */
const NO_FILE: CopiedDatabase = {
  name: MEMORY_PATH,
  bytes: 0,
  sha256: createHash('sha256').digest('hex'),
};

/** Opens the copied database as the artefact will serve it, and returns the failed checks that were allowed. */
export function inspectDatabase(
  { folder, target, copy, database }: WrittenDatabase & WrittenFor,
  { catalog, native, memoryMb }: Ready,
  { inspect = (served) => enforceStatements(served, catalog), secrets = [], store: asked }: BuildOptions,
): Promise<readonly Allowed[]> {
  if (native !== null) return withNative({ native, folder, path: copy, secrets }, inspect);
  const isRemote = chooseStore(target, { asked, bytes: database.bytes, native: false }) !== null;
  const memory =
    target.runtime === 'node' ? (memoryMb ?? usualMemoryOf(target, isRemote)) : DEFAULT_MEMORY_MB;
  return withCopy(copy, { name: database.name, memoryMb: memory }, inspect);
}

/** The artefact that a database was written for. */
interface WrittenFor {
  readonly folder: string;
  readonly target: BuildTarget;
}

/** The memory of the wasm engine on a platform with Node's modules, if the profile has no limit. */
function usualMemoryOf({ bundles }: BuildTarget, isRemote: boolean): number {
  if (isRemote) return REMOTE_MEMORY_MB;
  return Object.values(bundles).includes(POOL_ENTRY) ? POOL_MEMORY_MB : DEFAULT_MEMORY_MB;
}

/** The program of the engine's threads. */
const POOL_ENTRY = 'duckdb-wasm/pool/engine-worker';

/** Moves a database that is read by ranges to its place in the artefact. */
export async function moveRemote(
  folder: string,
  target: BuildTarget,
  { site: { project }, native }: Ready,
  { copy, database }: WrittenDatabase,
  { store: asked }: BuildOptions,
): Promise<ServedDatabase> {
  const store = chooseStore(target, { asked, bytes: database.bytes, native: native !== null });
  if (store === null) return database;
  const remote = await describeRemote(copy, database, { project, store });
  await placeDatabase(copy, folder, store);
  return { ...database, remote };
}

/** Opens the copied database with the engine of artefacts, under its name in the project. */
async function withCopy<T>(
  file: string,
  { name, memoryMb }: { readonly name: string; readonly memoryMb: number },
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(file, name), memoryMb });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** A native artefact that is being written. */
interface NativeCopy {
  readonly native: NativeParts;
  /** The folder of the artefact. */
  readonly folder: string;
  /** The copied file, or `:memory:`. */
  readonly path: string;
  readonly secrets: readonly DatabaseSecret[];
}

/**
 * Opens the database with the native engine of this machine: with the extensions of the artefact if they run here,
 * otherwise with those of this machine. Either must be signed.
 */
async function withNative<T>(
  { native: { arch, choice, manifest }, folder, path, secrets }: NativeCopy,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const { readonly, external, extensions, attach, use } = manifest;
  const own = { extensions, extensionDirectory: join(folder, 'extensions') };
  const loading = runsHere(arch) ? own : { ...choice.extensions, unsignedExtensions: false };
  const database = await openNative({
    path,
    readonly,
    external,
    attach,
    use,
    secrets,
    createIfMissing: false,
    ...loading,
    ...(choice.root === undefined ? {} : { root: choice.root }),
    ...(choice.memoryMb === undefined ? {} : { memoryMb: choice.memoryMb }),
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Plans every statement. Throws project_invalid if one fails. */
async function enforceStatements(
  database: Database,
  { tools, resources }: Catalog,
): Promise<readonly never[]> {
  const problems: string[] = [];
  for (const entry of [...Object.values(tools), ...Object.values(resources)]) {
    problems.push(...(await problemsOf(entry, database)));
  }
  if (problems.length > 0) throw refusal(problems, database.engine);
  return [];
}

async function problemsOf(
  { name, source }: ToolEntry | ResourceEntry,
  database: Database,
): Promise<readonly string[]> {
  // a built-in tool gets its statement with the call, and a Python function runs its own statements
  if (source.language !== 'sql' || source.statement !== undefined) return [];
  try {
    await database.prepare(source.sql, source.mode);
    return [];
  } catch (thrown) {
    return [`${name}: ${toSvcError(thrown).message}`];
  }
}

function refusal(problems: readonly string[], engine: Database['engine']): SvcError {
  const fix =
    engine === 'duckdb-wasm'
      ? 'Correct it, or build with `--engine native`.'
      : 'Correct it, or the database.';
  return new SvcError(
    'project_invalid',
    `The SQL of these endpoints does not run on the engine of the artefact, ${engine}:\n${problems.join('\n')}\n${fix}`,
  );
}
