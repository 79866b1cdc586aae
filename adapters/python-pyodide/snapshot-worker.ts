import { parentPort, workerData } from 'node:worker_threads';
import { compilePyodide, loadParts } from './files.ts';
import { loadInterpreter, writeModules } from './interpreter.ts';

/* The thread that makes a snapshot. Its clock stands still. */

const input: SnapshotInput = workerData;
// The bytes must not depend on the Node that builds, and older Nodes cannot suspend functions.
const hidden = input.suspending ? [] : ['Suspending', 'promising'];
for (const name of hidden) Reflect.deleteProperty(WebAssembly, name);

const snapshot = await makeSnapshot(input);
parentPort?.postMessage(snapshot, [snapshot.buffer as ArrayBuffer]);

/** The input of a snapshot. The same input gives the same bytes. */
export interface SnapshotInput {
  /** The folder with Pyodide's files, as a URL. */
  readonly pyodide: string;
  /** The texts of our Python modules in it, by their path in `site-packages`. */
  readonly modules: { readonly [path: string]: string };
  /** Python code that imports the modules that most calls need. */
  readonly imports: string;
  readonly hashSeed: number;
  /** Whether the engine that loads it has `WebAssembly.Suspending`; others cannot load such a snapshot. */
  readonly suspending: boolean;
}

/**
 * Starts an interpreter and copies its memory. It stops the clock of its thread, so it needs its own thread.
 */
async function makeSnapshot(input: SnapshotInput): Promise<Uint8Array> {
  const folder = new URL(input.pyodide);
  const parts = await loadParts(folder, await compilePyodide(folder));
  const still = Date.UTC(2026, 0, 1);
  Date.now = () => still;
  const python = await loadInterpreter(parts, {
    snapshot: null,
    still: true,
    memoryMb: 1024,
    hashSeed: input.hashSeed,
  });
  writeModules(python, input.modules);
  python.runPython(input.imports);
  return python.makeMemorySnapshot();
}
