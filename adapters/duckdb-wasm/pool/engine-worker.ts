import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { toPlainError, toSvcError } from '../../../src/errors.ts';
import type { SqlCall, SqlResult } from '../../../src/ports.ts';
import { Engine } from '../engine/engine.ts';
import { readerOf } from '../engine/path-file.ts';
import { EngineReplaced } from '../errors.ts';
import type { FromWorker, Task, ToWorker, WorkerSetup } from './messages.ts';

/* The entry of an engine's own thread; a platform's bundle carries it as a file of its own. */

const setup: WorkerSetup = workerData;
const queries = new Map<number, AbortController>();
const ids = new WeakMap<SqlCall, number>();

const post = (message: FromWorker): void => parentPort?.postMessage(message);

function onStep(call: SqlCall | null): void {
  const id = call === null ? 0 : (ids.get(call) ?? 0);
  Atomics.store(setup.running, 0, id);
  Atomics.add(setup.running, 1, 1);
}

async function work(engine: Engine, task: Task, call: SqlCall): Promise<SqlResult | null> {
  if (task.kind === 'run') return engine.run(task.request, call);
  await engine.prepare(task.sql, task.mode, call);
  return null;
}

async function start(engine: Engine, query: Extract<ToWorker, { kind: 'start' }>): Promise<void> {
  const { id, task, caller, timeoutMs } = query;
  const abort = new AbortController();
  queries.set(id, abort);
  // A cancel message right behind this one is read first; then nothing starts.
  await nextTurn();
  const call: SqlCall = { caller, timeoutMs, signal: abort.signal };
  ids.set(call, id);
  try {
    post({ kind: 'done', id, result: await work(engine, task, call) });
  } catch (thrown) {
    answerFailure(engine, id, thrown);
  } finally {
    queries.delete(id);
  }
}

let dying = false;

/** Reports a failure. If the engine is broken, its thread ends, and the pool moves its other queries elsewhere. */
function answerFailure(engine: Engine, id: number, thrown: unknown): void {
  if (dying || thrown instanceof EngineReplaced) return;
  const { broken } = engine;
  post({ kind: 'failed', id, error: toPlainError(toSvcError(thrown)), broken });
  if (!broken) return;
  dying = true;
  parentPort?.close();
}

try {
  const { wasm, trampolines, file, memoryMb } = setup;
  const engine = await Engine.open({
    wasm,
    trampolines,
    file: readerOf(file),
    memoryMb,
    pause: nextTurn,
    onStep,
  });
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind === 'cancel') queries.get(message.id)?.abort();
    else void start(engine, message);
  });
  post({ kind: 'ready' });
} catch (thrown) {
  post({ kind: 'unopened', error: toPlainError(toSvcError(thrown)) });
}
