import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SvcError } from '../../src/errors.ts';

/** The choices for running an artefact on this machine. */
export interface PreviewOptions {
  /** The folder that `svc build` wrote. */
  readonly folder: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The project, whose own copy of the platform's tool is preferred. */
  readonly root: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Receives each line that the artefact writes. */
  readonly onLine: (line: string) => void;
  /** Ends an artefact that is starting. */
  readonly stop?: AbortSignal | undefined;
}

/** An artefact that runs. */
export interface Preview {
  /** Address of its MCP endpoint. */
  readonly url: string;
  /** Resolves with the reason when the artefact ends by itself. */
  readonly ended: Promise<string>;
  /** Ends the artefact and waits for its end. */
  close(): Promise<void>;
}

/** A program to start. */
interface ChildOptions {
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

const TAIL = 20;

/** Starts a program and waits until it reports its address. Throws with its last lines if it ends before. */
export async function startChild(options: ChildOptions): Promise<Preview> {
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
