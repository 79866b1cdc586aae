import { createHash, randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf, SvcError } from '../../src/errors.ts';
import { absolutePath } from '../node/absolute-path.ts';
import { bundledFile } from './files.ts';
import { type HostModules, PRELOADED } from './interpreter.ts';
import { PYODIDE_VERSION } from './pyodide.ts';
import type { SnapshotInput } from './snapshot-worker.ts';

/**
 * Makes a snapshot: the memory of an interpreter that has started. It takes about three seconds in its own
 * thread. Throws `python_unavailable`.
 */
export async function createSnapshot(
  pyodide: URL,
  modules: HostModules,
  hashSeed: number,
  suspending = false,
): Promise<Uint8Array> {
  const workerData: SnapshotInput = {
    pyodide: pyodide.href,
    modules,
    imports: PRELOADED,
    hashSeed,
    suspending,
  };
  const worker = new Worker(bundledFile(import.meta.url, 'snapshot-worker'), {
    workerData,
    env: {},
    stdout: true,
    stderr: true,
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread ended')));
    });
  } catch (cause) {
    throw new SvcError('python_unavailable', 'Python could not be started for its snapshot.', { cause });
  } finally {
    await worker.terminate();
  }
}

/**
 * Returns the snapshot in the user's cache folder, and makes it if it is missing. Throws `python_unavailable`.
 */
export async function cachedSnapshot(
  pyodide: URL,
  modules: HostModules,
  folder = cacheFolder(),
): Promise<URL> {
  const path = join(folder, `python-${keyOf(modules)}.bin`);
  if (existsSync(path)) {
    const now = new Date();
    // The modification time records the last use. A read-only cache is never cleaned up, so a failure does not matter.
    await utimes(path, now, now).catch(() => {});
    return pathToFileURL(path);
  }
  const refuse = (thrown: unknown) => {
    throw unkept(folder, thrown);
  };
  // This comes before the work, which takes seconds.
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuse);
  const snapshot = await createSnapshot(pyodide, modules, randomInt(1, 2 ** 31));
  await keep(snapshot, folder, path).catch(refuse);
  return pathToFileURL(path);
}

async function keep(snapshot: Uint8Array, folder: string, path: string): Promise<void> {
  const fresh = join(folder, `.${randomUUID()}`);
  try {
    await writeFile(fresh, snapshot, { mode: 0o600 });
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
  await removeUnused(folder);
}

function unkept(folder: string, cause: unknown): SvcError {
  const reason = messageOf(cause);
  return new SvcError(
    'python_unavailable',
    `Python's snapshot cannot be written to ${folder}: ${reason}.\nSet XDG_CACHE_HOME to a folder that this user can write, or install python3.`,
    { cause },
  );
}

const MONTH_MS = 30 * 86_400_000;

/** Deletes snapshots that no thread has used for a month. Snapshots of other versions may still be in use. */
async function removeUnused(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) =>
    /^(python-[\da-f]{16}\.bin|\.[\da-f-]{36})$/.test(name),
  );
  for (const path of names.map((name) => join(folder, name))) {
    const found = await stat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > MONTH_MS)
      await rm(path, { force: true }).catch(() => {});
  }
}

function keyOf(modules: HostModules): string {
  const text = JSON.stringify([PYODIDE_VERSION, PRELOADED, modules]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function cacheFolder(): string {
  return absolutePath('', `${process.env.XDG_CACHE_HOME || '~/.cache'}/svc`);
}
