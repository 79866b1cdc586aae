import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf, SvcError } from '../../../src/errors.ts';
import type { DatabaseFile } from './database-file.ts';

/** An open database file with its write-ahead log. Any thread of the process can read it. */
export interface OpenFile {
  readonly name: string;
  readonly descriptor: number;
  readonly size: number;
  /** See `DatabaseFile`. */
  readonly wal: OpenFile | null;
}

/** Opens a database by path. Queries read only the blocks they touch. `name` is its name in the engine. */
export function pathFile(path: string, name?: string): DatabaseFile {
  return readerOf(openPath(path, name));
}

/** Opens a database by path. */
export function openPath(path: string, name = basename(path)): OpenFile {
  return openWithLog(openOne(path, name), path, '.wal');
}

/** Adds the log to an open file. A writer that was killed in a checkpoint leaves a second log beside the first. */
function openWithLog(file: OpenFile, path: string, suffix: '.wal' | '.checkpoint'): OpenFile {
  const log = `${path}${suffix}`;
  try {
    if (!isFilled(log)) return file;
    const opened = openOne(log, `${file.name}${suffix}`);
    return { ...file, wal: suffix === '.wal' ? openWithLog(opened, log, '.checkpoint') : opened };
  } catch (thrown) {
    closeFile(file);
    throw thrown;
  }
}

/** Closes the descriptors. */
export function closeFile({ descriptor, wal }: OpenFile): void {
  closeSync(descriptor);
  if (wal !== null) closeFile(wal);
}

/** An open file as the engine sees it. */
export function readerOf(file: OpenFile): DatabaseFile {
  const { name, descriptor, size, wal } = file;
  return {
    name,
    size: () => size,
    read: (target, position) => readSync(descriptor, target, 0, target.length, position),
    close: () => closeFile(file),
    ...(wal === null ? {} : { wal: readerOf(wal) }),
  };
}

function openOne(path: string, name: string): OpenFile {
  const descriptor = openReading(path);
  const { size } = fstatSync(descriptor);
  return { name, descriptor, size, wal: null };
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
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
  const message = missing
    ? `There is no database file at ${path}. Create it first, or correct \`database.path\` of the profile. Copy an artefact with all of its files.`
    : `The database file ${path} cannot be read: ${messageOf(cause)}`;
  return new SvcError('database_unavailable', message, { cause });
}
