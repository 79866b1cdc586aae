import type { ChosenOptions } from '../adapters/python-pyodide/choose.ts';
import { createBackgroundHost } from '../src/endpoint/python-host.ts';
import type { Runtime } from '../src/endpoint/runtime.ts';
import type { Log, Python } from '../src/ports.ts';
import type { Settings } from '../src/settings/model.ts';
import { createPythonSettings } from '../src/settings/python.ts';
import type { Output } from './output.ts';
import { type CheckedProject, siteFileOf } from './project.ts';

/** How a project's Python is run by a command. */
export interface ProjectPython {
  readonly settings: () => Settings;
  readonly database: Runtime['database'];
  readonly log: Log;
  /** Whether the next call takes up files that changed. */
  readonly follow?: boolean;
  readonly size?: number;
}

/** Opens Python for a project: its python3, or, where there is none, Python in WebAssembly. */
export async function openProjectPython(
  checked: CheckedProject,
  { settings, database, log, ...more }: ProjectPython,
): Promise<Python> {
  const { openChosenPython } = await import('../adapters/python-pyodide/choose.ts');
  const site = siteFileOf(checked);
  const { secrets, project, paths } = site;
  const options: ChosenOptions = {
    first: 'python3',
    root: checked.project.root,
    folder: paths.python,
    env: process.env,
    settings: createPythonSettings({ settings, secrets, site, project, log }),
    background: createBackgroundHost(database, log),
    log,
    follow: false,
    ...more,
  };
  return openChosenPython(options);
}

/** What functions print is for whoever runs them at a terminal. */
export function withPrinted(log: Log, output: Output): Log {
  return (line) => (line.level === 'info' ? output.note(line.message) : log(line));
}

/** The files of what is served in Python, each once. */
export function pythonFilesOf({ catalog }: Pick<Runtime, 'catalog'>): readonly string[] {
  const entries = [...Object.values(catalog.tools), ...Object.values(catalog.resources)];
  const files = entries.flatMap(({ source }) => (source.language === 'python' ? [source.file] : []));
  return [...new Set(files)];
}
