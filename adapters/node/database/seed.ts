import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { access, constants, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SvcError, toSvcError } from '../../../src/errors.ts';
import { MEMORY_PATH } from '../../../src/project/attachment.ts';
import { decodeLoosely } from '../../../src/project/yaml/decode.ts';
import { makeFolder } from '../make-folder.ts';

/** The script beside svc-site.yml that fills a new database. */
export const SEED = 'seed.sql';

/**
 * Creates a missing database from the project's seed script; returns whether it did. Errors call the database `name`.
 * Throws `file_unavailable` if the folder cannot be written to.
 */
export async function createFromSeed(root: string, path: string, name = path): Promise<boolean> {
  const seed = join(root, SEED);
  if (path === MEMORY_PATH || existsSync(path) || !existsSync(seed)) return false;
  if (!statSync(seed).isFile()) {
    throw new SvcError(
      'file_unavailable',
      `${seed} is not a file. Replace it by a file with SQL, or remove it.`,
    );
  }
  await create(root, path, decodeLoosely(await readFile(seed)), `${name} could not be created from ${SEED}`);
  return true;
}

/** Creates a missing database without tables; returns whether it did. Throws `file_unavailable`. */
export async function createEmpty(root: string, path: string): Promise<boolean> {
  if (path === MEMORY_PATH || existsSync(path)) return false;
  await create(root, path, 'SELECT 1', `${path} could not be created`);
  return true;
}

/** Runs a script on a new database. Errors begin with `failure`. */
async function create(root: string, path: string, sql: string, failure: string): Promise<void> {
  const { runScript } = await import('../../duckdb-native/files/script.ts');
  const fresh = `${path}.${randomUUID()}`;
  await makeFolderOf(path, failure);
  try {
    await runScript(fresh, sql, root);
    // The rename makes the file appear whole or not at all, also when two processes start at once.
    await rename(fresh, path);
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    throw new SvcError(code, `${failure}: ${message.replaceAll(fresh, path)}`, { cause: thrown });
  } finally {
    for (const file of [fresh, `${fresh}.wal`]) await rm(file, { force: true });
  }
}

async function makeFolderOf(path: string, failure: string): Promise<void> {
  const folder = dirname(path);
  try {
    makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw new SvcError(
      'file_unavailable',
      `${failure}: its folder cannot be written to (${toSvcError(cause).message}).
Give this user write access to the folder, or choose another path with \`database.path\` or SVC_DATABASE_PATH.`,
      { cause },
    );
  }
}
