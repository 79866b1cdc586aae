import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SvcError, toSvcError } from '../../src/errors.ts';

/** The script beside svc-site.yml that fills a database which is not there yet. */
export const SEED = 'seed.sql';

/** Creates a missing database from the project's seed script; answers whether it did. */
export async function createFromSeed(root: string, path: string): Promise<boolean> {
  if (existsSync(path) || !existsSync(join(root, SEED))) return false;
  const sql = await readFile(join(root, SEED), 'utf8');
  const { runScript } = await import('../duckdb-native/script.ts');
  const fresh = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await runScript(fresh, sql, root);
    // Whole or not at all, also when two processes start at once.
    await rename(fresh, path);
  } catch (thrown) {
    throw failed(path, thrown);
  } finally {
    for (const file of [fresh, `${fresh}.wal`]) await rm(file, { force: true });
  }
  return true;
}

function failed(path: string, thrown: unknown): SvcError {
  const { code, message } = toSvcError(thrown);
  return new SvcError(code, `${path} could not be created from ${SEED}: ${message}`, { cause: thrown });
}
