import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** A file of the audit log: the current one, or one that was rotated. */
export interface AuditFile {
  readonly path: string;
  /** The time of its rotation, in milliseconds since 1970; null for the current file. */
  readonly closedAt: number | null;
}

/**
 * Returns a name for a full file: `logs-20260102T030405678Z-1a2b3c4d.jsonl`. The random part separates two
 * processes that rotate in the same millisecond.
 */
export function rotatedName(path: string, now: number): string {
  const moment = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  const own = Math.floor(Math.random() * 0x1_0000_0000);
  return `${stemOf(path)}-${moment}-${own.toString(16).padStart(8, '0')}${extname(path)}`;
}

/**
 * Lists the files of the audit log, oldest first. The current file is the last one, even if it does not exist.
 */
export async function listAuditFiles(path: string): Promise<readonly AuditFile[]> {
  const stem = `${basename(stemOf(path))}-`;
  const names = await readdir(dirname(path)).catch(() => []);
  const rotated = names.flatMap((name) => {
    if (!name.startsWith(stem) || !name.endsWith(extname(path))) return [];
    const closedAt = momentOf(name.slice(stem.length, name.length - extname(path).length));
    return closedAt === null ? [] : [{ path: join(dirname(path), name), closedAt }];
  });
  return [...rotated.toSorted((one, other) => one.closedAt - other.closedAt), { path, closedAt: null }];
}

function stemOf(path: string): string {
  return path.slice(0, path.length - extname(path).length);
}

function momentOf(part: string): number | null {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[\da-f]{8}$/.exec(part);
  if (found === null) return null;
  const [, year, month, day, hour, minute, second, milli] = found;
  const moment = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milli}Z`);
  return Number.isNaN(moment) ? null : moment;
}

/** The file that keeps incomplete last lines of an audit file; see `repairTail`. */
export function tornName(path: string): string {
  return `${path}.torn`;
}

/**
 * Lists the rotated files that were closed before `moment`, in milliseconds since 1970, and the file of incomplete lines
 * if the last one is older.
 */
export async function listOlder(path: string, moment: number): Promise<readonly AuditFile[]> {
  const files = await listAuditFiles(path);
  const torn = await stat(tornName(path)).catch(() => null);
  const rest = torn?.isFile() ? [{ path: tornName(path), closedAt: torn.mtimeMs }] : [];
  return [...files, ...rest].filter(({ closedAt }) => closedAt !== null && closedAt < moment);
}

/** Deletes these files and returns them. The current file always stays. */
export async function deleteOlder(path: string, moment: number): Promise<readonly AuditFile[]> {
  const old = await listOlder(path, moment);
  for (const file of old) await rm(file.path, { force: true });
  return old;
}
