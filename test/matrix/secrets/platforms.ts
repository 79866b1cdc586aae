import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { buildTarget } from '../../../deploy/build.ts';
import { startFunction } from '../../../deploy/targets/aws-lambda/preview/function.ts';
import type { TargetName } from '../../../deploy/targets/targets.ts';
import { startOnVercel } from '../edge-platforms.ts';
import { startWorker } from '../worker.ts';
import { PLANTED, type SecretProject } from './project.ts';

const SVC = fileURLToPath(new URL('../../../cli/svc.js', import.meta.url));
const META = 'io.modelcontextprotocol';

/** A request of MCP. */
export interface Message {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A server that runs, and everything that it says. */
export interface Told {
  /** Sends a request; returns its answer with the notifications before it. */
  send(message: Message): Promise<string>;
  log(): string;
  /** The records that the server has written so far. */
  audit(): string;
  /** Stops the server as its platform does. */
  stop(): Promise<void>;
  /** The address; absent on stdio. */
  readonly url?: string;
  /** Throws an error that nothing catches, and waits for the end; absent where the process is not ours. */
  crash?(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** A way to serve a project. */
export interface Served {
  readonly name: string;
  /** Absent: the project is served as it is. */
  readonly target?: TargetName;
  readonly project?: { readonly readonly?: boolean; readonly isolation?: string; readonly local?: boolean };
  start(project: SecretProject, env: Environment): Promise<Told>;
}

const WRITES = { readonly: false };

/** The engine of read-only databases. */
export const SERVE: Served = {
  name: 'svc serve, wasm, --debug',
  start: (project, env) => serve(project, env, ['--debug']),
};

/** Every engine, transport and artefact. */
export const SERVED: readonly Served[] = [
  {
    name: 'svc serve, native engine, --debug, for people',
    project: { ...WRITES, isolation: 'none' },
    start: (project, env) => serve(project, { ...env, SVC_LOG: 'human' }, ['--debug']),
  },
  {
    name: 'svc serve, native engine in its own process',
    project: { ...WRITES, isolation: 'process' },
    start: (project, env) => serve(project, env, []),
  },
  SERVE,
  { name: 'svc serve over stdio', start: (project, env) => overStdio(project, env) },
  { name: 'Node artefact', target: 'node', start: startArtefact },
  { name: 'Lambda artefact', target: 'aws-lambda', project: { local: false }, start: startLambda },
  { name: 'workerd', target: 'cloudflare-workers', project: { local: false }, start: startWorkerd },
  { name: 'Vercel', target: 'vercel', project: { local: false }, start: startVercel },
];

/** Builds the artefact of a project with its user file. Returns its folder. */
export async function build({ root }: SecretProject, target: TargetName): Promise<string> {
  const experimentalPython = target === 'cloudflare-workers' ? { experimentalPython: true } : {};
  const options = { root, public: true, target, config: 'user.yml', ...experimentalPython };
  return (await buildTarget({ ...options, out: join(root, 'build', target) })).out;
}

/** Both outputs of a process. */
function outputOf(child: ChildProcess): { readonly stdout: () => string; readonly stderr: () => string } {
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text) => {
      texts[stream] += text;
    });
  }
  return { stdout: () => texts.stdout, stderr: () => texts.stderr };
}

async function found(text: () => string, pattern: RegExp): Promise<RegExpExecArray> {
  return vi.waitFor(() => {
    const match = pattern.exec(text());
    if (match === null) throw new Error(`no ${pattern} in:\n${text()}`);
    return match;
  }, 60_000);
}

/** The environment of a process that throws on SIGUSR2. */
function crashing({ root, env }: SecretProject): Environment {
  return { ...env, NODE_OPTIONS: `--import=${join(root, 'crash.mjs')}` };
}

function start(args: readonly string[], cwd: string, env: Environment): ChildProcess {
  const own = { PATH: process.env.PATH ?? '', HOME: cwd, ...env };
  return spawn(process.execPath, [...args], { cwd, env: own, stdio: ['pipe', 'pipe', 'pipe'] });
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

async function serve(project: SecretProject, env: Environment, more: readonly string[]): Promise<Told> {
  const { root } = project;
  const own = { ...crashing(project), ...env, SVC_CONFIG: join(root, 'user.yml') };
  const child = start([SVC, 'serve', '--port', '0', '--json', ...more], root, own);
  const { stdout, stderr } = outputOf(child);
  const url = new URL(JSON.parse((await found(stdout, /^\{.*\}$/m))[0]).url);
  return overHttp(url, { child, log: () => stdout() + stderr(), audit: () => recordsIn(root) });
}

async function startArtefact(project: SecretProject, env: Environment): Promise<Told> {
  const folder = await build(project, 'node');
  const config = { ...crashing(project), ...env };
  // The audit file is relative to the working directory.
  const child = start([join(folder, 'index.js')], project.root, { PORT: '0', ...config });
  const { stderr } = outputOf(child);
  const url = new URL((await found(stderr, /"url":"([^"]+)"/))[1] ?? '');
  return overHttp(url, { child, log: stderr, audit: () => recordsIn(project.root) });
}

async function startLambda(project: SecretProject, env: Environment): Promise<Told> {
  const environment = { ...project.env, ...env };
  const zip = join(await build(project, 'aws-lambda'), 'function.zip');
  const lambda = await startFunction(zip, { gateway: 'function-url', environment });
  return overHttp(
    new URL('mcp', lambda.url),
    lineLog(() => lambda.log, lambda.close),
  );
}

async function startWorkerd(project: SecretProject, env: Environment): Promise<Told> {
  const worker = await startWorker(await build(project, 'cloudflare-workers'), { ...project.env, ...env });
  return overHttp(new URL('mcp', worker.url), lineLog(worker.log, worker.close));
}

async function startVercel(project: SecretProject, env: Environment): Promise<Told> {
  const vercel = await startOnVercel(await build(project, 'vercel'), { ...project.env, ...env });
  return overHttp(new URL('mcp', vercel.url), lineLog(vercel.log, vercel.close));
}

/** A platform whose log has the records too. */
function lineLog(lines: () => readonly string[], close: () => Promise<void>) {
  let stopped: Promise<void> | null = null;
  return {
    log: () => lines().join('\n'),
    audit: () =>
      lines()
        .filter((line) => line.includes('"type":"audit"'))
        .join('\n'),
    stop: () => {
      stopped ??= close();
      return stopped;
    },
  };
}

type HttpParts = Pick<Told, 'log' | 'audit'> & {
  readonly stop?: Told['stop'];
  readonly child?: ChildProcess;
};

function overHttp(url: URL, { child, stop, ...parts }: HttpParts): Told {
  const ended = child === undefined ? {} : { crash: () => end(child, 'SIGUSR2') };
  return {
    ...parts,
    ...ended,
    url: url.href,
    stop: stop ?? (async () => (child === undefined ? undefined : end(child))),
    send: async (message) => {
      const { name, uri } = message.params;
      const named = typeof name === 'string' ? name : uri;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': message.method,
          ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
          authorization: `Bearer ${PLANTED.bearer}`,
        },
        body: JSON.stringify(toEnvelope(message, 7)),
      });
      return response.text();
    },
  };
}

async function overStdio(project: SecretProject, env: Environment): Promise<Told> {
  const { root } = project;
  const own = { ...crashing(project), ...env, SVC_CONFIG: join(root, 'user.yml') };
  const child = start([SVC, 'serve', '--transport', 'stdio', '--debug'], root, own);
  const { stdout, stderr } = outputOf(child);
  let id = 0;
  return {
    crash: () => end(child, 'SIGUSR2'),
    log: stderr,
    audit: () => recordsIn(root),
    stop: () => end(child),
    send: async (message) => {
      id += 1;
      const before = stdout().length;
      child.stdin?.write(`${JSON.stringify(toEnvelope(message, id))}\n`);
      await found(() => stdout().slice(before), new RegExp(`"id":${id}[,}].*\n|\\{.*"id":${id}\\}\n`));
      return stdout().slice(before);
    },
  };
}

/** A client that wants progress and every line of the log, and answers forms. */
function toEnvelope({ method, params }: Message, id: number): object {
  const _meta = {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientCapabilities`]: { elicitation: { form: {} } },
    [`${META}/clientInfo`]: { name: 'secrets', version: '1' },
    [`${META}/logLevel`]: 'debug',
    progressToken: `p${id}`,
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

function recordsIn(root: string): string {
  const folder = join(root, 'audit');
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('');
}

/** Runs a command to its end; returns its output. */
export async function runCommand({ root, env }: SecretProject, args: readonly string[]): Promise<string> {
  const child = start([SVC, ...args], root, { ...env, SVC_CONFIG: join(root, 'user.yml') });
  child.stdin?.end();
  const outputs = [child.stdout, child.stderr].map((stream) => (stream === null ? '' : text(stream)));
  return (await Promise.all(outputs)).join('');
}
