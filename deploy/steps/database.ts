import { createHash } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import type { Manifest } from '../../src/catalog/manifest.ts';
import { MEMORY_PATH } from '../../src/project/attachment.ts';
import type { Allowed } from '../../src/quality/gate/report.ts';
import type { BuildOptions } from '../build-options.ts';
import { refuseElsewhere } from '../compile-project.ts';
import { type CopiedDatabase, copyDatabase, loadDatabase, sortDatabase } from '../database.ts';
import type { LoadedTable } from '../load-tables.ts';
import { describeRemote } from '../remote-database.ts';
import { enforceStatements, withCopy, withNative } from '../statements.ts';
import { chooseStore, placeDatabase } from '../store.ts';
import type { BuildTarget } from '../targets/target.ts';
import type { Ready } from './read-project.ts';

/** The database of an artefact; `copy` is the path of its file, or `:memory:`. */
interface WrittenDatabase {
  readonly copy: string;
  readonly database: CopiedDatabase;
  readonly loaded?: readonly LoadedTable[];
}

/** Copies the database of the project into the artefact, with the tables and the order that the options ask for. */
export async function writeDatabase(
  folder: string,
  target: BuildTarget,
  { site, native }: Ready,
  { root, load, sort = [] }: BuildOptions,
): Promise<WrittenDatabase> {
  const source = native?.choice.path ?? resolve(root, process.env.SVC_DATABASE_PATH || site.database.path);
  if (native === null) refuseElsewhere(site);
  if (source === MEMORY_PATH) return { copy: source, database: NO_FILE };
  // The native engine names a database like its file, and views refer to that name.
  const copy = join(folder, native === null ? target.database : join('database', basename(source)));
  const written = load
    ? await loadDatabase(source, copy, load)
    : { database: await copyDatabase(source, copy) };
  const sorted = sort.length === 0 ? {} : { database: await sortDatabase(source, copy, sort) };
  return { copy, ...written, ...sorted };
}

/** All data of the artefact is in attached databases. */
const NO_FILE: CopiedDatabase = {
  name: MEMORY_PATH,
  bytes: 0,
  sha256: createHash('sha256').digest('hex'),
};

/** Opens the copied database as the artefact will serve it, and returns the failed checks that were allowed. */
export function inspectDatabase(
  { folder, copy, name }: { readonly folder: string; readonly copy: string; readonly name: string },
  { catalog, native }: Ready,
  { inspect = (served) => enforceStatements(served, catalog), secrets = [] }: BuildOptions,
): Promise<readonly Allowed[]> {
  if (native === null) return withCopy(copy, name, inspect);
  return withNative({ native, folder, path: copy, secrets }, inspect);
}

/** The database as the manifest has it. */
export type ServedDatabase = Manifest['database'];

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
