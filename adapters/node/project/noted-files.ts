import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Files } from '../../../src/ports.ts';

/** Project files that remember the state in which each of them was read. */
export interface NotedFiles {
  readonly files: Files;
  /** Returns null while nothing has changed since it was read, else a text that identifies the present state. */
  change(): Promise<string | null>;
}

/**
 * Notes the state of each folder and file before it is read, so a write during the read counts as a change. We ask the
 * file system instead of waiting for its events, because that works with every editor and every kind of mount.
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
