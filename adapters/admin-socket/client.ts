import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { SvcError } from '../../src/errors.ts';

/** Where a running server's admin API listens, and what to ask of it. */
export interface AdminRequest {
  readonly socket: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
}

/** One request to the admin API of a running server; the answer is streamed. */
export function sendToSocket({ socket, method, path }: AdminRequest): Promise<IncomingMessage> {
  const options: RequestOptions = { socketPath: socket, method, path, headers: { host: 'localhost' } };
  return new Promise((resolve, reject) => {
    const sent = request(options, resolve);
    sent.once('error', (cause: NodeJS.ErrnoException) => reject(unreachable(socket, cause)));
    sent.end();
  });
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such socket: is the server running, with SVC_ADMIN_ENABLED=true?',
  ECONNREFUSED: 'nobody answers: the server that made the socket has ended.',
  EACCES: 'this user may not open it.',
};

function unreachable(socket: string, cause: NodeJS.ErrnoException): SvcError {
  const reason = REASONS[cause.code ?? ''] ?? cause.message;
  return new SvcError('address_unavailable', `The admin socket ${socket} cannot be reached: ${reason}`, {
    cause,
  });
}
