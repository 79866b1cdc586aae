import { createBackgroundHost } from '../../../src/call/python-host.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import type { Log, Python } from '../../../src/ports.ts';
import type { SiteFile } from '../../../src/project/site-model.ts';
import type { Settings } from '../../../src/settings/model.ts';
import { createPythonSettings } from '../../../src/settings/python.ts';
import type { ChosenOptions } from '../../python-pyodide/open.ts';

/** A project's folder, and its valid site file. */
export interface SoundSite {
  readonly root: string;
  readonly site: SiteFile;
}

/** The parts with which a process runs a project's Python. */
export interface ProjectPython {
  readonly settings: () => Settings;
  readonly database: Runtime['database'];
  readonly log: Log;
  /** Whether the next call loads changed files. */
  readonly follow?: boolean;
  readonly size?: number;
}

/** Opens Python for a project: its python3, or Python in WebAssembly if there is none. */
async function openProjectPython(
  { root, site }: SoundSite,
  { settings, database, log, ...more }: ProjectPython,
): Promise<Python> {
  const { openChosenPython } = await import('../../python-pyodide/open.ts');
  const { secrets, project, paths, python } = site;
  const options: ChosenOptions = {
    first: 'python3',
    root,
    folder: paths.python,
    env: process.env,
    interpreter: python.interpreter,
    settings: createPythonSettings({ settings, secrets, site, project, log }),
    background: createBackgroundHost(database, log),
    log,
    follow: false,
    ...more,
  };
  return openChosenPython(options);
}

/** Python that opens with the first call of a function. */
export interface LazyPython {
  open(): Promise<Python>;
  /** Whether it is open. */
  readonly opened: boolean;
  close(): Promise<void>;
}

/** Makes a project's Python for the duration of a process or a command. */
export function createLazyPython(from: SoundSite, options: ProjectPython): LazyPython {
  let opening: Promise<Python | null> = Promise.resolve(null);
  let opened: Python | null = null;
  const open = async () => {
    opened = await openProjectPython(from, options);
    return opened;
  };
  return {
    open() {
      const python = open();
      opening = python.catch(() => null);
      return python;
    },
    get opened() {
      return opened !== null;
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
