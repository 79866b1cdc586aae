import { nodePython } from '../node/bundled-python.ts';
import { startInOneThread, writeLine } from '../node/one-thread/start.ts';
import { createLambdaHandler } from './handler.ts';
import { createLambdaLog, flushWithin, type InvocationScope } from './invocation.ts';
import { storeWith } from './open-store.ts';

/* The module that Lambda loads. It brings the ports; handler.ts and event.ts translate the events. */

const { env } = process;
const entry = import.meta.url;
const invocations = createLambdaLog(writeLine);
// The init phase has the whole processor and belongs to no call.
const server = await startInOneThread({
  entry,
  log: invocations.log,
  python: (deps) => nodePython({ ...deps, entry, first: 'pyodide', size: 1 }),
  openStore: storeWith(env),
});

/** Sends telemetry after the response, before Lambda freezes the function. */
const scope: InvocationScope = (ids, run, left) =>
  invocations.scope(ids, () => run().finally(() => flushWithin(server.telemetry(), left())), left);

/** The handler that Lambda calls. `SVC_LAMBDA_RESPONSE=buffered` is for API Gateway and Function URLs in BUFFERED mode. */
export const handler = createLambdaHandler(server, {
  response: env.SVC_LAMBDA_RESPONSE === 'buffered' ? 'buffered' : 'stream',
  scope,
});
