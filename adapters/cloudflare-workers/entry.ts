import { createApp } from '../../src/app.ts';
import type { Auth } from '../../src/auth/model.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import type { Sealer } from '../../src/mcp/seal.ts';
import type { Environment } from '../../src/settings/environment.ts';
import type { Settings } from '../../src/settings/model.ts';
import { auditSettingsOf, createLineAudit } from '../edge/audit.ts';
import { startAuth } from '../edge/auth.ts';
import { createGate } from '../edge/cold-start.ts';
import { createStartLog } from '../edge/log.ts';
import { createEdgeReach } from '../edge/reach.ts';
import { sealerOf } from '../edge/sealer.ts';
import { measuredBy, startTelemetry } from '../edge/telemetry.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import type { PythonBinding } from '../python-rpc/client.ts';
import { afterBody } from './after-body.ts';
import { bundledPython } from './bundled-python.ts';
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

type Server = ReturnType<typeof createServer>;
let server: Server | null = null;

function createServer(bindings: Env) {
  const { ASSETS, PYTHON: binding } = bindings;
  const env = textsOf(bindings);
  let auth: Auth | null = null;
  let sealer: Sealer | null = null;
  let telemetry: Telemetry | null = null;
  let settings: Settings | null = null;
  const reach = createEdgeReach();
  const gate = createGate(async () => {
    settings = await loadStartSettings({ manifest, bundled, env });
    follow(settings);
    reach.follow(settings);
    sealer = await sealerOf(settings);
    const openStore = storeAmong(bindings);
    auth = await startAuth(settings, runtime.catalog, { fetchDocument, listens: null, log, openStore });
    const { version } = manifest;
    const measured = { project: runtime.catalog.project, version, env, log, write: printLine };
    telemetry = await startTelemetry(settings, { ...measured, onDemand: true });
    runtime = measuredBy(runtime, telemetry);
  }, log);
  const audit = createLineAudit(auditSettingsOf(manifest.audit, env), printLine);
  const open = () => openAsset(ASSETS, manifest.database.name);
  const database = () => runtime.database();
  const python = bundledPython({ manifest, binding, settings: () => settings, database, log });
  let runtime = createRuntime({ catalog: toServedCatalog(manifest), open, log, ...audit, ...python.parts });
  const app = createApp({
    runtime: () => runtime,
    version: manifest.version,
    stateless: true,
    log,
    auth: () => auth,
    sealer: () => sealer,
    ...reach.parts,
  });
  return { app, gate, database: () => runtime.database(), telemetry: () => telemetry };
}

export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    server ??= createServer(env);
    const gated = server.gate();
    context.waitUntil(gated);
    const refuse = await gated;
    if (refuse !== null) return refuse(request);
    if (mayQuery(request)) context.waitUntil(settled(server.database()));
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
