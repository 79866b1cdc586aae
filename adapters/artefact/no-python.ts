import { SvcError } from '../../src/errors.ts';

/* In place of what runs Python endpoints, in an artefact that has none. */

/** Calls no function. */
export async function runPython(): Promise<never> {
  throw new SvcError('python_unavailable', 'This artefact was built without Python.');
}

/** Opens nothing. */
export const bundledPython = () => ({ parts: {}, warm: async () => {}, close: async () => {} });
