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
import { untilStopped } from '../signals.ts';

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
  const { runtime, database, serving } = await start(input, output);
  const app = createApp({
    runtime: () => runtime,
    version: VERSION,
    stateless: input.flag('stateless'),
    log: runtime.log,
    ...accessOf(host),
  });
  const server = await startHttpServer({ app, host, port });
  const url = `${server.url}/mcp`;
  output.data({ status: 'ok', transport: 'streamable-http', ...serving, url }, () =>
    toBanner({ ...serving, url }),
  );
  return untilStopped(async () => {
    await server.close();
    await database.close();
  });
}

/** Standard output belongs to the protocol: nothing else is written there, not even with --json. */
async function serveOverStdio(input: Input, output: Output): Promise<0> {
  const { serveStdio } = await import('../../adapters/stdio/serve.ts');
  const { runtime, database, serving } = await start(input, output);
  output.note(`serving ${serving.project} on stdio; ${count(serving.tools, 'tool')}`);
  const server = serveStdio({ runtime, version: VERSION });
  return untilStopped(async () => {
    await server.close();
    await database.close();
  }, server.ended);
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
