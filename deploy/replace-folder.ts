import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
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

/** Lists the files that a build wrote, by their paths, so that the next build keeps all others. */
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
    writeFileSync(join(fresh, WRITTEN), `${JSON.stringify(filesBelow(fresh))}\n`);
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
 * Keeps files of people and tools through a build, in all folders: hidden ones (.dev.vars, .wrangler,
 * .vercel/project.json), and others that the last build did not write (samconfig.toml).
 */
function keepLocalFiles(old: string, place: string): void {
  const written = writtenIn(old);
  const shared = new Set(Array.from(written, foldersOf).flat());
  const keepWithin = (folder: string): void => {
    for (const entry of readdirSync(join(old, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      const [from, to] = [join(old, path), join(place, path)];
      if (written.has(path)) continue;
      if (entry.isDirectory() && (isFolder(to) || (shared.has(path) && !existsSync(to)))) keepWithin(path);
      else if (!existsSync(to)) {
        makeFolder(dirname(to));
        renameSync(from, to);
      }
    }
  };
  keepWithin('');
}

/**
 * The files that the build of a folder wrote, and those that its program would read. If they are not known, these are
 * all that are not hidden. Older builds listed a folder with its contents by its name.
 */
function writtenIn(folder: string): ReadonlySet<string> {
  try {
    const listed: readonly string[] = JSON.parse(readFileSync(join(folder, WRITTEN), 'utf8'));
    const names = listed.filter((name) => !name.startsWith('.') || !isFolder(join(folder, name)));
    // A program that writes to the database leaves logs, which DuckDB would apply to the new one.
    return new Set([CONFIG_FILE, ...names, ...names.flatMap(logsOf)]);
  } catch {
    return new Set(readdirSync(folder).filter((name) => !name.startsWith('.')));
  }
}

/** The paths of all files below a folder, with `/` on every system. */
function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .toSorted();
}

/** The folders in which a path is: `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): readonly string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [...foldersOf(folder), folder];
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function besides(place: string): string {
  return join(dirname(place), `.${basename(place)}-${randomUUID()}`);
}
