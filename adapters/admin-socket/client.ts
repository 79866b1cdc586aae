import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { SvcError } from '../../src/errors.ts';

/** A request to the admin API of a running server. */
export interface AdminRequest {
  /** The path of the Unix socket. */
  readonly socket: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** Sends a request to the admin API and returns the response as a stream. Throws `address_unavailable`. */
export function sendToSocket({ socket, method, path, signal }: AdminRequest): Promise<IncomingMessage> {
  const headers = { host: 'localhost' };
  // A connection of its own: the server may close one that was kept at the moment in which it is used again.
  const options: RequestOptions = {
    socketPath: socket,
    method,
    path,
    headers,
    agent: false,
    ...(signal && { signal }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve);
    sent.once('error', (cause: NodeJS.ErrnoException) => reject(unreachable(socket, cause)));
    sent.end();
  });
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'the socket does not exist. Is the server running, with SVC_ADMIN_ENABLED=true?',
  ECONNREFUSED:
    'the server that made the socket has ended. Start it again, or name the socket of another server with --socket.',
  EACCES: 'this user has no access to it. Run the command as the user of the server.',
};

function unreachable(socket: string, cause: NodeJS.ErrnoException): SvcError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message;
  return new SvcError('address_unavailable', `The admin socket ${socket} cannot be reached: ${reason}`, {
    cause,
  });
}
