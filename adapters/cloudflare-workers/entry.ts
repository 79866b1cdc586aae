import { parseManifest } from '../../src/catalog/manifest.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import type { Environment } from '../../src/settings/environment.ts';
import { createStartLog } from '../artefact/log.ts';
import { createEdgeServer, type EdgeServer } from '../artefact/server.ts';
import type { PythonBinding } from '../python-rpc/messages.ts';
import { afterBody } from './after-body.ts';
import { workerPython } from './bundled-python.ts';
import bundled from './config.yml';
import { type Assets, openAsset } from './database.ts';
import { fetchDocument } from './fetch-document.ts';
import manifestText from './manifest.json';
import { storeAmong } from './open-store.ts';
import { loadStartSettings } from './start-settings.ts';

/** What the platform binds (wrangler.toml). */
interface Env {
  readonly ASSETS: Assets;
  /** Only of artefacts with Python endpoints. */
  readonly PYTHON?: PythonBinding;
}

/** How a request keeps work alive that outlives its client. */
interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

preloadSchemas();

const manifest = parseManifest(manifestText);
const { log, follow } = createStartLog(({ level, message, fields }) =>
  console[level](JSON.stringify({ level, message, ...fields })),
);

let server: EdgeServer | null = null;

function createServer(bindings: Env): EdgeServer {
  const { ASSETS, PYTHON: binding } = bindings;
  const env = textsOf(bindings);
  const settings = () => created.settings();
  const database = () => created.runtime().database();
  const created = createEdgeServer({
    manifest,
    env,
    loadSettings: () => loadStartSettings({ manifest, bundled, env }),
    log,
    follow,
    write: printLine,
    auth: { fetchDocument, openStore: storeAmong(bindings) },
    open: () => openAsset(ASSETS, manifest.database.name),
    ...workerPython({ manifest, binding, settings, database, log }).parts,
  });
  return created;
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    server ??= createServer(env);
    const gated = server.gate();
    context.waitUntil(gated);
    const refuse = await gated;
    if (refuse !== null) return refuse(request);
    if (mayQuery(request)) context.waitUntil(settled(server.runtime().database()));
    const address = request.headers.get('cf-connecting-ip');
    const answer = await server.app.fetch(request, address === null ? {} : { address });
    const telemetry = server.telemetry();
    if (telemetry === null) return answer;
    const { response, ended } = afterBody(answer);
    context.waitUntil(ended.then(() => telemetry.flush()));
    return response;
  },
};

function printLine(line: string): void {
  console.log(line);
}

/** Variables and secrets; the other bindings are no text. */
function textsOf(bindings: Env): Environment {
  return Object.fromEntries(Object.entries(bindings).filter(([, value]) => typeof value === 'string'));
}

/**
 * Every request of the isolate waits for the same opening. Were it cut off with the client that came first,
 * the others would wait for ever; so it is held open here, and starts while the body is still arriving.
 */
function settled(opening: Promise<unknown>): Promise<unknown> {
  return opening.catch(() => null);
}

function mayQuery({ method, url }: Request): boolean {
  return method === 'POST' || new URL(url).pathname === '/ready';
}
