import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own. */
export interface Program {
  readonly url: URL;
  /** Microseconds of processor time that it has used. */
  cpu(): Promise<number>;
  close(): Promise<void>;
}

/** The path of a file beside the bench. */
export function benchFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Starts a script that logs `{"url": ...}` as JSON to stderr once it serves. */
export async function startProgram(args: readonly string[], cwd: string): Promise<Program> {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('./cpu.ts'), ...args], {
    cwd,
    env: { PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const url = await urlOf(child);
  return { url, cpu: () => cpuOf(child), close: () => stop(child) };
}

/** Milliseconds from the start of a process to its end. */
export async function timeProcess(args: readonly string[], cwd: string): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - start;
}

async function urlOf(child: ChildProcess): Promise<URL> {
  if (child.stderr === null) throw new Error('the program has no stderr');
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /"url":"(http[^"]+)"/.exec(line);
    if (found?.[1]) return new URL(found[1]);
  }
  throw new Error(`the program ended with ${child.exitCode}`);
}

async function cpuOf(child: ChildProcess): Promise<number> {
  const told = once(child, 'message');
  child.send('cpu');
  const [microseconds] = await told;
  return microseconds;
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
