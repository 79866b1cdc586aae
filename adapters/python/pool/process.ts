import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { SvcError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports.ts';
import { pythonEnvironment } from '../environment.ts';
import { followLines, type PrintedLines } from '../printed-lines.ts';
import { readFrames, tooLarge, writeFrame } from '../protocol/frames.ts';
import { Turn } from '../protocol/pending-request.ts';
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
  readonly #turn = new Turn();

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
      onFrame: (text) => this.#turn.answer(text),
      onTooLarge: () => this.kill(tooLarge()),
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    child.once('error', (cause) => {
      this.#turn.end(new SvcError('python_unavailable', `${executable} could not be started.`, { cause }));
      resolve();
    });
    child.once('close', (code, signal) => {
      this.#turn.end(died(code, signal));
      resolve();
    });
  }

  get alive(): boolean {
    return this.#turn.alive;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  exchange(text: string): Promise<string> {
    return this.#turn.exchange(() => {
      const { stdin } = this.#child;
      if (stdin !== null) writeFrame(stdin, text);
    });
  }

  kill(reason: SvcError): void {
    this.#turn.end(reason);
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
}

function died(code: number | null, signal: string | null): SvcError {
  const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
  return new SvcError('python_failed', `The Python process ended ${how} in the middle of the call.`);
}
