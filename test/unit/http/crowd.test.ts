import { expect, it } from 'vitest';
import { createFakeRuntime, createTestApp, modern, post } from '../mcp/fixture.ts';

const sent = ({ body, headers }: ReturnType<typeof modern>, signal?: AbortSignal) =>
  new Request(post(body, headers), signal === undefined ? {} : { signal });

it('what comes while too much is being answered is told so at once, and room that is left is used again', async () => {
  const runtime = createFakeRuntime();
  const app = createTestApp(runtime, { mostAtOnce: 2 });
  const wait = modern('tools/call', { name: 'wait', arguments: {} });
  const greet = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
  const leaving = new AbortController();
  const waiting = [1, 2].map(() => app.fetch(sent(wait, leaving.signal)));
  await expect.poll(() => runtime.fake.calls.length).toBe(2);

  const refused = await app.fetch(sent(greet));
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32603, message: 'The server has too much to do; try again.' },
  });
  expect(
    (await app.fetch(new Request('http://localhost:8000/health', { headers: { host: 'localhost:8000' } })))
      .status,
  ).toBe(200);
  expect(runtime.fake.calls).toHaveLength(2);

  leaving.abort();
  await Promise.all(waiting);
  const answered = await app.fetch(sent(greet));
  expect(await answered.text()).toContain('Hello, Ada!');
});

it('a request that is not whole yet takes no room', async () => {
  const app = createTestApp(createFakeRuntime(), { mostAtOnce: 1 });
  const greet = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
  const { readable, writable } = new TransformStream();
  const { headers } = post(greet.body, greet.headers);
  const slow = app.fetch(
    new Request('http://localhost:8000/mcp', {
      method: 'POST',
      headers,
      body: readable,
      duplex: 'half',
    } as RequestInit),
  );
  expect((await app.fetch(sent(greet))).status).toBe(200);

  const writer = writable.getWriter();
  void writer.write(new TextEncoder().encode(JSON.stringify(greet.body)));
  void writer.close();
  expect((await slow).status).toBe(200);
});
