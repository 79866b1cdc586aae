import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { access, constants, link, readFile, rename, rm } from 'node:fs/promises';
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
  const { runScriptIn } = await import('../../duckdb-native/files/script.ts');
  const sql = decodeLoosely(await readFile(seed));
  return create(path, `${name} could not be created from ${SEED}`, (fresh) =>
    runScriptIn(root, { path: fresh, sql }),
  );
}

/** Creates a missing database without tables; returns whether it did. Throws `file_unavailable`. */
export async function createEmpty(path: string): Promise<boolean> {
  if (path === MEMORY_PATH || existsSync(path)) return false;
  const { runScript } = await import('../../duckdb-native/files/script.ts');
  return create(path, `${path} could not be created`, (fresh) => runScript(fresh, 'SELECT 1'));
}

/** Fills a new database; returns false if another process was faster. Errors begin with `failure`. */
async function create(
  path: string,
  failure: string,
  fill: (fresh: string) => Promise<void>,
): Promise<boolean> {
  const fresh = `${path}.${randomUUID()}`;
  await makeFolderOf(path, failure);
  try {
    await fill(fresh);
    return await place(fresh, path);
  } catch (thrown) {
    const { code, message } = toSvcError(thrown);
    throw new SvcError(code, `${failure}: ${message.replaceAll(fresh, path)}`, { cause: thrown });
  } finally {
    for (const file of [fresh, `${fresh}.wal`]) await rm(file, { force: true });
  }
}

/**
 * Makes a file appear whole or not at all. Returns false if there is one already: another process that started at the
 * same time may have opened it for writing.
 */
async function place(fresh: string, path: string): Promise<boolean> {
  try {
    await link(fresh, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // Some file systems have no links.
    await rename(fresh, path);
  }
  return true;
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
