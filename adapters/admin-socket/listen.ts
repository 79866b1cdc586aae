import { chmod, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Admin } from '../../src/admin/app.ts';
import { messageOf, SvcError } from '../../src/errors.ts';
import { makeFolder } from '../node/make-folder.ts';

/** A served admin API. */
export interface AdminSocket {
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Serves the admin API on a Unix socket that only its owner may use, from the first moment on (spec, "Admin
 * API"). Throws `config_invalid`.
 */
export async function listenOnSocket(admin: Admin, path: string): Promise<AdminSocket> {
  await makeWay(path);
  const server = createAdminServer(admin);
  // `listen` creates the socket before it returns.
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
      process.umask(before);
    });
  } catch (cause) {
    throw unusable(path, cause);
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
  return {
    path,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers each error in the form of the admin API, also those of Node's HTTP parser. */
function createAdminServer(admin: Admin): Server {
  const listener = getRequestListener(admin.fetch, {
    overrideGlobalObjects: false,
    // A client of a socket need not name a host.
    hostname: 'localhost',
    errorHandler: (cause) => admin.rejectMalformed(cause),
  });
  const server = createServer({ requireHostHeader: false }, listener);
  server.on('checkExpectation', listener);
  server.on('clientError', async (cause, socket) => {
    if (!socket.writable) return socket.destroy();
    const response = admin.rejectMalformed(cause);
    const head = `HTTP/1.1 ${response.status} Bad Request\r\nContent-Type: application/json\r\nConnection: close`;
    const body = await response.text();
    return socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
  return server;
}

/** The most bytes of a socket's path. */
const LONGEST_PATH = process.platform === 'darwin' ? 103 : 107;

/**
 * Removes the socket of a process that died. Throws if another server answers on it or if it is an ordinary
 * file.
 */
async function makeWay(path: string): Promise<void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST_PATH) {
    throw new SvcError(
      'config_invalid',
      `The path of the admin socket has ${bytes} bytes, and this system takes at most ${LONGEST_PATH}: ${path}
Set SVC_ADMIN_SOCKET to a shorter one.`,
    );
  }
  try {
    makeFolder(dirname(path));
  } catch (cause) {
    throw unusable(path, cause);
  }
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw unusable(path, new Error('the path is a file, not a socket'));
  if (await answers(path)) {
    throw new SvcError(
      'config_invalid',
      `Another server answers on the admin socket ${path}.
Give each server its own: set SVC_ADMIN_SOCKET.`,
    );
  }
  await rm(path, { force: true });
}

/** Whether a server has the socket. Throws if that is unknown: another user's socket, or a server that is too busy to answer. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ECONNREFUSED' || cause.code === 'ENOENT') return resolve(false);
      reject(unusable(path, cause));
    });
  });
}

function unusable(path: string, cause: unknown): SvcError {
  const reason = messageOf(cause);
  return new SvcError(
    'config_invalid',
    `The admin socket ${path} cannot be opened: ${reason}.
Set SVC_ADMIN_SOCKET to a path that this user can write, or switch the admin API off.`,
    { cause },
  );
}
