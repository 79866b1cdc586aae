import { fileURLToPath } from 'node:url';
import { createBackgroundHost } from '../../src/call/python-host.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import type { Manifest } from '../../src/catalog/manifest.ts';
import type { Log, Python } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { createPythonSettings } from '../../src/settings/python.ts';
import { warmPython } from '../python/pool/warm.ts';
import type { ChosenOptions } from '../python-pyodide/choose.ts';

/** The Python of an artefact, in one of its entries. */
export interface BundledPython {
  /** For the runtime: opens Python with the first call. */
  readonly parts: { readonly openPython?: () => Promise<Python> };
  /** Opens Python and loads what is served in it, before the first call; never throws. */
  warm(runtime: Runtime): Promise<void>;
  close(): Promise<void>;
}

/** What an entry knows of its Python. */
export interface NodePythonOptions extends Pick<ChosenOptions, 'first' | 'size'> {
  readonly manifest: Manifest;
  /** The entry itself, as a URL: everything is beside it. */
  readonly entry: string;
  readonly settings: () => Settings | null;
  readonly database: Runtime['database'];
  readonly log: Log;
}

/** Python as the manifest of an artefact asks for it. */
export function nodePython({
  manifest,
  entry,
  settings,
  database,
  log,
  ...more
}: NodePythonOptions): BundledPython {
  const { python, secrets, catalog } = manifest;
  if (python === undefined) return { parts: {}, warm: async () => {}, close: async () => {} };
  let opened: Promise<Python> | null = null;
  const open = async () => {
    const { openChosenPython } = await import('../python-pyodide/choose.ts');
    const source = { settings, secrets, site: null, project: catalog.project, log };
    return openChosenPython({
      ...more,
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
