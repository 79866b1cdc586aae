import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { createFakeRuntime, createTestApp, ENVELOPE, legacy, modern, post } from './fixture.ts';
import { allMessages } from './stream.ts';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const app = createTestApp();

/** A call in the modern era that asks for more than its result. */
function call(name: string, meta: Record<string, unknown>, args: Record<string, unknown> = {}) {
  const { body, headers } = modern('tools/call', { name, arguments: args });
  return { body: { ...body, params: { ...body.params, _meta: { ...ENVELOPE, ...meta } } }, headers };
}

async function send({ body, headers }: ReturnType<typeof call>, more: Record<string, string> = {}) {
  return app.fetch(post(body, { ...headers, ...more }));
}

it('tells a client with a progress token how far its call is, then answers', async () => {
  const response = await send(call('numbers', { progressToken: 'p' }));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const messages = await allMessages(response);
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([
    ...Array(3).fill('notifications/progress'),
    7,
  ]);
  expect(messages.slice(0, 3).map(({ params }) => params)).toEqual([
    { progressToken: 'p', progress: 1, total: 3, message: 'The arguments are checked.' },
    { progressToken: 'p', progress: 2, total: 3, message: 'The statement gave 3 rows.' },
    { progressToken: 'p', progress: 3, total: 3, message: 'The result is ready.' },
  ]);
});

it('does the same for a client of an older revision', async () => {
  const { body, headers } = legacy('tools/call', { name: 'numbers', _meta: { progressToken: 0 } });
  const messages = await allMessages(await app.fetch(post(body, headers)));
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([
    ...Array(3).fill('notifications/progress'),
    7,
  ]);
});

it('tells nothing to a client that asked for nothing, or that cannot read a stream', async () => {
  for (const response of [
    await send(call('numbers', {})),
    await send(call('numbers', { progressToken: 1, [LOG_LEVEL]: 'debug' }), { accept: 'application/json' }),
  ]) {
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toHaveProperty('result');
  }
});

it('logs to the client what concerns it, from the level that the request names', async () => {
  const lines = async (level: string) => {
    const messages = await allMessages(await send(call('cut', { [LOG_LEVEL]: level })));
    return messages.flatMap(({ method, params }) => (method === 'notifications/message' ? [params] : []));
  };
  expect(await lines('warning')).toEqual([
    {
      level: 'warning',
      logger: 'call',
      data: { message: expect.stringContaining('The result was cut.'), request_id: expect.any(String) },
    },
  ]);
  expect(await lines('info')).toHaveLength(2);
  expect(await lines('debug')).toHaveLength(4);
});

it('shows a failure as without a stream, with no internals in any line', async () => {
  const response = await send(call('broken', { progressToken: 1, [LOG_LEVEL]: 'debug' }));
  const text = await response.text();
  expect(text).toContain('"isError":true');
  expect(text).not.toContain('secret_table');
});

it('stops the work when the client closes the stream', async () => {
  const runtime = createFakeRuntime();
  const { body, headers } = call('wait', { progressToken: 1 });
  const response = await createTestApp(runtime).fetch(post(body, headers));
  await eventually(() => runtime.fake.calls.length).toBe(1);
  expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(false);
  await response.body?.cancel();
  expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(true);
});
