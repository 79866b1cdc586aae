import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { delimiter, join } from 'node:path';
import { SvcError } from '../../src/errors.ts';

/** Finds the first executable file of a name in some folders, then in PATH; null if there is none. */
export async function findProgram(name: string, folders: readonly string[] = []): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of [...folders, ...path]) {
    for (const file of names) if (await isProgram(join(folder, file))) return join(folder, file);
  }
  return null;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** A program to run in place of this one. */
interface ChildCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Runs a program with our terminal and signals, and returns its exit code; 128 + n if signal n ended it. */
export async function runChild({ program, args, env, cwd }: ChildCommand): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env, ...(cwd === undefined ? {} : { cwd }) });
  // Ctrl-C on a terminal has reached the child already, and a second one would cut its clean-up short.
  const passOn = (signal: NodeJS.Signals) => {
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    return await new Promise<number>((done, fail) => {
      child.on('error', (cause) => fail(unstartable(program, cause)));
      child.on('close', (code, signal) => done(code ?? 128 + (signal ? system.signals[signal] : 0)));
    });
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}

function unstartable(program: string, cause: Error): SvcError {
  return new SvcError('not_found', `${program} cannot be started: ${cause.message}`, { cause });
}
