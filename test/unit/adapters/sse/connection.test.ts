import { expect, it } from 'vitest';
import { SseConnection } from '../../../../adapters/sse/connection.ts';
import { allMessages } from '../../mcp/stream.ts';

it('loses lines before answers, however many come at once', async () => {
  const connection = new SseConnection({ id: 'c', user: null, onClosed: () => {} });
  const line = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: '' },
  } as const;
  for (let n = 0; n < 3_000; n += 1) await connection.send(line);
  await connection.send({ jsonrpc: '2.0', id: 7, result: {} });
  await connection.close();
  const messages = await allMessages(new Response(connection.readable));
  expect(messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
});
