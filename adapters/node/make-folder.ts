import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and the folders above it. Node's own `recursive` never returns below /proc, where a folder exists but
 * takes no new ones; this throws.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (thrown) {
    if (isFolder(folder)) return;
    const above = dirname(folder);
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || above === folder || isFolder(above)) throw thrown;
    makeFolder(above, mode);
    makeFolder(folder, mode);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
