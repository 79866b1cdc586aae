import { expect, it } from 'vitest';
import { openEventStream } from '../../../../src/mcp/transport/event-stream.ts';
import { allMessages } from '../stream.ts';

const MANY = 1_500;

function open() {
  let gone = 0;
  const stream = openEventStream(() => {
    gone += 1;
  });
  return { stream, goneTimes: () => gone, read: () => allMessages(new Response(stream.readable)) };
}

it('ends for a client that does not read, after what waits for it', async () => {
  const { stream, goneTimes, read } = open();
  for (let n = 0; n < MANY; n += 1) stream.write({ n });
  expect(goneTimes()).toBe(1);
  const messages = await read();
  expect(messages).toHaveLength(1_000);
  expect(messages.at(-1)).toEqual({ n: 999 });
});

it('ends for a client that does not read large messages, long before a thousand of them', () => {
  const { stream, goneTimes } = open();
  const text = 'x'.repeat(4 * 1024 * 1024);
  for (let n = 0; n < 10; n += 1) stream.write({ text });
  expect(goneTimes()).toBe(0);
  for (let n = 0; n < 10; n += 1) stream.write({ text });
  expect(goneTimes()).toBe(1);
});

it('ends the stream with the most that waits when all streams have too much', async () => {
  const text = 'x'.repeat(4 * 1024 * 1024);
  const streams = Array.from({ length: 6 }, open);
  const [first, , , , , last] = streams;
  last?.stream.write({ n: 1 });
  first?.stream.write({ text });
  for (let n = 0; n < 13; n += 1) for (const { stream } of streams.slice(0, -1)) stream.write({ text });
  expect(streams.map(({ goneTimes }) => goneTimes())).toEqual([1, 0, 0, 0, 0, 0]);
  expect(await first?.read()).toEqual([]);
  for (const { stream } of streams) stream.close();
  expect(await last?.read()).toEqual([{ n: 1 }]);
  for (const { read } of streams.slice(1, -1)) expect(await read()).toHaveLength(13);
});

it('drops what may be lost before anything else', async () => {
  const { stream, goneTimes, read } = open();
  for (let n = 0; n < MANY; n += 1) stream.offer({ n });
  stream.write({ answer: true });
  stream.close();
  const messages = await read();
  expect(messages).toHaveLength(901);
  expect(messages.at(-1)).toEqual({ answer: true });
  expect(goneTimes()).toBe(0);
});

const changed = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });

it('announces a change of a resource once while the client reads none of its messages', async () => {
  const { stream, goneTimes } = open();
  const reader = stream.readable.getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  const large = { text: 'x'.repeat(200_000) };
  for (const message of [changed('a'), large, changed('b')]) stream.write(message);
  for (let count = 0; count < MANY; count += 1) stream.write(changed(count % 2 === 0 ? 'a' : 'b'));
  expect(goneTimes()).toBe(0);
  expect(await read()).toContain('"a"');
  stream.write(changed('b'));
  stream.write(changed('a'));
  expect(await read()).toContain('xxx');
  expect(await read()).toContain('"b"');
  stream.write(changed('b'));
  for (const uri of ['"a"', '"b"']) expect(await read()).toContain(uri);
  stream.close();
  expect(await reader.read()).toMatchObject({ done: true });
});
