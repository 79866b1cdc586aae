import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApp, type Extra } from '../../src/app.ts';
import type { Auth } from '../../src/auth/model.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import { toSvcError } from '../../src/errors.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import type { Sealer } from '../../src/mcp/seal.ts';
import type { Settings } from '../../src/settings/model.ts';
import { auditSettingsOf, createLineAudit } from '../edge/audit.ts';
import { startAuth } from '../edge/auth.ts';
import { createGate } from '../edge/cold-start.ts';
import { createStartLog } from '../edge/log.ts';
import { createEdgeReach } from '../edge/reach.ts';
import { sealerOf } from '../edge/sealer.ts';
import { measuredBy, startTelemetry } from '../edge/telemetry.ts';
import { readBundled } from '../node/bundled-config.ts';
import { bundledPython } from '../node/bundled-python.ts';
import { createFetchDocument } from '../node/fetch-document.ts';
import { openJwe } from '../node/open-jwe.ts';
import { createRequestLog } from '../node/request-log.ts';
import { loadStartSettings } from '../node/start-settings.ts';
import type { Telemetry } from '../otel/telemetry.ts';
import { openPackaged } from './database.ts';
import { flushWithin } from './flush.ts';
import { createHandler, createStreamHandler, type Scope } from './handler.ts';
import { createLambdaLog } from './log.ts';
import { storeWith } from './open-store.ts';
import { awsLambda } from './platform.ts';

const write = (line: string) => void process.stdout.write(`${line}\n`);
const { log: invocationLog, scope: named } = createLambdaLog(write);
const { log: wanted, follow } = createStartLog(invocationLog);
const requests = createRequestLog(wanted);
const { log } = requests;
const manifest = parseManifest(readFileSync(pathOf('manifest.json'), 'utf8'));
let settings: Settings | null = null;
const python = bundledPython({
  manifest,
  entry: import.meta.url,
  first: 'pyodide',
  size: 1,
  settings: () => settings,
  database: () => runtime.database(),
  log,
});
let runtime = createRuntime({
  catalog: toServedCatalog(manifest),
  open: () => openPackaged(pathOf('data.duckdb'), manifest.database.name),
  log,
  ...createLineAudit(auditSettingsOf(manifest.audit, process.env), write),
  ...python.parts,
});
let auth: Auth | null = null;
let sealer: Sealer | null = null;
let telemetry: Telemetry | null = null;
const reach = createEdgeReach();
const app = requests.around(
  createApp({
    runtime: () => runtime,
    version: manifest.version,
    stateless: true,
    log,
    auth: () => auth,
    sealer: () => sealer,
    ...reach.parts,
  }),
);

const gate = createGate(async () => {
  const bundled = readBundled(pathOf('config.yml'));
  settings = await loadStartSettings({ manifest, bundled, env: process.env });
  follow(settings);
  reach.follow(settings);
  sealer = await sealerOf(settings);
  const openStore = storeWith(process.env);
  const parts = { fetchDocument: createFetchDocument(), openJwe, listens: null, log, openStore };
  auth = await startAuth(settings, runtime.catalog, parts);
  const { version } = manifest;
  const measured = { project: runtime.catalog.project, version, env: process.env, log, write };
  telemetry = await startTelemetry(settings, { ...measured, onDemand: true });
  runtime = measuredBy(runtime, telemetry);
}, log);

/** What was measured leaves once the answer has, before Lambda freezes the function. */
const scope: Scope = (ids, run, left) =>
  named(ids, () => run().finally(() => flushWithin(telemetry, left())), left);

// The init phase has the full processor and is not part of any call; should it fail, the first call tries again.
preloadSchemas();
await gate();
await Promise.all([
  runtime.database().catch((error) => log({ level: 'error', message: toSvcError(error).message })),
  python.warm(runtime),
]);

/** What Lambda calls; `SVC_LAMBDA_RESPONSE=buffered` is for API Gateway and Function URLs in BUFFERED mode. */
export const handler = chooseHandler();

function chooseHandler(): unknown {
  const lambda = process.env.SVC_LAMBDA_RESPONSE === 'buffered' ? null : awsLambda();
  if (lambda === null) return createHandler(answer, scope);
  return lambda.streamifyResponse(createStreamHandler(answer, scope, lambda));
}

async function answer(request: Request, extra: Extra): Promise<Response> {
  const refuse = await gate();
  return refuse === null ? app.fetch(request, extra) : refuse(request);
}

/** Beside this module, which is where Lambda unpacks the function (LAMBDA_TASK_ROOT). */
function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
