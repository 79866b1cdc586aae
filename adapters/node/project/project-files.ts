import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { messageOf, SvcError } from '../../../src/errors.ts';
import type { Files } from '../../../src/ports.ts';
import { SITE_NAME } from '../../../src/project/site-model.ts';

/** Finds the nearest folder with a svc-site.yml, from `start` upwards; null if there is none. */
export async function findProjectRoot(start: string): Promise<string | null> {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (existsSync(join(folder, SITE_NAME))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * Opens the files below a project's root. Links that lead out of it are rejected with `project_invalid`. Files are read
 * synchronously: Node's thread pool takes five times as long as reading a small file does.
 */
export async function openProjectFiles(root: string): Promise<Files> {
  const base = realpathSync.native(root);
  return {
    list: async (folder) => listFolder(base, folder),
    read: async (path, limit) => readInside(base, path, limit),
  };
}

function listFolder(base: string, folder: string): readonly string[] {
  const top = locate(base, folder);
  const below = join(folder, 'x').slice(0, -1).split(sep).join('/');
  return top === null ? [] : filesBelow(top, below).toSorted();
}

/** Lists files, with links as files: a link to a parent folder would never end. */
function filesBelow(folder: string, path: string): readonly string[] {
  const entries = orAbsent(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name), `${path}${entry.name}/`);
    return entry.isFile() || entry.isSymbolicLink() ? [`${path}${entry.name}`] : [];
  });
}

/**
 * Reads a file up to `limit` bytes; null if it is no file. It is not opened before that is known: opening a
 * pipe waits for its other end.
 */
function readInside(base: string, path: string, limit = Number.MAX_SAFE_INTEGER): Uint8Array | null {
  const place = locate(base, path);
  const found = place === null ? null : orAbsent(() => statSync(place));
  if (place === null || !found?.isFile()) return null;
  return orAbsent(() => (found.size <= limit ? readFileSync(place) : readStart(place, limit)));
}

function readStart(place: string, limit: number): Uint8Array {
  const file = openSync(place, 'r');
  try {
    const buffer = new Uint8Array(limit);
    return buffer.subarray(0, readSync(file, buffer, 0, limit, 0));
  } finally {
    closeSync(file);
  }
}

/** Resolves the links of a path; null if nothing exists there. */
function locate(base: string, path: string): string | null {
  const asked = resolve(base, path);
  if (!isInside(base, asked)) throw outside(path);
  const real = orAbsent(() => realpathSync.native(asked));
  if (real !== null && !isInside(base, real)) throw outside(path);
  return real;
}

function isInside(base: string, path: string): boolean {
  return path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);
}

/** Returns null if the file does not exist; throws `project_invalid` for other failures. */
function orAbsent<T>(work: () => T): T | null {
  try {
    return work();
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code)) return null;
    const reason = messageOf(thrown);
    throw new SvcError('project_invalid', `A file of the project cannot be read: ${reason}`, {
      cause: thrown,
    });
  }
}

function outside(path: string): SvcError {
  return new SvcError('project_invalid', `${path} leads out of the project's folder.`);
}
