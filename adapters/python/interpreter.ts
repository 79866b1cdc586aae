import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';

/** A Python interpreter that was asked who it is. */
export interface Interpreter {
  /** Itself, not a shim that would start it. */
  readonly executable: string;
  readonly version: string;
}

/** Where to look for an interpreter. */
export interface InterpreterPlace {
  /** The project's root; its `.venv` comes before whatever is on the path. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** `python.interpreter` of the site file. */
  readonly interpreter?: string | null;
}

/** In place of an interpreter: the one in WebAssembly. */
export const PYODIDE = 'pyodide';

/** The interpreter that was asked for: a name on the path, or a path, which may begin at the project's root. */
export function chosenInterpreter({ env, interpreter }: Omit<InterpreterPlace, 'root'>): string | null {
  return env.SVC_PYTHON?.trim() || interpreter || null;
}

const OLDEST = [3, 9] as const;
const ASK_MS = 15_000;
const WHO = 'import sys; print(sys.executable); print(*sys.version_info[:3], sep=".")';
const IN_VENV = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];

/** The interpreter of a project: the one that was asked for, its `.venv`, or python3 on the path; throws python_unavailable. */
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
      ? `No Python ${oldest} or newer was found, which Python endpoints need.
${refused.map((line) => `  ${line}`).join('\n')}
Install python3, make a virtual environment with \`python3 -m venv .venv\`, or name an interpreter in SVC_PYTHON, or as \`python.interpreter\` of the profile.`
      : `The interpreter that was asked for cannot run Python endpoints, which need ${oldest} or newer: ${refused.join('')}.
Correct it in SVC_PYTHON, or in \`python.interpreter\` of the profile, or name none there.`;
  return new SvcError('python_unavailable', message);
}

/** Who an interpreter is, or why it is none for us. */
async function ask(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Interpreter | string> {
  const output = await new Promise<string | Error>((resolve) => {
    execFile(command, ['-I', '-c', WHO], { cwd, env, timeout: ASK_MS, windowsHide: true }, (error, stdout) =>
      resolve(error ?? stdout),
    );
  });
  if (typeof output !== 'string') return reasonOf(output);
  const [executable = '', version = ''] = output.trim().split(/\r?\n/);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) {
    return { executable: executable || command, version };
  }
  return `this is Python ${version || 'of an unknown version'}`;
}

function reasonOf(error: Error & { code?: unknown; killed?: unknown }): string {
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.code === 'EACCES') return 'it may not be started';
  if (error.killed === true) return `it did not answer within ${ASK_MS / 1000} s`;
  return (error.message.split('\n').find((line) => !line.startsWith('Command failed')) ?? 'it failed').trim();
}
