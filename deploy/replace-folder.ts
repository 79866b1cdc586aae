import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from '../adapters/node/make-folder.ts';
import { isAnyManifest } from '../src/catalog/manifest.ts';
import { SvcError } from '../src/errors.ts';
import { logsOf } from './database.ts';
import { CONFIG_FILE } from './targets/target.ts';

/**
 * Receives folders that are of no use unless they are finished. Returns the function to call when they are finished or
 * deleted.
 */
export type OnUnfinished = (folders: readonly string[]) => () => void;

/** Lists the names that a build wrote, so that the next build keeps all others. */
const WRITTEN = '.svc-build.json';

/** The number of builds that may replace the folder at the same moment. */
const ATTEMPTS = 20;

/**
 * Writes a folder completely or not at all: first beside its place, then it replaces the older one. A link to a folder
 * stays, and the folder behind it is replaced.
 */
export async function replaceFolder<T>(
  out: string,
  write: (folder: string) => Promise<T>,
  onUnfinished: OnUnfinished = () => () => {},
): Promise<T> {
  await refuseForeign(out);
  const place = await behindLinks(out);
  const [fresh, old] = [besides(place), besides(place)];
  makeFolder(fresh);
  const finished = onUnfinished([fresh, old]);
  try {
    const result = await write(fresh);
    writeFileSync(join(fresh, WRITTEN), `${JSON.stringify(readdirSync(fresh).toSorted())}\n`);
    for (const replaced of swap(fresh, place, old)) await rm(replaced, { recursive: true, force: true });
    return result;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    finished();
  }
}

async function refuseForeign(out: string): Promise<void> {
  const names = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code !== 'ENOTDIR') throw error;
    throw new SvcError('usage', `${out} is a file. Choose a folder with --out.`);
  });
  if (names.every((name) => name.startsWith('.'))) return;
  const manifest = await readFile(join(out, 'manifest.json'), 'utf8').catch(() => '');
  if (isAnyManifest(manifest)) return;
  const fix = 'Choose another folder with --out, or empty this one.';
  throw new SvcError('usage', `${out} has files that \`svc build\` did not write. ${fix}`);
}

/** The folder that a link names, also if it does not exist yet. */
async function behindLinks(out: string): Promise<string> {
  const found = await realpath(out).catch(() => null);
  if (found !== null) return found;
  const link = await readlink(out).catch(() => null);
  return link === null ? out : behindLinks(resolve(dirname(out), link));
}

/**
 * Puts the new folder into its place, with the files of people and tools in the older one. Returns the folders that it
 * replaced. It is synchronous, so that no signal can end the process in between.
 */
function swap(fresh: string, place: string, old: string): readonly string[] {
  const replaced: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const aside = attempt === 1 ? old : besides(place);
    if (moveAway(place, aside)) replaced.push(aside);
    try {
      renameSync(fresh, place);
      break;
    } catch (error) {
      // Another build has put its folder there since.
      if (isTaken(error) && attempt < ATTEMPTS) continue;
      const [first] = replaced;
      if (first !== undefined && !existsSync(place)) renameSync(first, place);
      throw error;
    }
  }
  for (const folder of replaced) keepLocalFiles(folder, place);
  return replaced;
}

/** Moves a folder; returns false if it does not exist. */
function moveAway(place: string, aside: string): boolean {
  try {
    renameSync(place, aside);
    return true;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    const fix = 'Choose a folder below it with --out.';
    throw new SvcError('usage', `${place} cannot be replaced as a whole: ${message}. ${fix}`);
  }
}

function isTaken(thrown: unknown): boolean {
  const { code } = thrown as NodeJS.ErrnoException;
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}

/**
 * Keeps files of people and tools through a build: hidden ones (.dev.vars, .wrangler, .vercel/project.json), and those
 * that the last build did not write (samconfig.toml).
 */
function keepLocalFiles(old: string, place: string): void {
  const written = writtenIn(old);
  for (const name of readdirSync(old)) {
    const isNew = existsSync(join(place, name));
    const isLocal = name.startsWith('.') || (!isNew && written?.has(name) === false);
    const places = isNew ? besideWritten(old, place, name) : [name];
    for (const local of isLocal ? places : []) renameSync(join(old, local), join(place, local));
  }
}

/** The names that the build of a folder wrote, and those that its program would read; null if they are not known. */
function writtenIn(folder: string): ReadonlySet<string> | null {
  try {
    const names: readonly string[] = JSON.parse(readFileSync(join(folder, WRITTEN), 'utf8'));
    // A program that writes to the database leaves logs, which DuckDB would apply to the new one.
    return new Set([CONFIG_FILE, ...names, ...names.flatMap(logsOf)]);
  } catch {
    return null;
  }
}

/** The files that only the old copy of a hidden folder has; none for a hidden file. */
function besideWritten(old: string, place: string, name: string): readonly string[] {
  try {
    const within = readdirSync(join(old, name));
    return within.map((file) => join(name, file)).filter((local) => !existsSync(join(place, local)));
  } catch {
    return [];
  }
}

function besides(place: string): string {
  return join(dirname(place), `.${basename(place)}-${randomUUID()}`);
}
