import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { DatabaseFile } from './file.ts';

/** A database by path, with what its write-ahead log holds; only the blocks a query touches are read; the engine may know it by another name. */
export function pathFile(path: string, name = basename(path)): DatabaseFile {
  const file = openFile(path, name);
  if (!hasLog(path)) return file;
  const wal = openFile(`${path}.wal`, `${name}.wal`);
  return {
    ...file,
    wal,
    close: () => {
      file.close();
      wal.close();
    },
  };
}

function openFile(path: string, name: string): DatabaseFile {
  const descriptor = openReading(path);
  const { size } = fstatSync(descriptor);
  return {
    name,
    size: () => size,
    read: (target, position) => readSync(descriptor, target, 0, target.length, position),
    close: () => closeSync(descriptor),
  };
}

function hasLog(path: string): boolean {
  return (statSync(`${path}.wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function openReading(path: string): number {
  try {
    const descriptor = openSync(path, 'r');
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    throw new Error('it is not a file');
  } catch (cause) {
    throw unavailable(path, cause);
  }
}

function unavailable(path: string, cause: unknown): SvcError {
  const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = missing
    ? `There is no database file at ${path}. Create it first, or correct \`database.path\` of the profile.`
    : `The database file ${path} cannot be read: ${reason}`;
  return new SvcError('database_unavailable', message, { cause });
}
