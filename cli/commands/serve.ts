import { relative } from 'node:path';
import { reachOf } from '../../adapters/node/reach.ts';
import { createRequestLog, type RequestLog } from '../../adapters/node/request-log.ts';
import { startHttpServer } from '../../adapters/node/server.ts';
import { type Watch, watchCalls } from '../../adapters/node/watch.ts';
import { createApp } from '../../src/app.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import type { Runtime } from '../../src/endpoint/runtime.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import type { Settings } from '../../src/settings/model.ts';
import { VERSION } from '../../src/version.ts';
import { type Serving, toBanner } from '../banner.ts';
import type { Run } from '../command.ts';
import { count } from '../findings.ts';
import type { Input } from '../input.ts';
import { createServerLog } from '../log.ts';
import type { Output } from '../output.ts';
import { checkProject, databaseOf, openProjectDatabase, refuseErrors } from '../project.ts';
import { settingsOf } from '../settings.ts';
import { watchSignals } from '../signals.ts';

/** `svc serve`: runs until it is told to stop. */
export const run: Run = async (input, output) => {
  checkTransport(input.text('transport'));
  checkPort(input.text('port'));
  return withProject(input, output, async (started, stopped) => {
    const { provider } = started.settings.transport;
    if (provider === 'stdio') return serveOverStdio(started, stopped, output);
    if (provider === 'streamable-http') return serveOverHttp(started, stopped, output);
    throw new SvcError(
      'config_invalid',
      `\`transport.provider\` is ${provider}, which is not served here. Choose streamable-http or stdio.`,
    );
  });
};

type Serve = (started: Started, stopped: Promise<void>) => Promise<void>;

async function serveOverHttp(
  { runtime, serving, settings, requests }: Started,
  stopped: Promise<void>,
  output: Output,
): Promise<void> {
  const { host, port, stateless, trust_proxy } = settings.transport.http;
  const { log, around } = requests;
  const reach = reachOf(settings.transport.http);
  const app = createApp({ runtime: () => runtime, version: VERSION, stateless, log, ...reach });
  const server = await startHttpServer({ app: around(app), host, port, trustProxy: trust_proxy });
  const told = { ...serving, url: `${server.url}/mcp` };
  output.data({ status: 'ok', transport: 'streamable-http', ...told }, () => toBanner(told));
  await stopped;
  await server.close();
}

/** Standard output belongs to the protocol: nothing else is written there, not even with --json. */
async function serveOverStdio(
  { runtime, serving }: Started,
  stopped: Promise<void>,
  output: Output,
): Promise<void> {
  const { serveStdio } = await import('../../adapters/stdio/serve.ts');
  output.note(`serving ${serving.project} on stdio; ${count(serving.tools, 'tool')}`);
  const connection = serveStdio({ runtime, version: VERSION });
  await Promise.race([stopped, connection.ended]);
  await connection.close();
}

/** Signals are watched from the start, the database is closed at the end, however it comes. */
async function withProject(input: Input, output: Output, serve: Serve): Promise<0> {
  const stopped = watchSignals();
  const started = await start(input, output);
  try {
    await serve(started, stopped);
  } finally {
    await started.watch.close();
    await started.database.close();
  }
  return 0;
}

interface Started {
  readonly settings: Settings;
  readonly requests: RequestLog;
  readonly runtime: Runtime;
  readonly database: Database;
  readonly watch: Watch;
  readonly serving: Omit<Serving, 'url'>;
}

/** The project checked and compiled, its database open: nothing is served that would fail on first use. */
async function start(input: Input, output: Output): Promise<Started> {
  const checked = await checkProject(input);
  refuseErrors(checked);
  const { root } = checked.project;
  const settings = await settingsOf(input, checked);
  const requests = createRequestLog(createServerLog(output, settings.logging));
  const choice = databaseOf(checked, settings.transport.http.stateless);
  const catalog = await compileCatalog(checked.project);
  const { log } = requests;
  // Before the database: what is open would keep a process alive that must end here.
  const watch = await watchCalls(settings, log, root);
  const database = await openProjectDatabase(root, { ...choice, secrets: settings.secrets }, output);
  warnOfWriters(catalog, database, log);
  const runtime = createRuntime({ catalog, open: async () => database, log, ...watch.parts });
  const { engine, readonly } = database;
  const tools = Object.keys(catalog.tools).length;
  const path = relative(process.cwd(), choice.path);
  return {
    settings,
    requests,
    runtime,
    database,
    watch,
    serving: { project: catalog.project, tools, engine, readonly, path },
  };
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

function checkTransport(transport: string | undefined): void {
  if (transport === undefined || ['streamable-http', 'stdio'].includes(transport)) return;
  throw new SvcError('usage', `--transport ${transport} is not known. Choose streamable-http or stdio.`);
}

function checkPort(port: string | undefined): void {
  if (port === undefined || (/^\d+$/.test(port) && Number(port) <= 65_535)) return;
  throw new SvcError('usage', `--port ${port} is no port. Give a whole number from 0 to 65535.`);
}
