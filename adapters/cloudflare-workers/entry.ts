import { parseManifest } from '../../src/catalog/manifest.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import { jsonLine } from '../../src/one-line.ts';
import type { Environment } from '../../src/settings/environment.ts';
import { fetchInBackground } from '../artefact/background.ts';
import { fetchDocument } from '../artefact/fetch-document.ts';
import { type ArtefactServer, createArtefactServer } from '../artefact/server.ts';
import { loadStartSettings } from '../artefact/start-settings.ts';
import type { PythonBinding } from '../python-rpc/messages.ts';
import { workerPython } from './bundled-python.ts';
import bundled from './config.yml';
import { type DatabaseBindings, openBundled } from './database.ts';
import manifestText from './manifest.json';
import { storeAmong } from './open-store.ts';

/* The module Worker. It brings the ports; Workers already speak in web requests and responses. */

/** The bindings of wrangler.toml, besides variables, secrets and the D1 database. */
interface Bindings extends DatabaseBindings {
  /** The second Worker, if the project has Python endpoints. */
  readonly PYTHON?: PythonBinding;
}

interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

preloadSchemas();

const manifest = parseManifest(manifestText);
let server: ArtefactServer | null = null;

function createServer(bindings: Bindings): ArtefactServer {
  return createArtefactServer({
    manifest,
    bundled,
    env: variablesOf(bindings),
    loadSettings: loadStartSettings,
    log: ({ level, message, fields }) => console[level](jsonLine({ level, message, ...fields })),
    write: (line) => console.log(line),
    openDatabase: () => openBundled(bindings, manifest.database),
    python: (deps) => workerPython({ ...deps, binding: bindings.PYTHON }),
    auth: { fetchDocument, openStore: storeAmong(bindings) },
  });
}

export default {
  async fetch(request: Request, bindings: Bindings, context: ExecutionContext): Promise<Response> {
    server ??= createServer(bindings);
    const address = request.headers.get('cf-connecting-ip');
    return fetchInBackground(server, request, address === null ? {} : { address }, (work) =>
      context.waitUntil(work),
    );
  },
};

/** Returns the variables and secrets. All other bindings are objects. */
function variablesOf(bindings: Bindings): Environment {
  return Object.fromEntries(Object.entries(bindings).filter(([, value]) => typeof value === 'string'));
}
