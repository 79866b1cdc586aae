import { rm } from 'node:fs/promises';
import { type AuditFile, listAuditFiles } from './names.ts';

/** The rotated files whose last record is older than a moment. */
export async function listOlder(path: string, moment: number): Promise<readonly AuditFile[]> {
  const files = await listAuditFiles(path);
  return files.filter(({ closedAt }) => closedAt !== null && closedAt < moment);
}

/** Deletes them; the file that is written to always stays. */
export async function deleteOlder(path: string, moment: number): Promise<readonly AuditFile[]> {
  const old = await listOlder(path, moment);
  for (const file of old) await rm(file.path, { force: true });
  return old;
}
