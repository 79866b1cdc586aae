import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { BuiltFile, Contents } from '../targets/target.ts';

/** Writes files below a folder, and the folders that they need. */
export async function writeAll(folder: string, contents: Contents): Promise<void> {
  for (const [path, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Lists all files below a folder with their sizes, sorted by path. */
export async function sizedFiles(folder: string): Promise<readonly BuiltFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sized = names.toSorted().map(async (name) => ({
    path: name.slice(folder.length + 1).replaceAll(sep, '/'),
    bytes: (await stat(name)).size,
  }));
  return Promise.all(sized);
}
