import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openServer } from '../../../../adapters/replay/server.ts';

/** Serves lists of one page, which ends with a cursor that is none. */
async function serve(lastCursor: unknown): Promise<{ readonly url: URL; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    // A client that never stops gets no more answers.
    if (asked > 20) return void request.socket.destroy();
    const result = { tools: [{ name: 'find' }], nextCursor: lastCursor };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  onTestFinished(() => void server.close());
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    asked: () => asked,
  };
}

it.each([[undefined], [null]])('reads each list to its end: %j', async (lastCursor) => {
  const { url, asked } = await serve(lastCursor);
  const player = await openServer(url, null);
  expect(player.kindOf('tool', 'find')).toBe('writes');
  expect(asked()).toBe(4);
});
