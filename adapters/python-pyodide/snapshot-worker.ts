import { parentPort, workerData } from 'node:worker_threads';
import { makeSnapshot, type SnapshotInput } from './make-snapshot.ts';

/* A thread in which a snapshot is made: time stands still in it, and it has what every Node has. */

// Where functions can be suspended Pyodide's table has more of them, and other Nodes could not load it.
for (const name of ['Suspending', 'promising']) Reflect.deleteProperty(WebAssembly, name);

const input: SnapshotInput = workerData;
const snapshot = await makeSnapshot(input);
parentPort?.postMessage(snapshot, [snapshot.buffer as ArrayBuffer]);
