import { once } from 'node:events';
import { createServer } from 'node:net';

/** The address of a collector that nobody runs: what connects is refused. */
export async function deadCollector(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}
