import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';

/** A Python interpreter that is known to start. */
export interface Interpreter {
  /** The path of the interpreter itself, not of a shim that starts it. */
  readonly executable: string;
  readonly version: string;
}

/** The project and the settings by which an interpreter is found. */
export interface InterpreterPlace {
  /** The project's root. Its `.venv` comes before `python3` on the PATH. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** `python.interpreter` of the site file. */
  readonly interpreter?: string | null;
}

/** The name that chooses Python in WebAssembly instead of an interpreter. */
export const PYODIDE = 'pyodide';

/**
 * Returns the configured interpreter: a name on the PATH, or a path, relative to the project's root; null if
 * there is none.
 */
export function chosenInterpreter({ env, interpreter }: Omit<InterpreterPlace, 'root'>): string | null {
  return env.SVC_PYTHON?.trim() || interpreter || null;
}

const OLDEST = [3, 9] as const;
const ASK_MS = 15_000;
const WHO = 'import sys; print(sys.executable); print(*sys.version_info[:3], sep=".")';
const IN_VENV = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];

/**
 * Finds the interpreter of a project: the configured one, that of its `.venv`, or python3 on the PATH. Throws
 * `python_unavailable`.
 */
export async function findInterpreter(place: InterpreterPlace): Promise<Interpreter> {
  const { root, env } = place;
  const wanted = chosenInterpreter(place);
  const venv = join(root, '.venv', ...IN_VENV);
  const candidates =
    wanted !== null && wanted !== PYODIDE
      ? [wanted]
      : [...(existsSync(venv) ? [venv] : []), 'python3', 'python'];
  const refused: string[] = [];
  for (const candidate of candidates) {
    const found = await ask(candidate, root, env);
    if (typeof found === 'string') refused.push(`${candidate}: ${found}`);
    else return found;
  }
  throw notFound(wanted, refused);
}

function notFound(wanted: string | null, refused: readonly string[]): SvcError {
  const oldest = OLDEST.join('.');
  const message =
    wanted === null || wanted === PYODIDE
      ? `Python endpoints need Python ${oldest} or newer, and none was found.
${refused.map((line) => `  ${line}`).join('\n')}
Install python3, make a virtual environment with \`python3 -m venv .venv\`, or name an interpreter in SVC_PYTHON or in \`python.interpreter\` of the profile.`
      : `The configured interpreter cannot run Python endpoints, which need Python ${oldest} or newer: ${refused.join('')}.
Correct or remove it in SVC_PYTHON, or in \`python.interpreter\` of the profile.`;
  return new SvcError('python_unavailable', message);
}

/** Asks an interpreter for its path and version; returns a reason if it cannot be used. */
async function ask(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Interpreter | string> {
  // Without `-S`, it runs the start-up code of a virtual environment, which would read the whole environment.
  const output = await new Promise<string | Error>((resolve) => {
    execFile(
      command,
      ['-I', '-S', '-c', WHO],
      { cwd, env, timeout: ASK_MS, windowsHide: true },
      (error, stdout) => resolve(error ?? stdout),
    );
  });
  if (typeof output !== 'string') return reasonOf(output);
  const [executable = '', version = ''] = output.trim().split(/\r?\n/);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
    return { executable: executable || command, version };
  }
  return version === '' ? 'its version is unknown' : `its version is ${version}`;
}

function reasonOf(error: Error & { code?: unknown; killed?: unknown }): string {
  if (error.code === 'ENOENT') return 'the program does not exist';
  if (error.code === 'EACCES') return 'this user may not start it';
  if (error.killed === true) return `it did not answer within ${ASK_MS / 1000} s`;
  return (error.message.split('\n').find((line) => !line.startsWith('Command failed')) ?? 'it failed').trim();
}
