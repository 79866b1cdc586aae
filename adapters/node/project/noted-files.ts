import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Files } from '../../../src/ports.ts';

/** Files that remember what was read of them, and how it was then. */
export interface NotedFiles {
  readonly files: Files;
  /** Null while everything is as it was read; otherwise a text that stands for how it is now. */
  change(): Promise<string | null>;
}

/**
 * Notes each folder that is listed and each file that is read, before it is: what is written meanwhile counts as a
 * change. Asking the file system instead of waiting for its events works with every editor and every kind of mount.
 */
export function noteFiles(root: string, inner: Files): NotedFiles {
  const folders = new Map<string, string>();
  const stamps = new Map<string, string>();
  const listing = (folder: string) => inner.list(folder).then((paths) => paths.join('\n'), String);
  const stampOf = (path: string) =>
    stat(join(root, path)).then(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`, String);
  const files: Files = {
    async list(folder) {
      folders.set(folder, await listing(folder));
      return inner.list(folder);
    },
    async read(path, limit) {
      stamps.set(path, await stampOf(path));
      return inner.read(path, limit);
    },
  };
  return {
    files,
    async change() {
      const before = [...folders.values(), ...stamps.values()];
      const now = await Promise.all([
        ...[...folders.keys()].map(listing),
        ...[...stamps.keys()].map(stampOf),
      ]);
      return now.every((one, index) => one === before[index]) ? null : now.join('\n');
    },
  };
}
