import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Milliseconds from the start of the process, and from the first request, to the first answer. */
export interface Start {
  readonly total: number;
  readonly first: number;
  readonly answer: string;
}

/** The file that says what workerd runs. */
export const CONFIGURATION = 'workerd.capnp';

/** The program that wrangler runs Workers with. */
function workerdProgram(): string {
  const wrangler = createRequire(import.meta.url).resolve('wrangler/package.json');
  return join(dirname(createRequire(wrangler).resolve('workerd/package.json')), 'bin/workerd');
}

/** What runs a Worker of these modules with a folder of assets, without wrangler's proxies before it. */
export function toConfiguration(modules: readonly string[]): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "assets", disk = "assets")],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${modules.map(toModule).join(', ')}],
  compatibilityDate = "2026-09-01",
  bindings = [(name = "ASSETS", service = "assets")],
);
`;
}

function toModule(name: string): string {
  return `(name = "${name}", ${name.endsWith('.wasm') ? 'wasm' : 'esModule'} = embed "${name}")`;
}

/** Starts the Worker of a folder in a workerd of its own, asks it once, and ends it. */
export async function startOnce(folder: string): Promise<Start> {
  const begun = performance.now();
  const child = spawn(workerdProgram(), ['serve', CONFIGURATION, '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const exited = once(child, 'exit');
  try {
    const port = await portOf(child.stdio[3] as Readable);
    const listening = performance.now();
    const answer = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const answered = performance.now();
    return { total: answered - begun, first: answered - listening, answer };
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** workerd says on its control channel where it listens. */
async function portOf(control: Readable): Promise<number> {
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') return port;
  }
  throw new Error('workerd ended before it listened');
}
