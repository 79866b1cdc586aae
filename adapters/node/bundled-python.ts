import { fileURLToPath } from 'node:url';
import { createBackgroundHost } from '../../src/call/python-host.ts';
import type { Python } from '../../src/ports.ts';
import { createPythonSettings } from '../../src/settings/python.ts';
import type { ArtefactPython, ArtefactPythonDeps } from '../artefact/server.ts';
import { warmPython } from '../python/pool/warm.ts';
import type { ChosenOptions } from '../python-pyodide/open.ts';

/** Python that the entry of an artefact closes. */
export interface NodePython extends Required<ArtefactPython> {
  close(): Promise<void>;
}

/** The parts of the server that its Python uses, and the interpreter to try first. */
export interface NodePythonOptions extends ArtefactPythonDeps, Pick<ChosenOptions, 'first' | 'size'> {
  /** `import.meta.url` of the entry; the Python files of the artefact are beside it. */
  readonly entry: string;
}

/** Creates the Python of an artefact on Node or Lambda. The first call opens it. */
export function nodePython(options: NodePythonOptions): NodePython {
  const { manifest, entry, settings, database, log, ...chosen } = options;
  const { python, secrets, catalog } = manifest;
  if (python === undefined) return { parts: {}, warm: async () => {}, close: async () => {} };
  let opened: Promise<Python> | null = null;
  const open = async () => {
    const { openChosenPython } = await import('../python-pyodide/open.ts');
    const source = { settings, secrets, site: null, project: catalog.project, log };
    return openChosenPython({
      ...chosen,
      root: fileURLToPath(new URL('project', entry)),
      folder: python.folder,
      env: process.env,
      settings: createPythonSettings(source),
      background: createBackgroundHost(database, log),
      log,
      workerUrl: new URL(entry.endsWith('.mjs') ? 'python-worker.mjs' : 'python-worker.js', entry),
    });
  };
  return {
    parts: {
      openPython() {
        opened = open();
        return opened;
      },
    },
    warm: warmPython,
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}
