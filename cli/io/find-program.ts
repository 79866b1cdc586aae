import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Finds the first executable file of a name in some folders, then in PATH; null if there is none. */
export async function findProgram(name: string, folders: readonly string[] = []): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, ...path]) {
    for (const file of names) if (await isProgram(join(folder, file))) return join(folder, file);
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
