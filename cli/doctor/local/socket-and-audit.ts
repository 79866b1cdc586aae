import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import type { Settings } from '../../../src/settings/model.ts';
import { type Check, ok, problem } from '../check.ts';

/** Checks the socket of the admin API: its rights, and whether a server answers. */
export async function checkSocket({ admin }: Pick<Settings, 'admin'>): Promise<Check> {
  if (!admin.enabled) return ok('socket', 'the admin API is off');
  const path = resolve(admin.socket);
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
  const path = resolve(root, audit.path);
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
