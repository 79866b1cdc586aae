import { parentPort, workerData } from 'node:worker_threads';
import { makeSnapshot, type SnapshotInput } from './make-snapshot.ts';

/* A thread in which a snapshot is made: time stands still in it, and it has what every Node has. */

const input: SnapshotInput = workerData;
// Older Nodes cannot suspend functions, and the bytes must not depend on the Node that builds.
const hidden = input.suspending ? [] : ['Suspending', 'promising'];
for (const name of hidden) Reflect.deleteProperty(WebAssembly, name);

const snapshot = await makeSnapshot(input);
parentPort?.postMessage(snapshot, [snapshot.buffer as ArrayBuffer]);
