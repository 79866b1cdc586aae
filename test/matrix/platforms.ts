import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPreview } from '../../deploy/preview/preview.ts';
import { type FunctionOptions, startFunction } from '../../deploy/targets/aws-lambda/preview/function.ts';
import { startDeno } from '../../deploy/targets/deno/target.ts';
import type { EngineName, TargetName } from '../../deploy/targets/targets.ts';
import { startVercel } from '../../deploy/targets/vercel/target.ts';
import { unpackBundle } from './bundle.ts';
import { CLIENTS, type ClientKind, OLDER_CLIENTS, type Reach } from './clients.ts';
import { ensureDeno } from './deno.ts';
import { startWorker } from './worker.ts';

const SVC = fileURLToPath(new URL('../../cli/svc.js', import.meta.url));

/** A built artefact that runs. */
export interface Running {
  readonly reach: Reach;
  close(): Promise<void>;
}

/** A built artefact that runs and listens on a port. */
export interface HttpRunning extends Running {
  readonly reach: Extract<Reach, { readonly kind: 'http' }>;
}

/** A platform: which artefact it takes, how it runs it, and who can reach it. */
export interface Platform {
  readonly name: string;
  readonly target: TargetName;
  /** The engine of the artefact; wasm by default. */
  readonly engine?: EngineName;
  /** The place from which the artefact reads its database by ranges; by default it contains the file. */
  readonly store?: string;
  readonly start: (folder: string) => Promise<Running>;
  readonly clients: readonly ClientKind[];
}

/** Every way in which a built artefact is run. */
export const PLATFORMS: readonly Platform[] = [
  { name: 'Node over a socket', target: 'node', start: (folder) => startNode(folder), clients: CLIENTS },
  { name: 'Node over stdio', target: 'node', start: async (folder) => overStdio(folder), clients: CLIENTS },
  { name: 'desktop bundle', target: 'mcpb', start: startBundle, clients: CLIENTS },
  lambda('Lambda, Function URL, streaming', { gateway: 'function-url' }),
  lambda('Lambda, Function URL, buffered', {
    gateway: 'function-url',
    environment: { SVC_LAMBDA_RESPONSE: 'buffered' },
  }),
  lambda('Lambda, API Gateway', { gateway: 'api-gateway' }),
  {
    name: 'Node, native engine',
    target: 'node',
    engine: 'native',
    start: (folder) => startNode(folder),
    clients: OLDER_CLIENTS,
  },
  {
    ...lambda('Lambda, native engine', { gateway: 'function-url' }),
    engine: 'native',
    clients: CLIENTS.slice(0, 1),
  },
  // Before the other Workers: wrangler fills no local bucket in a process where one has run.
  {
    name: 'workerd, database in R2',
    target: 'cloudflare-workers',
    store: 'r2',
    start: startWithBucket,
    clients: CLIENTS.slice(0, 1),
  },
  { name: 'workerd', target: 'cloudflare-workers', start: startWorkerd, clients: CLIENTS },
  { name: 'Deno', target: 'deno', start: startInDeno, clients: CLIENTS },
  { name: 'Vercel', target: 'vercel', start: startOnVercel, clients: CLIENTS },
  {
    name: 'workerd, blocks as assets',
    target: 'cloudflare-workers',
    store: 'assets',
    start: startWorkerd,
    clients: CLIENTS.slice(0, 1),
  },
];

/** The compiled program over the project as it is. */
export type Served = Omit<Platform, 'target' | 'engine' | 'store'> & {
  readonly target?: undefined;
  readonly engine?: undefined;
  readonly store?: undefined;
};

/** Every way in which a project is served without being built. */
export const SERVED: readonly Served[] = [
  { name: 'svc serve', start: (root) => startServe(root, 'streamable-http'), clients: CLIENTS },
  { name: 'svc serve over SSE', start: (root) => startServe(root, 'sse'), clients: OLDER_CLIENTS },
];

/** Its database is opened for writing, so the native engine serves it. */
async function startServe(root: string, transport: string): Promise<Running> {
  const args = [SVC, '-C', root, 'serve', '--transport', transport, '--port', '0', '--json'];
  const child = spawn(process.execPath, args, { env: { HOME: root }, stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = new URL(JSON.parse(line).url);
    const kind = transport === 'sse' ? 'sse' : 'http';
    return { reach: { kind, url }, close: () => terminate(child) };
  }
  throw new Error(`svc serve ended with ${child.exitCode}`);
}

/** Runs the Node artefact over HTTP on a free port. */
export async function startNode(
  folder: string,
  env: { readonly [name: string]: string } = {},
): Promise<Running> {
  const child = spawn(process.execPath, ['index.js'], {
    cwd: folder,
    env: { PORT: '0', ...env },
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

/** Unpacks a bundle as a desktop client does, and starts the command of its manifest in another folder. */
async function startBundle(folder: string): Promise<Running> {
  const unpacked = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  const { command, args } = await unpackBundle(folder, unpacked, {});
  return {
    reach: { kind: 'stdio', command: command === 'node' ? process.execPath : command, args, cwd: '/' },
    close: () => rm(unpacked, { recursive: true }),
  };
}

function lambda(name: string, options: FunctionOptions): Platform {
  return {
    name,
    target: 'aws-lambda',
    clients: CLIENTS,
    start: async (folder) => {
      const { url, close } = await startFunction(join(folder, 'function.zip'), options);
      return { reach: { kind: 'http', url: new URL('mcp', url) }, close };
    },
  };
}

type Environment = { readonly [name: string]: string };

/** Runs the Deno artefact in Deno on a free port. */
export async function startInDeno(folder: string, env: Environment = {}): Promise<HttpRunning> {
  const root = await ensureDeno();
  const { url, close } = await startDeno({ ...SILENT, folder, root, env: { PATH, HOME: folder, ...env } });
  return { reach: { kind: 'http', url: new URL(url) }, close };
}

/** Runs the Vercel artefact behind the stand-in for Vercel's launcher on a free port. */
export async function startOnVercel(folder: string, env: Environment = {}): Promise<HttpRunning> {
  const { url, close } = await startVercel({ ...SILENT, folder, env: { PATH, ...env } });
  return { reach: { kind: 'http', url: new URL(url) }, close };
}

const SILENT = { port: 0, onLine: () => {} };
const { PATH = '' } = process.env;

async function startWorkerd(folder: string): Promise<Running> {
  const { url, close } = await startWorker(folder);
  return { reach: { kind: 'http', url: new URL('mcp', url) }, close };
}

/** As `svc preview` does, which fills the local bucket. */
async function startWithBucket(folder: string): Promise<Running> {
  const quiet = { env: process.env, onLine: () => {} };
  const { url, close } = await startPreview('cloudflare-workers', {
    folder,
    port: 0,
    root: folder,
    ...quiet,
  });
  return { reach: { kind: 'http', url: new URL(url) }, close };
}
