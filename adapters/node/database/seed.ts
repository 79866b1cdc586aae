import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SvcError, toSvcError } from '../../../src/errors.ts';
import { MEMORY_PATH } from '../../../src/project/attachment.ts';
import { makeFolder } from '../make-folder.ts';

/** The script beside svc-site.yml that fills a new database. */
export const SEED = 'seed.sql';

/**
 * Creates a missing database from the project's seed script; returns whether it did. Throws `file_unavailable`
 * if the folder cannot be written to.
 */
export async function createFromSeed(root: string, path: string): Promise<boolean> {
  if (path === MEMORY_PATH || existsSync(path) || !existsSync(join(root, SEED))) return false;
  const sql = await readFile(join(root, SEED), 'utf8');
  const { runScript } = await import('../../duckdb-native/files/script.ts');
  const fresh = `${path}.${randomUUID()}`;
  await makeFolderOf(path);
  try {
    await runScript(fresh, sql, root);
    // The rename makes the file appear whole or not at all, also when two processes start at once.
    await rename(fresh, path);
  } catch (thrown) {
    throw failed(path, fresh, thrown);
  } finally {
    for (const file of [fresh, `${fresh}.wal`]) await rm(file, { force: true });
  }
  return true;
}

async function makeFolderOf(path: string): Promise<void> {
  const folder = dirname(path);
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw new SvcError(
      'file_unavailable',
      `${path} could not be created from ${SEED}: its folder cannot be written to (${toSvcError(cause).message}).
Give this user write access to the folder, or choose another path with \`database.path\` or SVC_DATABASE_PATH.`,
      { cause },
    );
  }
}

function failed(path: string, fresh: string, thrown: unknown): SvcError {
  const { code, message } = toSvcError(thrown);
  const text = `${path} could not be created from ${SEED}: ${message.replaceAll(fresh, path)}`;
  return new SvcError(code, text, { cause: thrown });
}
