import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { StreamTransport } from '../../../../adapters/stdio/transport.ts';

it('waits once for a client that does not read, whatever it is sent meanwhile', async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 10 })];
  const transport = new StreamTransport({ input, output, maxBytes: 1_000, graceMs: 10 });
  await transport.start();
  const before = output.listenerCount('drain');
  const sent = Array.from({ length: 30 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }));
  expect(output.listenerCount('drain')).toBe(before + 1);
  expect(input.isPaused()).toBe(true);
  output.resume();
  await Promise.all(sent);
  await expect.poll(() => input.isPaused()).toBe(false);
  await transport.close();
});
