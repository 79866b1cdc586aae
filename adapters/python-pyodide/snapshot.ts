import { createHash, randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SvcError } from '../../src/errors.ts';
import { besides } from './beside.ts';
import { type HostModules, PRELOADED } from './interpreter.ts';
import type { SnapshotInput } from './make-snapshot.ts';
import { PYODIDE_VERSION } from './pyodide.ts';

/** The memory of an interpreter that has started, made in a thread of its own; about three seconds of work. */
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
  const worker = new Worker(besides(import.meta.url, 'snapshot-worker'), {
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

/** The snapshot of this machine: made by whoever needs it first, in the user's cache. */
export async function cachedSnapshot(
  pyodide: URL,
  modules: HostModules,
  folder = cacheFolder(),
): Promise<URL> {
  const path = join(folder, `python-${keyOf(modules)}.bin`);
  if (!existsSync(path)) {
    const snapshot = await createSnapshot(pyodide, modules, randomInt(1, 2 ** 31));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = join(folder, `.${randomUUID()}`);
    await writeFile(fresh, snapshot, { mode: 0o600 });
    await rename(fresh, path);
  }
  return pathToFileURL(path);
}

function keyOf(modules: HostModules): string {
  const text = JSON.stringify([PYODIDE_VERSION, PRELOADED, modules]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'svc');
}
