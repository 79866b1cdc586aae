import type { runPython as ofCalls } from '../../src/call/python.ts';
import { SvcError } from '../../src/errors.ts';
import type { workerPython as ofWorkers } from '../cloudflare-workers/bundled-python.ts';
import type { nodePython as ofNode } from '../node/bundled-python.ts';

/* These functions replace `src/call/python.ts` and `bundled-python.ts` in artefacts without Python endpoints. */

/** Rejects the call. */
export const runPython: typeof ofCalls = async () => {
  throw new SvcError('python_unavailable', 'This artefact was built without Python.');
};

/** Returns false, because an artefact without Python has no endpoint in Python. */
export function isPython(): false {
  return false;
}

/** Opens nothing. */
export const nodePython: typeof ofNode = () => ({ parts: {}, warm: async () => {}, close: async () => {} });

/** Opens nothing. */
export const workerPython: typeof ofWorkers = () => ({ parts: {} });
