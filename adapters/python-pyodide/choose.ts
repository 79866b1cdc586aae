import { toSvcError } from '../../src/errors.ts';
import type { Python } from '../../src/ports.ts';
import { chosenInterpreter, PYODIDE } from '../python/interpreter.ts';
import { openPython, type PythonOptions } from '../python/open.ts';
import { pyodideFolder } from './files.ts';
import { openPyodide } from './open.ts';

/** Options of either Python, and the one to prefer. */
export interface ChosenOptions extends PythonOptions {
  /** The Python to try first if no interpreter is configured. */
  readonly first: 'python3' | 'pyodide';
  /** The entry of Pyodide's threads in a bundle. Default: `worker` beside this file. */
  readonly workerUrl?: URL;
}

/**
 * Opens python3 in child processes, or Python in WebAssembly if that is configured or there is no python3.
 * Throws `python_unavailable`.
 */
export async function openChosenPython({ first, ...options }: ChosenOptions): Promise<Python> {
  const wanted = chosenInterpreter(options);
  if (wanted !== null ? wanted === PYODIDE : first === 'pyodide') return openPyodide(options);
  try {
    return await openPython(options);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (wanted !== null || error.code !== 'python_unavailable' || pyodideFolder() === null) throw thrown;
    options.log({ level: 'info', message: 'python3 was not found: Python endpoints run in WebAssembly.' });
    return openPyodide(options);
  }
}
