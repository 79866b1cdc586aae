import { availableParallelism } from 'node:os';
import type { Log, PythonHost, PythonSettings } from '../../src/ports.ts';
import { hostFolder } from './host-folder.ts';
import { findInterpreter } from './interpreter.ts';
import { PythonPool } from './pool/pool.ts';
import { PythonProcess } from './pool/process.ts';
import { concealFor } from './printed-lines.ts';

/** Options of Python in child processes. */
export interface PythonOptions {
  /** The project's root, an absolute path. */
  readonly root: string;
  /** `paths.python` of the site file. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** `python.interpreter` of the site file. SVC_PYTHON overrides it. */
  readonly interpreter?: string | null;
  readonly settings: PythonSettings;
  /** Answers requests of code outside of calls, such as `@on_init`. */
  readonly background: PythonHost;
  readonly log: Log;
  /** Whether each call first reloads changed files; for development. */
  readonly follow?: boolean;
  /** The maximum number of processes. Default: one for each processor, up to four. */
  readonly size?: number;
  /** The number of calls that may wait for a process. Default: 64 for each process. */
  readonly queue?: number;
}

/**
 * Opens Python in child processes, which are started when they are needed. Throws `python_unavailable` without
 * an interpreter.
 */
export async function openPython(options: PythonOptions): Promise<PythonPool> {
  const { root, env, log, follow = false, size = Math.min(availableParallelism(), 4) } = options;
  const { queue = 64 * size } = options;
  const host = hostFolder();
  const { settings } = options;
  const { executable } = await findInterpreter(options);
  return new PythonPool({
    ...options,
    kind: 'child',
    follow,
    size,
    queue,
    spawn: async () =>
      new PythonProcess({ executable, hostFolder: host, cwd: root, env, log, conceal: concealFor(settings) }),
  });
}
