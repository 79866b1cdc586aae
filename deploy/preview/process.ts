import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SvcError } from '../../src/errors.ts';

/** A program to start. */
export interface ChildOptions {
  /** The program. Default: this Node. */
  readonly command?: string;
  /** The arguments of the program; for Node, the script first. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly onLine: (line: string) => void;
  /** Ends the program. */
  readonly stop?: AbortSignal | undefined;
  /** The address in a line that reports readiness; null for any other line. */
  readonly urlIn: (line: string) => string | null;
}

/** A started program. */
export interface PreviewProcess {
  readonly url: string;
  readonly ended: Promise<string>;
  /** Sends SIGTERM and waits for the end. */
  close(): Promise<void>;
}

const TAIL = 20;

/** Starts a program and waits until it reports its address. Throws with its last lines if it ends before. */
export async function startChild(options: ChildOptions): Promise<PreviewProcess> {
  const { command = process.execPath, args, cwd, env, onLine, stop, urlIn } = options;
  const child = spawn(command, args, {
    cwd,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(stop === undefined ? {} : { signal: stop }),
  });
  const last: string[] = [];
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve([`It ended with ${signal ?? code}.`, ...last].join('\n')));
  });
  const url = await new Promise<string>((resolve, reject) => {
    const told = (line: string) => {
      last.push(line);
      if (last.length > TAIL) last.shift();
      onLine(line);
      const found = urlIn(line);
      if (found !== null) resolve(found);
    };
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', told);
    child.once('error', (thrown) => {
      // A program that is stopped ends a little later.
      if (!stop?.aborted) reject(thrown);
    });
    void ended.then((why) => reject(new SvcError('config_invalid', `The artefact does not start. ${why}`)));
  });
  return { url, ended, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}
