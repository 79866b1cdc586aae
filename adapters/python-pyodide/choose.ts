import { toSvcError } from '../../src/errors.ts';
import type { Python } from '../../src/ports.ts';
import { chosenInterpreter, PYODIDE } from '../python/interpreter.ts';
import { openPython, type PythonOptions } from '../python/open.ts';
import { pyodideFolder } from './files.ts';
import { openPyodide } from './open.ts';

/** Where Python runs. */
export interface ChosenOptions extends PythonOptions {
  /** What comes first where nobody asked for an interpreter. */
  readonly first: 'python3' | 'pyodide';
  /** The thread's entry of a bundle. */
  readonly workerUrl?: URL;
}

/** Opens python3 in child processes, or Python in WebAssembly: as was asked for, or where there is no python3. */
export async function openChosenPython({ first, ...options }: ChosenOptions): Promise<Python> {
  const wanted = chosenInterpreter(options);
  if (wanted !== null ? wanted === PYODIDE : first === 'pyodide') return openPyodide(options);
  try {
    return await openPython(options);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (wanted !== null || error.code !== 'python_unavailable' || pyodideFolder() === null) throw thrown;
    options.log({ level: 'info', message: 'There is no python3: Python endpoints run in WebAssembly.' });
    return openPyodide(options);
  }
}
