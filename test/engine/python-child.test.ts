import { describe, it } from 'vitest';
import { findInterpreter } from '../../adapters/python/interpreter.ts';
import { openPython } from '../../adapters/python/open.ts';
import { describePython } from './python/contract.ts';
import { PROJECT } from './python/subject.ts';

const { env } = process;
const found = await findInterpreter({ root: PROJECT, env }).catch((error: Error) => error);

if (found instanceof Error) {
  // The suite runs without python3 too, so the report names what it did not test.
  describe('python (child)', () => it.skip(`NOT TESTED: ${found.message}`, () => {}));
} else {
  describePython({
    name: 'child',
    open: (options) => openPython({ ...options, env }),
    threads: true,
    processes: process.platform !== 'win32',
    artefact: false,
  });
}
