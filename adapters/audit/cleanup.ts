import { rm } from 'node:fs/promises';
import { type AuditFile, listAuditFiles } from './names.ts';

/** Lists the rotated files that were closed before `moment`, in milliseconds since 1970. */
export async function listOlder(path: string, moment: number): Promise<readonly AuditFile[]> {
  const files = await listAuditFiles(path);
  return files.filter(({ closedAt }) => closedAt !== null && closedAt < moment);
}

/** Deletes these files and returns them. The current file always stays. */
export async function deleteOlder(path: string, moment: number): Promise<readonly AuditFile[]> {
  const old = await listOlder(path, moment);
  for (const file of old) await rm(file.path, { force: true });
  return old;
}
