import { createBackgroundHost } from '../../src/call/python-host.ts';
import type { Runtime } from '../../src/call/runtime.ts';
import type { Manifest } from '../../src/catalog/manifest.ts';
import type { Log, Python } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { createPythonSettings } from '../../src/settings/python.ts';
import { createRpcPython } from '../python-rpc/client.ts';
import type { PythonBinding } from '../python-rpc/messages.ts';

/** What a Worker knows of its Python. */
export interface WorkerPythonOptions {
  readonly manifest: Manifest;
  /** The second Worker. */
  readonly binding: PythonBinding | undefined;
  readonly settings: () => Settings | null;
  readonly database: Runtime['database'];
  readonly log: Log;
}

/** For the runtime: Python in the Worker that the artefact came with. */
export function workerPython({ manifest, binding, settings, database, log }: WorkerPythonOptions): {
  readonly parts: { readonly openPython?: () => Promise<Python> };
} {
  const { python, secrets, catalog } = manifest;
  if (python === undefined || binding === undefined) return { parts: {} };
  const source = { settings, secrets, site: null, project: catalog.project, log };
  const options = {
    settings: createPythonSettings(source),
    background: createBackgroundHost(database, log),
  };
  return { parts: { openPython: async () => createRpcPython(binding, options) } };
}
