import { reachOf } from '../../adapters/node/reach.ts';
import { startHttpServer } from '../../adapters/node/server.ts';
import { createApp } from '../../src/app.ts';
import { VERSION } from '../../src/version.ts';
import { toBanner } from '../banner.ts';
import type { Output } from '../output.ts';
import type { Started } from './start.ts';

/** Streamable HTTP until the process is told to stop. */
export async function serveOverHttp(
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
