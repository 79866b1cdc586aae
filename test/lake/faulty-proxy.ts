import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Part } from './parts.ts';

/** How the proxy treats a request: a status, an answer after a while or late, none, or the end of the connection. */
export type Fault = 403 | 500 | 'slow' | 'late' | 'never' | 'reset';

/** A proxy of our own in front of S3. */
export interface FaultyProxy extends Part {
  /** Sets the fault of all requests from now on, or none; resolves with the number of requests until now. */
  set(fault: Fault | null): Promise<number>;
}

/** Starts a proxy on a thread of its own, so that it answers while the engine keeps this one. */
export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const worker = new Worker(new URL('./faulty-proxy-worker.ts', import.meta.url), { workerData: { port } });
  const [started] = await once(worker, 'message');
  return {
    port: started.port,
    set: async (fault) => {
      const answered = once(worker, 'message');
      worker.postMessage(fault);
      const [{ requests }] = await answered;
      return requests;
    },
    stop: async () => {
      await worker.terminate();
    },
  };
}
