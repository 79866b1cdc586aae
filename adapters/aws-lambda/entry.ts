import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import { toSvcError } from '../../src/errors.ts';
import { OPEN_ACCESS } from '../../src/http/access.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import { auditSettingsOf, createLineAudit } from '../edge/audit.ts';
import { createGate } from '../edge/cold-start.ts';
import { readBundled } from '../node/bundled-config.ts';
import { loadStartSettings } from '../node/start-settings.ts';
import { openPackaged } from './database.ts';
import { createHandler, createStreamHandler } from './handler.ts';
import { createLambdaLog } from './log.ts';
import { awsLambda } from './platform.ts';

const write = (line: string) => void process.stdout.write(`${line}\n`);
const { log, scope } = createLambdaLog(write);
const manifest = parseManifest(readFileSync(pathOf('manifest.json'), 'utf8'));
const runtime = createRuntime({
  catalog: toServedCatalog(manifest),
  open: () => openPackaged(pathOf('data.duckdb')),
  log,
  ...createLineAudit(auditSettingsOf(manifest.audit, process.env), write),
});
const app = createApp({
  runtime: () => runtime,
  version: manifest.version,
  stateless: true,
  log,
  ...OPEN_ACCESS,
});

const gate = createGate(
  () => loadStartSettings({ manifest, bundled: readBundled(pathOf('config.yml')), env: process.env }),
  log,
);

// The init phase has the full processor and is not part of any call; should it fail, the first call tries again.
preloadSchemas();
await gate();
await runtime.database().catch((error) => log({ level: 'error', message: toSvcError(error).message }));

/** What Lambda calls; `SVC_LAMBDA_RESPONSE=buffered` is for API Gateway and Function URLs in BUFFERED mode. */
export const handler = chooseHandler();

function chooseHandler(): unknown {
  const lambda = process.env.SVC_LAMBDA_RESPONSE === 'buffered' ? null : awsLambda();
  if (lambda === null) return createHandler(answer, scope);
  return lambda.streamifyResponse(createStreamHandler(answer, scope, lambda));
}

async function answer(request: Request): Promise<Response> {
  const refuse = await gate();
  return refuse === null ? app.fetch(request) : refuse(request);
}

/** Beside this module, which is where Lambda unpacks the function (LAMBDA_TASK_ROOT). */
function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
