import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { toSvcError } from '../../src/errors.ts';
import type { Log, Python, PythonHost, PythonSettings } from '../../src/ports.ts';
import { missingPart, PYODIDE_PART } from '../optional-packages.ts';
import { chosenInterpreter, PYODIDE } from '../python/interpreter.ts';
import { openPython, type PythonOptions } from '../python/open.ts';
import { PythonPool } from '../python/pool/pool.ts';
import { concealFor } from '../python/printed-lines.ts';
import { bundledFile, compilePyodide, pyodideFolder } from './files.ts';
import { readHostModules } from './host-modules.ts';
import { cachedSnapshot } from './snapshot.ts';
import { PyodideThread } from './thread.ts';

/** Options of either Python, and the one to prefer. */
export interface ChosenOptions extends PythonOptions {
  /** The Python to try first if no interpreter is configured. */
  readonly first: 'python3' | 'pyodide';
  /** The entry of Pyodide's threads in a bundle. Default: `worker` beside this file. */
  readonly workerUrl?: URL;
}

/**
 * Opens python3 in child processes, or Python in WebAssembly if that is configured or there is no python3.
 * Throws `python_unavailable`.
 */
export async function openChosenPython({ first, ...options }: ChosenOptions): Promise<Python> {
  const wanted = chosenInterpreter(options);
  if (wanted !== null ? wanted === PYODIDE : first === 'pyodide') return openPyodide(options);
  try {
    return await openPython(options);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (wanted !== null || error.code !== 'python_unavailable' || pyodideFolder() === null) throw thrown;
    options.log({ level: 'info', message: 'python3 was not found: Python endpoints run in WebAssembly.' });
    return openPyodide(options);
  }
}

/** Options of Python in threads of this process. */
export interface PyodideOptions {
  /** The project's folder. */
  readonly root: string;
  /** `paths.python` of the site file. */
  readonly folder: string;
  /** Whether each call first reloads changed files; for development. */
  readonly follow?: boolean;
  readonly settings: PythonSettings;
  /** Answers requests of code outside of calls, such as `@on_init`. */
  readonly background: PythonHost;
  readonly log: Log;
  /** The maximum number of threads. Default: one for each core, up to 2. */
  readonly size?: number;
  /** The number of calls that may wait for a thread. Default: 64 for each thread. */
  readonly queue?: number;
  /** The memory limit of Python in each thread, in megabytes. Default: 256. */
  readonly memoryMb?: number;
  /** The entry of a thread. Default: `worker` beside this file. */
  readonly workerUrl?: URL;
}

/** The project's folder inside Python on Windows: Python in WebAssembly is a Unix and has no drive letters. */
const MOUNT = '/project';

/**
 * Opens Python without python3: the same pool, over threads with an interpreter in WebAssembly each. Throws
 * `python_unavailable`.
 */
export async function openPyodide(options: PyodideOptions): Promise<PythonPool> {
  const folder = pyodideFolder();
  if (folder === null) throw missingPart(PYODIDE_PART);
  const { root, log, settings, size = Math.min(availableParallelism(), 2) } = options;
  const { queue = 64 * size, memoryMb = 256 } = options;
  const [wasm, modules] = await Promise.all([compilePyodide(folder), readHostModules()]);
  // Each thread looks it up again, because a snapshot that was not used for long may have been deleted.
  const snapshot = async () => (await snapshotOf(folder, modules)).href;
  await snapshot();
  const mount = process.platform === 'win32' ? MOUNT : root;
  const workerUrl = options.workerUrl ?? bundledFile(import.meta.url, 'worker');
  const setup = { pyodide: folder.href, wasm, modules, memoryMb, root, mount, workerUrl };
  return new PythonPool({
    ...options,
    kind: 'pyodide',
    root: mount,
    follow: options.follow ?? false,
    size,
    queue,
    spawn: async () =>
      new PyodideThread({ ...setup, snapshot: await snapshot(), log, conceal: concealFor(settings) }),
  });
}

/** Returns the snapshot of the artefact, or else that of this machine. */
async function snapshotOf(folder: URL, modules: Awaited<ReturnType<typeof readHostModules>>): Promise<URL> {
  const bundled = new URL('snapshot.bin', folder);
  return existsSync(fileURLToPath(bundled)) ? bundled : cachedSnapshot(folder, modules);
}
