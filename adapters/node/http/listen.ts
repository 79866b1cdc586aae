import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SvcError } from '../../../src/errors.ts';

/** The address of a server. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The number of connections that the operating system takes while the process is busy. */
  readonly backlog?: number;
  /** The names by which a person chooses the address. Default: the options of `svc serve`. */
  readonly chosenBy?: { readonly host: string; readonly port: string };
}

/** Opens the port of a server. Throws `address_unavailable`. */
export function listen(server: Server, options: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, options)));
    const { host, port, backlog } = options;
    server.listen({ host, port, ...(backlog === undefined ? {} : { backlog }) }, () =>
      resolve(server.address() as AddressInfo),
    );
  });
}

const OPTIONS = { host: '--host', port: '--port' };

const REASONS: Readonly<Record<string, (by: typeof OPTIONS) => string>> = {
  EADDRINUSE: (by) => `it is already in use. Stop the other process, or choose another port with ${by.port}`,
  EACCES: (by) => `this user may not open it. Choose a port above 1023 with ${by.port}`,
  EADDRNOTAVAIL: (by) =>
    `this machine has no such address. Choose another with ${by.host}, for example 127.0.0.1`,
  ENOTFOUND: (by) => `there is no such host name. Choose another with ${by.host}, for example 127.0.0.1`,
};

function toListenError(cause: NodeJS.ErrnoException, options: ListenOptions): SvcError {
  const { host, port, chosenBy = OPTIONS } = options;
  const reason = REASONS[cause.code ?? '']?.(chosenBy) ?? cause.message;
  return new SvcError('address_unavailable', `Cannot listen on ${host}:${port}: ${reason}.`, { cause });
}
