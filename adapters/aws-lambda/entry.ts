import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApp } from '../../src/app.ts';
import { parseManifest, toServedCatalog } from '../../src/catalog/manifest.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import { toSvcError } from '../../src/errors.ts';
import { OPEN_ACCESS } from '../../src/http/access.ts';
import { preloadSchemas } from '../../src/mcp/preload.ts';
import { openPackaged } from './database.ts';
import { createHandler, createStreamHandler } from './handler.ts';
import { createLambdaLog } from './log.ts';
import { awsLambda } from './platform.ts';

const { log, scope } = createLambdaLog((line) => process.stdout.write(`${line}\n`));
const manifest = parseManifest(readFileSync(pathOf('manifest.json'), 'utf8'));
const runtime = createRuntime({
  catalog: toServedCatalog(manifest),
  open: () => openPackaged(pathOf('data.duckdb')),
  log,
});
const app = createApp({
  runtime: () => runtime,
  version: manifest.version,
  stateless: true,
  log,
  ...OPEN_ACCESS,
});

// The init phase has the full processor and is not part of any call; should it fail, the first call tries again.
preloadSchemas();
await runtime.database().catch((error) => log({ level: 'error', message: toSvcError(error).message }));

/** What Lambda calls; `SVC_LAMBDA_RESPONSE=buffered` is for API Gateway and Function URLs in BUFFERED mode. */
export const handler = chooseHandler();

function chooseHandler(): unknown {
  const lambda = process.env.SVC_LAMBDA_RESPONSE === 'buffered' ? null : awsLambda();
  if (lambda === null) return createHandler(app.fetch, scope);
  return lambda.streamifyResponse(createStreamHandler(app.fetch, scope, lambda));
}

/** Beside this module, which is where Lambda unpacks the function (LAMBDA_TASK_ROOT). */
function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
