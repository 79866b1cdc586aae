import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Files } from '../../src/ports.ts';
import { SITE_NAME } from '../../src/project/site.ts';

/** The folder with the site file: `start`, or the nearest above it; null when there is none. */
export async function findProjectRoot(start: string): Promise<string | null> {
  const folder = resolve(start);
  if (await isFile(join(folder, SITE_NAME))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findProjectRoot(parent);
}

/** A project's folder as the Files port; nothing outside it can be read, not even through a link. */
export async function openProjectFiles(root: string): Promise<Files> {
  const base = await realpath(resolve(root));
  return { list: (folder) => listBelow(base, folder), read: (path) => readInside(base, path) };
}

async function listBelow(base: string, folder: string): Promise<readonly string[]> {
  const start = join(base, folder);
  try {
    const entries = await readdir(start, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
    return files.map((entry) => toSlashes(relative(base, join(entry.parentPath, entry.name)))).sort();
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw new SvcError('project_invalid', `The folder ${folder} cannot be read.`, { cause });
  }
}

async function readInside(base: string, path: string): Promise<Uint8Array | null> {
  try {
    const real = await realpath(join(base, path));
    if (real !== base && !real.startsWith(base + sep)) {
      throw new SvcError(
        'project_invalid',
        `${path} lies outside the project; files and links must stay inside it.`,
      );
    }
    return await readFile(real);
  } catch (cause) {
    if (isMissing(cause)) return null;
    if (cause instanceof SvcError) throw cause;
    throw new SvcError('project_invalid', `The file ${path} cannot be read.`, { cause });
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function isMissing(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
