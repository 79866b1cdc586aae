import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** A server under load, in a process of its own. */
export interface LoadedServer {
  readonly url: string;
  /** The process itself, without those below it. */
  readonly pid: number;
  /** Milliseconds of processor time of its process and of all processes below it. */
  cpuMs(): number;
  close(): Promise<void>;
}

/** A program that serves on an address of its own choice. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Its address, once it has printed enough. Default: it prints `"url":"..."`. */
  readonly address?: (printed: string) => string | undefined;
  /** Receives what it prints. By default nothing does. */
  readonly log?: (text: string) => void;
}

/** Starts a program of Node that prints its address as `"url":"..."` to stdout or stderr. */
export function startServer(args: readonly string[], cwd: string): Promise<LoadedServer> {
  return startCommand({ program: process.execPath, args, cwd });
}

/** Starts a program, and waits until it prints its address. */
export async function startCommand({
  program,
  args,
  cwd,
  env,
  address = OWN_ADDRESS,
  log = () => {},
}: Command): Promise<LoadedServer> {
  const child = spawn(program, args, {
    cwd,
    env: { HOME: cwd, PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} ${args.join(' ')} did not start`);
  for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => log(String(chunk)));
  child.once('exit', (code, signal) => log(`\nthe process ended with ${code ?? signal}\n`));
  const found = await addressOf(child, address);
  const url = found.endsWith('/mcp') ? found : new URL('/mcp', found).href;
  return { url, pid, cpuMs: () => cpuOfTree(pid), close: () => stop(child) };
}

const OWN_ADDRESS = (printed: string): string | undefined => /"url":"(http[^"]+)"/.exec(printed)?.[1];

function addressOf(child: ChildProcess, address: (printed: string) => string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer): void => {
      text += chunk;
      const found = address(text);
      if (found !== undefined) resolve(found);
      // The log of the calls is read too, so that the server never waits for it.
      if (found !== undefined) text = '';
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

interface Process {
  readonly parent: number;
  readonly cpuMs: number;
}

function cpuOfTree(root: number): number {
  const processes = readProcesses();
  const belongs = (pid: number | undefined): boolean => {
    if (pid === undefined || pid === 0) return false;
    return pid === root || belongs(processes.get(pid)?.parent);
  };
  return [...processes].reduce((sum, [pid, { cpuMs }]) => sum + (belongs(pid) ? cpuMs : 0), 0);
}

/** All processes of the machine, from /proc. */
function readProcesses(): ReadonlyMap<number, Process> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(pids.flatMap((pid) => toEntry(Number(pid))));
}

function toEntry(pid: number): readonly (readonly [number, Process])[] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (thrown) {
    // It ended since the folder was read.
    if (thrown instanceof Error && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ESRCH'))
      return [];
    throw thrown;
  }
  // The name of the program, in brackets, may contain blanks. Parent, user and system time follow it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [[pid, { parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }]];
}
