import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TargetName } from '../../deploy/target.ts';
import type { Reach } from './clients.ts';
import { type FunctionOptions, startFunction } from './lambda/function.ts';
import { startWorker } from './worker.ts';

/** A built artefact that runs. */
export interface Running {
  readonly reach: Reach;
  close(): Promise<void>;
}

/** A platform: which artefact it takes, and how it runs it. */
export interface Platform {
  readonly name: string;
  readonly target: TargetName;
  readonly start: (folder: string) => Promise<Running>;
}

/** Every way in which a built artefact is run. */
export const PLATFORMS: readonly Platform[] = [
  { name: 'Node over a socket', target: 'node', start: startNode },
  { name: 'Node over stdio', target: 'node', start: async (folder) => overStdio(folder) },
  lambda('Lambda, Function URL, streaming', { gateway: 'function-url' }),
  lambda('Lambda, Function URL, buffered', {
    gateway: 'function-url',
    environment: { SVC_LAMBDA_RESPONSE: 'buffered' },
  }),
  lambda('Lambda, API Gateway', { gateway: 'api-gateway' }),
  { name: 'workerd', target: 'cloudflare-workers', start: startWorkerd },
];

/** Runs the Node artefact over HTTP on a free port. */
export async function startNode(folder: string): Promise<Running> {
  const child = spawn(process.execPath, ['index.js'], {
    cwd: folder,
    env: { PORT: '0' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const url = await servingAt(child);
  return { reach: { kind: 'http', url }, close: () => terminate(child) };
}

/** The address in the program's first log line. */
async function servingAt(child: ChildProcess): Promise<URL> {
  const log = createInterface({ input: child.stderr ?? process.stdin });
  for await (const line of log) {
    const { url }: { url?: string } = JSON.parse(line);
    if (url !== undefined) return new URL(url);
  }
  throw new Error(`the artefact ended with ${child.exitCode}`);
}

async function terminate(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await exited;
  if (code !== 0) throw new Error(`the artefact ended with ${code} on SIGTERM`);
}

function overStdio(folder: string): Running {
  const args = [join(folder, 'index.js'), '--stdio'];
  return {
    reach: { kind: 'stdio', command: process.execPath, args, cwd: '/' },
    close: async () => {},
  };
}

function lambda(name: string, options: FunctionOptions): Platform {
  return {
    name,
    target: 'aws-lambda',
    start: async (folder) => {
      const { url, close } = await startFunction(join(folder, 'function.zip'), options);
      return { reach: { kind: 'http', url: new URL('mcp', url) }, close };
    },
  };
}

async function startWorkerd(folder: string): Promise<Running> {
  const { url, close } = await startWorker(folder);
  return { reach: { kind: 'http', url: new URL('mcp', url) }, close };
}
