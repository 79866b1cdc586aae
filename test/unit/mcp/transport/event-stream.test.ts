import { expect, it } from 'vitest';
import { openEventStream } from '../../../../src/mcp/transport/event-stream.ts';
import { waitingBytes } from '../../../../src/streams.ts';
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

it('says how many bytes wait', async () => {
  const { stream } = open();
  const reader = stream.readable.getReader();
  for (let n = 0; n < 10; n += 1) stream.write({ n });
  const event = 'event: message\ndata: {"n":0}\n\n';
  expect(waitingBytes(stream.readable)).toBe(10 * event.length);
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(event);
  expect(waitingBytes(stream.readable)).toBe(9 * event.length);
  await reader.cancel();
  expect(waitingBytes(stream.readable)).toBe(0);
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
