import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { absolutePath } from '../../../adapters/node/absolute-path.ts';
import { SITE_NAME } from '../../../src/project/site-model.ts';
import type { Settings, TransportSettings } from '../../../src/settings/model.ts';
import { type Check, fetchForCheck, objectOf, ok, problem } from '../check.ts';

/** Checks the socket of the admin API: its rights, and whether a server answers. */
export async function checkSocket({ admin }: Pick<Settings, 'admin'>): Promise<Check> {
  if (!admin.enabled) return ok('socket', 'the admin API is off');
  const path = absolutePath('', admin.socket);
  const found = await stat(path).catch(() => null);
  if (found === null) {
    if (await isFolderFor(dirname(path))) return ok('socket', `${path} will be created by the next start`);
    const fix = 'Set SVC_ADMIN_SOCKET to a path that this user may write to.';
    return problem('socket', `${path} cannot be created: its folder is not writable`, fix);
  }
  if (!found.isSocket()) {
    const fix = 'Delete it, or set SVC_ADMIN_SOCKET to another path.';
    return problem('socket', `${path} is a file and not a socket`, fix);
  }
  if ((found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8);
    return problem('socket', `${path} has mode ${mode}: other users may open it`, `chmod 600 ${path}`);
  }
  if (await answers(path)) return ok('socket', `a server answers on ${path}`);
  return ok('socket', `${path} is left over from an earlier server; the next start replaces it`);
}

/** Checks the file that records calls. */
export async function checkAudit(
  audit: Pick<Settings['audit'], 'enabled' | 'path'>,
  root: string,
): Promise<Check> {
  if (!audit.enabled) return ok('audit', 'calls are not recorded');
  const path = absolutePath(root, audit.path);
  if (await isWritable(path)) return ok('audit', `calls are recorded in ${path}`);
  const fix = `Give the server's user the right to write there, or set \`audit.path\`. The server answers no call without its audit file.`;
  return problem('audit', `${path} cannot be written`, fix);
}

/** Whether a file can be written or created, with its missing folders. */
async function isWritable(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null) return dirname(path) !== path && isFolderFor(dirname(path));
  return found.isFile() && isAllowed(path);
}

/** Whether files can be created in a folder, after creating the folder if it is missing. */
export async function isFolderFor(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null) return dirname(path) !== path && isFolderFor(dirname(path));
  return found.isDirectory() && isAllowed(path);
}

function isAllowed(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

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
