import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port and prints the address for the bench. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
  });
  process.once('SIGTERM', () => process.exit(0));
}
