import type { PythonHost } from '../../../../src/ports.ts';

/** Answers what files ask while they are loaded: the contract's ask for nothing. */
export function createBackground(): PythonHost {
  return { execute: async () => [], notice() {}, progress() {}, event() {} };
}
