import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { DatabaseFile } from './file.ts';

/** A database by path; only the blocks a query touches are read. */
export function pathFile(path: string): DatabaseFile {
  const descriptor = openFile(resolve(path));
  const { size } = fstatSync(descriptor);
  return {
    name: basename(path),
    size: () => size,
    read: (target, position) => readSync(descriptor, target, 0, target.length, position),
    close: () => closeSync(descriptor),
  };
}

function openFile(path: string): number {
  try {
    const descriptor = openSync(path, 'r');
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
    throw new Error('it is not a file');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SvcError(
      'database_unavailable',
      missing
        ? `There is no database file ${path}. Create it (for instance with the duckdb command line), or correct database.path.`
        : `The database file ${path} cannot be read: ${reason}`,
      { cause },
    );
  }
}
