import { parseManifest } from '../../src/catalog/manifest.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import { createArtefactServer } from '../artefact/server.ts';
import { artefactFiles } from '../node/artefact-files.ts';
import { openJwe } from '../node/auth/open-jwe.ts';
import { nodePython } from '../node/bundled-python.ts';
import { createFetchDocument } from '../node/http/fetch-document.ts';
import { createRequestLog } from '../node/http/request-log.ts';
import { loadStartSettings } from '../node/start-settings.ts';
import { openBundledDatabase } from './bundled-database.ts';
import { createLambdaHandler } from './handler.ts';
import { createLambdaLog, flushWithin, type InvocationScope } from './invocation.ts';
import { storeWith } from './open-store.ts';

/* The module that Lambda loads. It brings the ports; handler.ts and event.ts translate the events. */

const { env } = process;
const write = (line: string) => void process.stdout.write(`${line}\n`);
const invocations = createLambdaLog(write);
const requests = createRequestLog(invocations.log, () => server.takesDebug());
const { pathOf, manifestText, bundled } = artefactFiles(import.meta.url);
const manifest = parseManifest(manifestText);

const server = createArtefactServer({
  manifest,
  bundled,
  env,
  loadSettings: loadStartSettings,
  log: requests.log,
  write,
  openDatabase: (settings) => openBundledDatabase({ manifest, pathOf, settings }),
  python: (deps) => nodePython({ ...deps, entry: import.meta.url, first: 'pyodide', size: 1 }),
  auth: { fetchDocument: createFetchDocument(), openJwe, openStore: storeWith(env) },
});

// The init phase has the whole processor and belongs to no call. If it fails, the first call tries again.
preloadSchemas();
await server.warm();

/** Sends telemetry after the response, before Lambda freezes the function. */
const scope: InvocationScope = (ids, run, left) =>
  invocations.scope(ids, () => run().finally(() => flushWithin(server.telemetry(), left())), left);

/** The handler that Lambda calls. `SVC_LAMBDA_RESPONSE=buffered` is for API Gateway and Function URLs in BUFFERED mode. */
export const handler = createLambdaHandler(requests.around(server), {
  response: env.SVC_LAMBDA_RESPONSE === 'buffered' ? 'buffered' : 'stream',
  scope,
});
