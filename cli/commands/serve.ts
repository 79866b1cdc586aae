import { relative } from 'node:path';
import { startHttpServer } from '../../adapters/node/server.ts';
import { createApp } from '../../src/app.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import type { Runtime } from '../../src/endpoint/runtime.ts';
import { SvcError } from '../../src/errors.ts';
import { accessOf } from '../../src/http/access.ts';
import type { Database } from '../../src/ports.ts';
import { VERSION } from '../../src/version.ts';
import { type Serving, toBanner } from '../banner.ts';
import type { Run } from '../command.ts';
import { count } from '../findings.ts';
import type { Input } from '../input.ts';
import { createLog } from '../log.ts';
import type { Output } from '../output.ts';
import { checkProject, databaseOf, openProjectDatabase, refuseErrors } from '../project.ts';
import { watchSignals } from '../signals.ts';

/** `svc serve`: runs until it is told to stop. */
export const run: Run = async (input, output) => {
  const transport = input.text('transport') ?? 'streamable-http';
  if (transport === 'stdio') return serveOverStdio(input, output);
  if (transport === 'streamable-http') return serveOverHttp(input, output);
  throw new SvcError('usage', `--transport ${transport} is not known. Choose streamable-http or stdio.`);
};

async function serveOverHttp(input: Input, output: Output): Promise<0> {
  const host = input.text('host') ?? '127.0.0.1';
  const port = portOf(input.text('port') ?? '8000');
  return withProject(input, output, async ({ runtime, serving }, stopped) => {
    const { log } = runtime;
    const stateless = input.flag('stateless');
    const app = createApp({ runtime: () => runtime, version: VERSION, stateless, log, ...accessOf(host) });
    const server = await startHttpServer({ app, host, port });
    const told = { ...serving, url: `${server.url}/mcp` };
    output.data({ status: 'ok', transport: 'streamable-http', ...told }, () => toBanner(told));
    await stopped;
    await server.close();
  });
}

/** Standard output belongs to the protocol: nothing else is written there, not even with --json. */
async function serveOverStdio(input: Input, output: Output): Promise<0> {
  const { serveStdio } = await import('../../adapters/stdio/serve.ts');
  return withProject(input, output, async ({ runtime, serving }, stopped) => {
    output.note(`serving ${serving.project} on stdio; ${count(serving.tools, 'tool')}`);
    const connection = serveStdio({ runtime, version: VERSION });
    await Promise.race([stopped, connection.ended]);
    await connection.close();
  });
}

type Serve = (started: Started, stopped: Promise<void>) => Promise<void>;

/** Signals are watched from the start, the database is closed at the end, however it comes. */
async function withProject(input: Input, output: Output, serve: Serve): Promise<0> {
  const stopped = watchSignals();
  const started = await start(input, output);
  try {
    await serve(started, stopped);
  } finally {
    await started.database.close();
  }
  return 0;
}

interface Started {
  readonly runtime: Runtime;
  readonly database: Database;
  readonly serving: Omit<Serving, 'url'>;
}

/** The project checked and compiled, its database open: nothing is served that would fail on first use. */
async function start(input: Input, output: Output): Promise<Started> {
  const checked = await checkProject(input);
  refuseErrors(checked);
  const { root } = checked.project;
  const choice = databaseOf(checked, input.flag('stateless'));
  const catalog = await compileCatalog(checked.project);
  const database = await openProjectDatabase(root, choice, output);
  const log = createLog(output);
  warnOfWriters(catalog, database, log);
  const runtime = createRuntime({ catalog, open: async () => database, log });
  const { engine, readonly } = database;
  const tools = Object.keys(catalog.tools).length;
  const path = relative(process.cwd(), choice.path);
  return { runtime, database, serving: { project: catalog.project, tools, engine, readonly, path } };
}

function warnOfWriters({ tools }: Runtime['catalog'], { readonly }: Database, log: Runtime['log']): void {
  if (!readonly) return;
  const writers = Object.values(tools).filter(({ source }) => source.mode === 'write');
  if (writers.length === 0) return;
  const names = writers.map(({ name }) => name).join(', ');
  log({
    level: 'warn',
    message: `The database is open read-only; these tools write and will fail: ${names}`,
  });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SvcError('usage', `--port ${text} is no port. Give a whole number from 0 to 65535.`);
}
