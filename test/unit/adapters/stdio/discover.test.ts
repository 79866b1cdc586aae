import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { serveStdio } from '../../../../adapters/stdio/serve.ts';
import { createFakeRuntime, createTestApp, exchange, modern, tool } from '../../mcp/fixture.ts';

const VIEWED = { ...tool('numbers', { sql: 'numbers' }), view: 'table' } as const;

/** A server over stdio, whose running calls have more time after the end of the input than a test has. */
function open(runtime = createFakeRuntime([VIEWED])) {
  const [input, output] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  const connection = serveStdio({ runtime, version: '1.2.3', input, output, graceMs: 60 * 60_000 });
  const lines = output[Symbol.asyncIterator]();
  const ask = async (method: string, params?: { [key: string]: unknown }) => {
    input.write(`${JSON.stringify(modern(method, params).body)}\n`);
    return JSON.parse(String((await lines.next()).value));
  };
  return { input, connection, ask };
}

// Requirements: modern.discover, view.unseen
it('answers server/discover as over HTTP, from the first message on', async () => {
  const runtime = createFakeRuntime([VIEWED]);
  const { json } = await exchange(createTestApp(runtime), modern('server/discover'));
  const { ask, connection } = open(runtime);
  expect(await ask('server/discover')).toEqual(json);
  await ask('tools/list');
  expect(await ask('server/discover')).toEqual(json);
  await connection.close();
});

it('ends with its input while a client listens', async () => {
  const { input, connection, ask } = open();
  const listening = await ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
  expect(listening).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  input.end();
  await connection.ended;
});
