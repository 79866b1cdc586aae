import { parentPort, workerData } from 'node:worker_threads';
import { makeSnapshot, type SnapshotInput } from './make-snapshot.ts';

/* The thread that makes a snapshot. Its clock stands still. */

const input: SnapshotInput = workerData;
// The bytes must not depend on the Node that builds, and older Nodes cannot suspend functions.
const hidden = input.suspending ? [] : ['Suspending', 'promising'];
for (const name of hidden) Reflect.deleteProperty(WebAssembly, name);

const snapshot = await makeSnapshot(input);
parentPort?.postMessage(snapshot, [snapshot.buffer as ArrayBuffer]);
