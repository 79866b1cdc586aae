import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import type { Log } from '../../src/ports.ts';
import { pythonEnvironment } from './environment.ts';
import { MAX_FRAME, readFrames, writeFrame } from './frames.ts';
import { followLines, type PrintedLines } from './lines.ts';
import type { PythonSeat } from './seat.ts';

/** How a Python process is started. */
export interface ProcessOptions {
  readonly executable: string;
  /** Where `child.py` lies. */
  readonly hostFolder: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

/** One Python process; whoever holds it sends one text at a time. */
export class PythonProcess implements PythonSeat {
  readonly loaded = new Set<string>();
  readonly ended: Promise<void>;
  readonly printed: PrintedLines;
  readonly #child: ChildProcess;
  #pending: PromiseWithResolvers<string> | null = null;
  #gone: SvcError | null = null;

  constructor({ executable, hostFolder, cwd, env, log }: ProcessOptions) {
    const child = spawn(executable, ['-I', '-B', '-X', 'utf8', join(hostFolder, 'child.py')], {
      cwd,
      env: pythonEnvironment(env),
      stdio: 'pipe',
      windowsHide: true,
    });
    this.#child = child;
    this.printed = followLines(child.stderr, log);
    child.stdin.on('error', () => {});
    readFrames(child.stdout, {
      onFrame: (text) => this.#take(text),
      onTooLarge: () => this.kill(tooLarge()),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.once('error', (cause) => {
      this.#fail(new SvcError('python_unavailable', `${executable} could not be started.`, { cause }));
      resolve();
    });
    child.once('close', (code, signal) => {
      this.#fail(died(code, signal));
      resolve();
    });
  }

  get alive(): boolean {
    return this.#gone === null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  exchange(text: string): Promise<string> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    const pending = Promise.withResolvers<string>();
    this.#pending = pending;
    const { stdin } = this.#child;
    if (stdin !== null) writeFrame(stdin, text);
    return pending.promise;
  }

  kill(reason: SvcError): void {
    this.#fail(reason);
    // Its group, which it has made itself: what a function started ends with it.
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
  }

  #take(text: string): void {
    const pending = this.#pending;
    this.#pending = null;
    pending?.resolve(text);
  }

  #fail(reason: SvcError): void {
    this.#gone ??= reason;
    const pending = this.#pending;
    this.#pending = null;
    pending?.reject(this.#gone);
  }
}

function died(code: number | null, signal: string | null): SvcError {
  const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
  return new SvcError('python_failed', `The Python process ended ${how} in the middle of the call.`);
}

function tooLarge(): SvcError {
  return new SvcError('result_too_large', `The function returned more than ${MAX_FRAME / 1024 / 1024} MiB.`);
}
