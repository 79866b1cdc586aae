import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports.ts';
import type { Conceal } from '../../../src/redaction/redact.ts';
import { pythonEnvironment } from '../environment.ts';
import { followLines, type PrintedLines } from '../printed-lines.ts';
import { readFrames, tooLarge, writeFrame } from '../protocol/frames.ts';
import { PendingRequest } from '../protocol/pending-request.ts';
import type { PythonSeat } from './pool.ts';

/** The program, folder and environment of a Python process. */
export interface ProcessOptions {
  readonly executable: string;
  /** The folder of `child.py`. */
  readonly hostFolder: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Removes secrets from the output. */
  readonly conceal: Conceal;
}

/** A Python process. It takes one text at a time. */
export class PythonProcess implements PythonSeat {
  readonly loaded = new Set<string>();
  readonly ended: Promise<void>;
  readonly printed: PrintedLines;
  readonly #child: ChildProcess;
  readonly #pending = new PendingRequest();
  readonly #mark = randomUUID();

  constructor({ executable, hostFolder, cwd, env, log, conceal }: ProcessOptions) {
    const child = spawn(executable, ['-I', '-B', '-X', 'utf8', join(hostFolder, 'child.py')], {
      cwd,
      env: { ...pythonEnvironment(env), [MARK]: this.#mark },
      stdio: 'pipe',
      windowsHide: true,
    });
    this.#child = child;
    this.printed = followLines(child.stderr, log, conceal);
    child.stdin.on('error', () => {});
    readFrames(child.stdout, {
      onFrame: (text) => this.#pending.answer(text),
      onTooLarge: () => this.kill(tooLarge()),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.once('error', (cause) => {
      this.#pending.end(new SvcError('python_unavailable', `${executable} could not be started.`, { cause }));
      resolve();
    });
    child.once('exit', () => {
      this.#endPrograms();
      // A program that we did not find may hold the streams open. Last lines and the last answer arrive before.
      const drain = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, DRAIN_MS);
      child.once('close', () => clearTimeout(drain));
    });
    child.once('close', (code, signal) => {
      this.#pending.end(died(code, signal));
      resolve();
    });
  }

  get alive(): boolean {
    return this.#pending.alive;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  exchange(text: string): Promise<string> {
    return this.#pending.exchange(() => {
      const { stdin } = this.#child;
      if (stdin !== null) writeFrame(stdin, text);
    });
  }

  kill(reason: SvcError): void {
    this.#pending.end(reason);
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) this.#endPrograms();
  }

  /** Ends the process, if it still runs, and all programs that its functions have started. */
  #endPrograms(): void {
    // The process has made its own group, so programs that functions have started end with it. A program that has left
    // the group is found by its environment.
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
    endMarked(this.#mark);
  }
}

/** Streams of a process that has ended are read this long if programs hold them open. */
const DRAIN_MS = 1_000;

function died(code: number | null, signal: string | null): SvcError {
  const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
  return new SvcError('python_failed', `The Python process ended ${how} in the middle of the call.`);
}

/** The environment variable that all programs inherit which functions of one Python process start. */
const MARK = 'SVC_PYTHON_PROCESS';

/** A program can start another one while we look for it, but hardly as often as this. */
const MAX_ROUNDS = 20;

/** Ends all processes that carry a mark, on Linux. Elsewhere the environment of a process cannot be read. */
function endMarked(mark: string): void {
  if (process.platform !== 'linux') return;
  const ended = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = markedProcesses(`${MARK}=${mark}`).filter((pid) => !ended.has(pid));
    if (found.length === 0) return;
    for (const pid of found) {
      ended.add(pid);
      end(pid);
    }
  }
}

function markedProcesses(entry: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && environmentOf(pid).includes(entry) ? [pid] : [];
  });
}

/** Empty for a process that has ended, or that another user runs. */
function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
