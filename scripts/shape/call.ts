import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../src/errors.ts';

/** A function of ours that V8 saw running; the name of an anonymous one is empty. */
export interface Ran {
  readonly file: string;
  readonly name: string;
}

/** The functions that a call ran, or why they could not be counted. */
export type CallFigure = { readonly ran: readonly Ran[] } | { readonly unmeasured: string };

const SERVER = fileURLToPath(new URL('covered-server.ts', import.meta.url));
const WARM_CALLS = 30;
const MEASURED_CALLS = 7;
const TIMEOUT_MS = 60_000;
/** Read-only on the WASM engine, whose pool is the default of a read-only database. */
const ENVIRONMENT = { SVC_READONLY: 'true', SVC_DATABASE_ENGINE: 'wasm' };
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'top_products',
};
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'top_products',
    arguments: { month: '2026-03', limit: 3 },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/**
 * The functions that one warm call of the tool `top_products` of examples/hello runs, from the request to its answer.
 * The server runs from the sources under the root with V8's precise coverage. The quietest of several calls is
 * returned, because timers of the pool may fire during one. The pool's worker threads are not covered.
 * A tree that cannot serve the example is no error: the other figures are still worth reading.
 */
export async function measureCall(root: string): Promise<CallFigure> {
  const example = join(root, 'examples/hello');
  if (!existsSync(example)) return { unmeasured: 'the tree has no examples/hello' };
  const project = mkdtempSync(join(tmpdir(), 'svc-shape-'));
  try {
    cpSync(example, project, { recursive: true });
    return { ran: await serveAndMeasure(root, project) };
  } catch (thrown) {
    return { unmeasured: messageOf(thrown) };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

async function serveAndMeasure(root: string, project: string): Promise<readonly Ran[]> {
  const server = startServer(root, project);
  try {
    const url = await urlOf(server);
    for (let index = 0; index < WARM_CALLS; index++) await call(url);
    const calls: (readonly Ran[])[] = [];
    for (let index = 0; index < MEASURED_CALLS; index++) calls.push(await coverCall(server, url));
    return calls.reduce((best, ran) => (ran.length < best.length ? ran : best));
  } finally {
    await stop(server);
  }
}

function startServer(root: string, project: string): ChildProcess {
  return fork(SERVER, [root, 'serve', '--port', '0', '--json'], {
    cwd: project,
    execArgv: [],
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
}

/** Reads the address from the server's banner; throws when the server ends first. */
async function urlOf(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the server has no stdout');
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for await (const line of createInterface({ input: server.stdout, signal })) {
    const [, url] = /"url": ?"(http[^"]+)"/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the server printed no address; does `npm start` work in this tree?');
}

async function coverCall(server: ChildProcess, url: string): Promise<readonly Ran[]> {
  await takeCoverage(server);
  await call(url);
  return takeCoverage(server);
}

async function takeCoverage(server: ChildProcess): Promise<readonly Ran[]> {
  const answered = once(server, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  server.send('take');
  const [ran] = await answered;
  return ran;
}

async function call(url: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body: BODY });
  const text = await response.text();
  if (!text.includes('Teapot')) throw new Error(`the call failed: ${response.status} ${text}`);
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await exited;
}
