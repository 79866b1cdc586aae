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
}

/** Opens the port of a server. Throws `address_unavailable`. */
export function listen(server: Server, options: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, options)));
    server.listen({ ...options }, () => resolve(server.address() as AddressInfo));
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is already in use. Stop the other process, or choose another port with --port',
  EACCES: 'this user may not open it. Choose a port above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another with --host, for example 127.0.0.1',
  ENOTFOUND: 'there is no such host name. Choose another with --host, for example 127.0.0.1',
};

function toListenError(cause: NodeJS.ErrnoException, { host, port }: ListenOptions): SvcError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message;
  return new SvcError('address_unavailable', `Cannot listen on ${host}:${port}: ${reason}.`, { cause });
}
