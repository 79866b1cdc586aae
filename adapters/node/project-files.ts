import { constants } from 'node:fs';
import { access, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Files } from '../../src/ports.ts';
import { SITE_NAME } from '../../src/project/site.ts';

/** The nearest folder with a svc-site.yml, from a folder upwards; null when there is none. */
export async function findProjectRoot(start: string): Promise<string | null> {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (await exists(join(folder, SITE_NAME))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** The files below a project's root; links that lead out of it are refused. */
export async function openProjectFiles(root: string): Promise<Files> {
  const base = await realpath(root);
  return {
    list: (folder) => listFolder(base, folder),
    read: (path, limit) => readInside(base, path, limit),
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}

async function listFolder(base: string, folder: string): Promise<readonly string[]> {
  const top = await locate(base, folder);
  if (top === null) return [];
  const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(absent);
  const files = (entries ?? []).filter((entry) => entry.isFile() || entry.isSymbolicLink());
  const below = files.map((entry) => relative(top, join(entry.parentPath, entry.name)));
  return below.map((path) => join(folder, path).split(sep).join('/')).sort();
}

/** Looks before it opens: opening a pipe would wait for its other end. */
async function readInside(
  base: string,
  path: string,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<Uint8Array | null> {
  const place = await locate(base, path);
  const found = place === null ? null : await stat(place).catch(absent);
  if (place === null || !found?.isFile()) return null;
  return found.size <= limit ? readFile(place).catch(absent) : readStart(place, limit);
}

async function readStart(place: string, limit: number): Promise<Uint8Array> {
  const file = await open(place);
  try {
    const { bytesRead, buffer } = await file.read(new Uint8Array(limit), 0, limit, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The real place of a path; null when nothing is there. */
async function locate(base: string, path: string): Promise<string | null> {
  const asked = resolve(base, path);
  if (!isInside(base, asked)) throw outside(path);
  const real = await realpath(asked).catch(absent);
  if (real !== null && !isInside(base, real)) throw outside(path);
  return real;
}

function isInside(base: string, path: string): boolean {
  return path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);
}

/** Null for what is not there; anything else is an error of its own. */
function absent(thrown: unknown): null {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code)) return null;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  throw new SvcError('project_invalid', `A file of the project cannot be read: ${reason}`, { cause: thrown });
}

function outside(path: string): SvcError {
  return new SvcError('project_invalid', `${path} leads out of the project's folder.`);
}
