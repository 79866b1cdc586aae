import { join } from 'node:path';
import { openNative } from '../adapters/duckdb-native/open.ts';
import type { DatabaseSecret } from '../adapters/duckdb-native/options.ts';
import { compileEngine } from '../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../adapters/duckdb-wasm/in-process.ts';
import type { Catalog, ResourceEntry, ToolEntry } from '../src/catalog/model.ts';
import { SvcError, toSvcError } from '../src/errors.ts';
import type { Database } from '../src/ports.ts';
import { runsHere } from './native/architecture.ts';
import type { NativeParts } from './native/native-parts.ts';

/** Opens the copied database with the engine of artefacts, under its name in the project. */
export async function withCopy<T>(
  file: string,
  name: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(file, name) });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** A native artefact that is being written. */
export interface NativeCopy {
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
export async function withNative<T>(
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
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Plans every statement. Throws project_invalid if one fails. */
export async function enforceStatements(
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
  // of a built-in tool the statement comes with the call, of a Python function its statements do
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
