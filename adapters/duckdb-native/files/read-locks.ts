import { stat } from 'node:fs/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { OpenInstance } from '../driver/driver.ts';

/** A file that engines of this process read. */
interface ReadFile {
  users: number;
  /** Holds the lock in place of an engine. */
  guard: DuckDBInstance | null;
}

/** The files that engines of this process read, by inode. */
const files = new Map<string, ReadFile>();

/** The instance that holds a lock reads no rows. */
const GUARD = {
  access_mode: 'READ_ONLY',
  threads: '1',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
};

/** Whether an engine of this process reads the file with an inode. */
export function isRead(inode: string): boolean {
  return files.has(inode);
}

/**
 * Keeps a file locked while an engine reads it, so that no other process writes to it. The engine has just opened the
 * file. Call the returned function after it has closed it.
 *
 * When a process closes a file, the system ends all locks of the process on this file (POSIX). After a reload, the old
 * engine closes the file that the new one reads. An instance of DuckDB then opens it once more, which locks it again.
 */
export async function keepLocked(openInstance: OpenInstance, path: string): Promise<() => Promise<void>> {
  const inode = await inodeOf(path);
  if (inode === null) return async () => {};
  const file = files.get(inode) ?? { users: 0, guard: null };
  file.users += 1;
  files.set(inode, file);
  return async () => {
    file.users -= 1;
    if (file.users > 0) return lockAgain(openInstance, path, inode);
    file.guard?.closeSync();
    files.delete(inode);
  };
}

/** Locks the files again that other engines read, after an engine opened them and failed. */
export async function lockAfterFailure(openInstance: OpenInstance, paths: readonly string[]): Promise<void> {
  for (const path of paths) await lockAgain(openInstance, path, await inodeOf(path));
}

/** Locks a file again, unless another one has taken its place: the first one then has no path to open it by. */
async function lockAgain(openInstance: OpenInstance, path: string, inode: string | null): Promise<void> {
  const file = inode === null ? undefined : files.get(inode);
  if (file === undefined || (await inodeOf(path)) !== inode) return;
  file.guard?.closeSync();
  // If another process was faster, nothing here can end its lock.
  file.guard = await openInstance(path, GUARD).catch(() => null);
}

/** Names a file by its device and its number there; null if there is none. */
export async function inodeOf(path: string): Promise<string | null> {
  const found = await stat(path, { bigint: true }).catch(() => null);
  return found && `${found.dev}:${found.ino}`;
}
