import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Extra } from '../../src/app.ts';
import { parseManifest } from '../../src/catalog/manifest.ts';
import { toSvcError } from '../../src/errors.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import { createStartLog } from '../artefact/log.ts';
import { createEdgeServer } from '../artefact/server.ts';
import { openJwe } from '../node/auth/open-jwe.ts';
import { readBundled } from '../node/bundled-config.ts';
import { nodePython } from '../node/bundled-python.ts';
import { createFetchDocument } from '../node/http/fetch-document.ts';
import { createRequestLog } from '../node/http/request-log.ts';
import { loadStartSettings } from '../node/start-settings.ts';
import { openPackaged } from './database.ts';
import { flushWithin } from './flush.ts';
import { createHandler, createStreamHandler, type InvocationScope } from './handler.ts';
import { createLambdaLog } from './log.ts';
import { storeWith } from './open-store.ts';
import { awsLambda } from './platform.ts';

const { env } = process;
const write = (line: string) => void process.stdout.write(`${line}\n`);
const { log: invocationLog, scope: named } = createLambdaLog(write);
const { log: wanted, follow } = createStartLog(invocationLog);
const requests = createRequestLog(wanted);
const { log } = requests;
const manifest = parseManifest(readFileSync(pathOf('manifest.json'), 'utf8'));
const python = nodePython({
  manifest,
  entry: import.meta.url,
  first: 'pyodide',
  size: 1,
  settings: () => server.settings(),
  database: () => server.runtime().database(),
  log,
});
const server = createEdgeServer({
  manifest,
  env,
  loadSettings: () => loadStartSettings({ manifest, bundled: readBundled(pathOf('config.yml')), env }),
  log,
  follow,
  write,
  auth: { fetchDocument: createFetchDocument(), openJwe, openStore: storeWith(env) },
  open: () => openPackaged(pathOf('data.duckdb'), manifest.database.name),
  ...python.parts,
});
const app = requests.around(server.app);

/** What was measured leaves once the answer has, before Lambda freezes the function. */
const scope: InvocationScope = (ids, run, left) =>
  named(ids, () => run().finally(() => flushWithin(server.telemetry(), left())), left);

// The init phase has the full processor and is not part of any call; should it fail, the first call tries again.
preloadSchemas();
await server.gate();
await Promise.all([
  server
    .runtime()
    .database()
    .catch((error) => log({ level: 'error', message: toSvcError(error).message })),
  python.warm(server.runtime()),
]);

/** What Lambda calls; `SVC_LAMBDA_RESPONSE=buffered` is for API Gateway and Function URLs in BUFFERED mode. */
export const handler = chooseHandler();

function chooseHandler(): unknown {
  const lambda = env.SVC_LAMBDA_RESPONSE === 'buffered' ? null : awsLambda();
  if (lambda === null) return createHandler(answer, scope);
  return lambda.streamifyResponse(createStreamHandler(answer, scope, lambda));
}

async function answer(request: Request, extra: Extra): Promise<Response> {
  const refuse = await server.gate();
  return refuse === null ? app.fetch(request, extra) : refuse(request);
}

/** Beside this module, which is where Lambda unpacks the function (LAMBDA_TASK_ROOT). */
function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
