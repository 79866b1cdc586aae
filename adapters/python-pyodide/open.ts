import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SvcError } from '../../src/errors.ts';
import type { Log, PythonHost, PythonSettings } from '../../src/ports.ts';
import { PythonPool } from '../python/pool/pool.ts';
import { printedLog } from '../python/printed-lines.ts';
import { bundledFile } from './bundled-files.ts';
import { compilePyodide, pyodideFolder } from './files.ts';
import { readHostModules } from './host-modules.ts';
import { cachedSnapshot } from './snapshot.ts';
import { PyodideThread } from './thread.ts';

/** How Python is served from threads of this process. */
export interface PyodideOptions {
  /** The project's folder. */
  readonly root: string;
  /** `paths.python` of the site file. */
  readonly folder: string;
  /** Whether changed files are taken up by the next call. */
  readonly follow?: boolean;
  readonly settings: PythonSettings;
  /** Answers code that belongs to no call. */
  readonly background: PythonHost;
  readonly log: Log;
  /** The most threads; by default one for each core, up to 2. */
  readonly size?: number;
  /** The most calls that wait; 64 for each thread by default. */
  readonly queue?: number;
  /** The most memory that Python can take in each thread; 256 by default. */
  readonly memoryMb?: number;
  /** The thread's entry; by default `worker` beside this file. */
  readonly workerUrl?: URL;
}

/** Windows has paths that Python in WebAssembly, a Unix, does not know. */
const MOUNT = '/project';

/** Opens Python for where there is no python3: the same pool over threads, each with an interpreter in WebAssembly. */
export async function openPyodide(options: PyodideOptions): Promise<PythonPool> {
  const folder = pyodideFolder();
  if (folder === null) throw missing();
  const { root, log, settings, size = Math.min(availableParallelism(), 2) } = options;
  const { queue = 64 * size, memoryMb = 256 } = options;
  const [wasm, modules] = await Promise.all([compilePyodide(folder), readHostModules()]);
  // found again by each thread: one that was not used for long may be gone
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
      new PyodideThread({ ...setup, snapshot: await snapshot(), log: printedLog(log, settings) }),
  });
}

/** That of the artefact, or this machine's. */
async function snapshotOf(folder: URL, modules: Awaited<ReturnType<typeof readHostModules>>): Promise<URL> {
  const bundled = new URL('snapshot.bin', folder);
  return existsSync(fileURLToPath(bundled)) ? bundled : cachedSnapshot(folder, modules);
}

function missing(): SvcError {
  return new SvcError(
    'python_unavailable',
    'There is neither a python3 nor the package pyodide. Install python3, name an interpreter in SVC_PYTHON, or install svc again without `--omit=optional`.',
  );
}
