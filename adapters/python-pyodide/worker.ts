import { readFileSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { loadParts } from './files.ts';
import { connectStreams, openInterpreter } from './interpreter.ts';
import type { FromThread, ThreadSetup } from './thread.ts';

/* The entry of an interpreter's thread. Bundles contain it as a separate file. */

const setup: ThreadSetup = workerData;
const post = (message: FromThread): void => parentPort?.postMessage(message);

/** Sends a text and blocks the thread until the host's next text. */
function exchange(text: string): string {
  post({ kind: 'text', text });
  for (;;) {
    const posted = Atomics.load(setup.posted, 0);
    const next = parentPort === null ? undefined : receiveMessageOnPort(parentPort);
    if (next !== undefined) return next.message;
    Atomics.wait(setup.posted, 0, posted);
  }
}

const parts = await loadParts(new URL(setup.pyodide), setup.wasm);
const { python, handle } = await openInterpreter(parts, {
  snapshot: setup.snapshot === null ? null : readFileSync(new URL(setup.snapshot)),
  memoryMb: setup.memoryMb,
  modules: setup.modules,
  still: false,
  exchange,
});
connectStreams(python, (line) => post({ kind: 'print', line }));
python.mountNodeFS(setup.mount, setup.root);
python.runPython(`import os; os.chdir(${JSON.stringify(setup.mount)})`);
parentPort?.on('message', (text: string) => {
  const answer = handle(text);
  post({ kind: 'text', text: answer });
  if (answer.startsWith('{"op": "stopped"')) parentPort?.close();
});
