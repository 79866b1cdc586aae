import { parentPort } from 'node:worker_threads';
import type { ToWorker } from '../../../../../adapters/duckdb-wasm/pool/messages.ts';
import { ENDS } from './ends.ts';

/* An engine's thread as it is in production, which one statement ends before a step of it runs. */

parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'start' && message.task.kind === 'run' && message.task.request.sql === ENDS)
    process.exit();
});

await import('../../../../../adapters/duckdb-wasm/pool/engine-worker.ts');
