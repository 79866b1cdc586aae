import { createApp } from '../../src/app.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import { OPEN_ACCESS } from '../../src/http/access.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import type { Log } from '../../src/ports.ts';
import { type Assets, openAsset } from './database.ts';
import manifestText from './manifest.json';

/** What the platform binds (wrangler.toml). */
interface Env {
  readonly ASSETS: Assets;
}

/** How a request keeps work alive that outlives its client. */
interface ExecutionContext {
  waitUntil(work: Promise<unknown>): void;
}

preloadSchemas();

const manifest = parseManifest(manifestText);
const log: Log = ({ level, message, fields }) =>
  console[level](JSON.stringify({ level, message, ...fields }));

type Server = ReturnType<typeof createServer>;
let server: Server | null = null;

function createServer({ ASSETS }: Env) {
  const runtime = createRuntime({ catalog: toServedCatalog(manifest), open: () => openAsset(ASSETS), log });
  const app = createApp({
    runtime: () => runtime,
    version: manifest.version,
    stateless: true,
    log,
    ...OPEN_ACCESS,
  });
  return { app, runtime };
}

export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    server ??= createServer(env);
    if (mayQuery(request)) context.waitUntil(settled(server.runtime.database()));
    return server.app.fetch(request);
  },
};

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
