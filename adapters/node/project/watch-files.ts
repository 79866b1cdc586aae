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

/** The files to watch and the action on a change. */
export interface WatchOptions {
  /** The files as they were read last. */
  readonly first: NotedFiles;
  /** Reads the files again; null if that failed. It is called again only after the next change. */
  readonly read: () => Promise<NotedFiles | null>;
  readonly signal: AbortSignal;
}

/** Milliseconds between two checks. A change counts when the next check finds nothing new. */
const EVERY_MS = 250;

/** Reads files again whenever a change is complete, until the signal aborts. */
export async function watchFiles({ first, read, signal }: WatchOptions): Promise<void> {
  let noted = first;
  let seen: string | null = null;
  let failed: string | null = null;
  while (await passed(EVERY_MS, signal)) {
    const now = await noted.change();
    if (now !== null && now === seen && now !== failed) {
      const next = await read();
      failed = next === null ? now : null;
      noted = next ?? noted;
    }
    seen = now;
  }
}

/** Waits; resolves to false if the signal aborted first. */
function passed(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (whole: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(whole);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(() => end(true), ms);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) end(false);
  });
}
