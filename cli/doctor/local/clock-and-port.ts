import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SITE_NAME } from '../../../src/project/site.ts';
import type { TransportSettings } from '../../../src/settings/model.ts';
import { type Check, ok, problem } from '../check.ts';
import { fetchForCheck, objectOf } from '../http.ts';

/** Milliseconds that clocks of file systems may be ahead of ours. */
const MAX_SKEW_MS = 30_000;

/**
 * Checks the clock: one that is behind refuses good tokens. Needs no network, because a file from the future shows it
 * too.
 */
export async function checkClock(root: string, now: number = Date.now()): Promise<Check> {
  const { mtimeMs } = await stat(join(root, SITE_NAME));
  const behind = mtimeMs - now;
  if (behind <= MAX_SKEW_MS) return ok('clock', `it is ${new Date(now).toISOString()}`);
  const message = `the clock is at least ${(behind / 1000).toFixed(0)} s behind the last change of ${SITE_NAME}`;
  return problem('clock', message, 'Synchronise the clock of this machine by NTP.');
}

/** Checks that the server can listen on its port, or does so already. */
export async function diagnosePort({ provider, http }: TransportSettings): Promise<Check> {
  if (provider === 'stdio') return ok('port', 'stdio needs no port');
  const { host, port } = http;
  const taken = await reasonAgainst(host, port);
  if (taken === null) return ok('port', port === 0 ? 'any free port' : `${port} on ${host} is free`);
  if (taken === 'EADDRINUSE' && (await isOurs(host, port))) {
    return ok('port', `an svc server answers at ${port} on ${host}`);
  }
  const why = taken === 'EADDRINUSE' ? 'another program listens there' : taken;
  const fix = 'Choose another port with `transport.http.port` or --port, and a host of this machine.';
  return problem('port', `${port} on ${host} cannot be listened on: ${why}`, fix);
}

async function reasonAgainst(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
  }
  server.close();
  await once(server, 'close');
  return null;
}

async function isOurs(host: string, port: number): Promise<boolean> {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  const health = objectOf(
    await fetchForCheck(`http://${name.includes(':') ? `[${name}]` : name}:${port}/health`),
  );
  return health?.status === 'ok' && typeof health.hash === 'string';
}
