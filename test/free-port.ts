import { once } from 'node:events';
import { createServer } from 'node:net';

/** Finds a port that was free a moment ago, for programs that have to be told one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
