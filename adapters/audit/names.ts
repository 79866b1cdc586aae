import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/** A file of the audit log. */
export interface AuditFile {
  readonly path: string;
  /** When it was closed, in milliseconds; null for the one that is written to. */
  readonly closedAt: number | null;
}

/** The name of a file that is full: the moment, and something of its own for who rotates in the same moment. */
export function rotatedName(path: string, now: number): string {
  const moment = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  const own = Math.floor(Math.random() * 0x1_0000_0000);
  return `${stemOf(path)}-${moment}-${own.toString(16).padStart(8, '0')}${extname(path)}`;
}

/** All files of the audit log, oldest first; the one that is written to is the last, whether it is there or not. */
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
