import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and the folders above it. Returns the topmost folder that it made; undefined if all were there. Node's
 * own `recursive` never returns below /proc, where a folder exists but takes no new ones; this throws.
 */
export function makeFolder(folder: string, mode = 0o777): string | undefined {
  try {
    mkdirSync(folder, { mode });
    return folder;
  } catch (thrown) {
    if (isFolder(folder)) return undefined;
    const above = dirname(folder);
    const { code } = thrown as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || above === folder || isFolder(above)) throw thrown;
    const topmost = makeFolder(above, mode);
    return makeFolder(folder, mode) === undefined ? topmost : (topmost ?? folder);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
