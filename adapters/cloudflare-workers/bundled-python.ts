import { createBackgroundHost } from '../../src/call/python-host.ts';
import { createPythonSettings } from '../../src/settings/python.ts';
import type { ArtefactPython, ArtefactPythonDeps } from '../artefact/server.ts';
import { createRpcPython } from '../python-rpc/client.ts';
import type { PythonBinding } from '../python-rpc/messages.ts';

/** The parts of the server that its Python uses, and the Worker that runs it. */
export interface WorkerPythonOptions extends ArtefactPythonDeps {
  /** The second Worker; undefined if wrangler.toml binds none. */
  readonly binding: PythonBinding | undefined;
}

/** Creates the Python of a Worker: a second Worker, called over RPC. */
export function workerPython(options: WorkerPythonOptions): ArtefactPython {
  const { manifest, binding, settings, database, log } = options;
  const { python, secrets, catalog } = manifest;
  if (python === undefined || binding === undefined) return { parts: {} };
  const source = { settings, secrets, site: null, project: catalog.project, log };
  const rpc = { settings: createPythonSettings(source), background: createBackgroundHost(database, log) };
  return { parts: { openPython: async () => createRpcPython(binding, rpc) } };
}
