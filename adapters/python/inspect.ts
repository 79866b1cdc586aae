import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { PythonFacts } from '../../src/quality/python.ts';
import { pythonEnvironment } from './environment.ts';
import { hostFolder } from './host-folder.ts';
import { findInterpreter, type InterpreterPlace } from './interpreter.ts';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * Parses Python files in one process without running them. Throws `python_unavailable` without an interpreter.
 */
export async function inspectPython(
  texts: { readonly [file: string]: string },
  place: InterpreterPlace,
): Promise<{ readonly [file: string]: PythonFacts }> {
  const { executable } = await findInterpreter(place);
  const options = {
    cwd: place.root,
    env: pythonEnvironment(place.env),
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
  };
  const program = join(hostFolder(), 'check.py');
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      executable,
      ['-I', '-B', '-X', 'utf8', program],
      options,
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else
          reject(
            new SvcError(
              'python_unavailable',
              `${executable} cannot read files: ${stderr.trim() || error.message}`,
            ),
          );
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(texts));
  });
  return JSON.parse(output);
}
