import { availableParallelism } from 'node:os';
import type { Log, PythonHost, PythonSettings } from '../../src/ports.ts';
import { hostFolder } from './host-folder.ts';
import { findInterpreter, type Interpreter } from './interpreter.ts';
import { PythonPool } from './pool/pool.ts';
import { PythonProcess } from './pool/process.ts';
import { printedLog } from './printed-lines.ts';

/** What Python in child processes needs to know. */
export interface PythonOptions {
  /** The project's root, absolute. */
  readonly root: string;
  /** `paths.python` of the site file. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** `python.interpreter` of the site file; SVC_PYTHON comes before it. */
  readonly interpreter?: string | null;
  readonly settings: PythonSettings;
  /** Answers code that belongs to no call. */
  readonly background: PythonHost;
  readonly log: Log;
  /** Whether the next call takes up files that changed; for development. */
  readonly follow?: boolean;
  /** Processes at most; default: one for each processor, up to four. */
  readonly size?: number;
  /** Calls that may wait for a process. */
  readonly queue?: number;
}

/** Python in child processes, started when they are needed; throws python_unavailable where there is no interpreter. */
export async function openPython(options: PythonOptions): Promise<PythonPool> {
  const { root, env, log, follow = false, size = Math.min(availableParallelism(), 4) } = options;
  const { queue = 64 * size } = options;
  const host = hostFolder();
  const { settings } = options;
  let found: Interpreter | null = await findInterpreter(options);
  return new PythonPool({
    ...options,
    kind: 'child',
    follow,
    size,
    queue,
    spawn: async () => {
      found ??= await findInterpreter(options);
      return new PythonProcess({
        executable: found.executable,
        hostFolder: host,
        cwd: root,
        env,
        log: printedLog(log, settings),
      });
    },
    renew() {
      found = null;
    },
  });
}
