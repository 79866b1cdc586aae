import { once } from 'node:events';
import { createServer } from 'node:net';
import { SvcError } from '../../src/errors.ts';

/** Throws address_unavailable where another program listens: each platform's own tool says it in another way. */
export async function refuseTakenPort(port: number): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (cause) {
    const fix = 'Stop the program that listens there, or choose another with --port (0 takes any free one).';
    throw new SvcError('address_unavailable', `Port ${port} is not free. ${fix}`, { cause });
  }
  server.close();
  await once(server, 'close');
}
