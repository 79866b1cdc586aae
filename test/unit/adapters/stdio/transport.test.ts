import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
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

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Sends bytes as the whole input. Returns the messages that arrive, and the written answers. */
async function receive(bytes: Buffer) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StreamTransport({ input, output, maxBytes: 1_000, graceMs: 10 });
  const received: unknown[] = [];
  transport.onmessage = (message) => {
    received.push(message);
    if ('id' in message && message.id !== undefined) {
      void transport.send({ jsonrpc: '2.0', id: message.id, result: {} });
    }
  };
  await transport.start();
  input.end(bytes);
  await transport.ended;
  const answers = String(output.read() ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { received, answers };
}

describe('a line', () => {
  it('that is not UTF-8 is refused, and the next one is read', async () => {
    const latin = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"caf\xe9"}\n', 'latin1');
    const { received, answers } = await receive(Buffer.concat([latin, Buffer.from(`${PING}\n`)]));
    expect(received).toMatchObject([{ method: 'ping' }]);
    expect(answers).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 1, result: {} },
    ]);
  });

  it('ends with the input, too: the last message is answered', async () => {
    const { received, answers } = await receive(Buffer.from(`${PING}\n${PING.replace('1', '2')}`));
    expect(received).toHaveLength(2);
    expect(answers).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('that the end of the input cuts off is refused', async () => {
    const { received, answers } = await receive(Buffer.from(PING.slice(0, -1)));
    expect([received, answers]).toMatchObject([[], [{ id: null, error: { code: -32700 } }]]);
    expect(await receive(Buffer.from(' '.repeat(2_000)))).toMatchObject({
      answers: [{ error: { code: -32600 } }],
    });
  });

  it('may begin with a byte order mark, as a body may', async () => {
    const { answers } = await receive(Buffer.from(`\ufeff${PING}\n`));
    expect(answers).toMatchObject([{ id: 1, result: {} }]);
  });
});
