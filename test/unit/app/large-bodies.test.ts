import { expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { createChanges } from '../../../src/mcp/changes.ts';
import { createFakeRuntime, createTestApp, modern, post } from '../mcp/fixture.ts';

const MB = 1_000_000;
const ADDRESS = '192.0.2.1';
const GREET = modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } });
const WAIT = modern('tools/call', { name: 'wait', arguments: {} });

type Message = ReturnType<typeof modern>;
type Sent = Pick<Message, 'headers'> & { readonly body: unknown };

const BATCH: Sent = {
  body: [GREET, WAIT].map(({ body }, id) => ({ ...body, params: { ...body.params, _meta: {} }, id })),
  headers: { 'mcp-protocol-version': '2025-03-26' },
};

function withProgress({ body, headers }: Message): Message {
  const _meta = Object.assign({}, body.params._meta, { progressToken: 1 });
  return { body: { ...body, params: { ...body.params, _meta } }, headers };
}

function open(options: Parameters<typeof createTestApp>[1] = {}) {
  const runtime = createFakeRuntime();
  const app: App = createTestApp(runtime, options);
  const send = ({ body, headers }: Sent, { bytes = MB, signal = new AbortController().signal } = {}) => {
    const text = `${JSON.stringify(body)}${' '.repeat(bytes)}`;
    return app.fetch(new Request(post(text, headers), { signal }), { address: ADDRESS, runsToEnd: true });
  };
  return { send, fake: runtime.fake };
}

it.each([
  ['that send nothing before their answer', WAIT],
  ['that may send progress', withProgress(WAIT)],
  ['and others in their batch', BATCH],
])('calls with large bodies %s hold room until they have ended', async (_, message) => {
  const { send, fake } = open();
  const leaving = new AbortController();
  const running = [1, 2, 3, 4].map(() => send(message, { signal: leaving.signal }).catch(() => null));
  await expect.poll(() => fake.calls.filter(({ request }) => request.sql === 'wait').length).toBe(4);
  expect((await send(GREET)).status).toBe(503);
  expect((await send(GREET, { bytes: 0 })).status).toBe(200);
  leaving.abort();
  await Promise.all(running);
  await expect.poll(async () => (await send(GREET)).status).toBe(200);
  for (let count = 0; count < 10; count += 1) expect((await send(GREET)).status).toBe(200);
});

it('a large body holds no room when its request was refused', async () => {
  const { send } = open();
  const unknown = modern('tools/call', { name: 'unknown', arguments: {} });
  const broken = { ...GREET, headers: { ...GREET.headers, 'content-type': 'text/plain' } };
  for (let count = 0; count < 5; count += 1) {
    for (const message of [unknown, broken]) expect((await send(message)).status).not.toBe(503);
  }
  expect((await send(GREET)).status).toBe(200);
});

it('streams that listen hold room of their own', async () => {
  const { send } = open({ stateless: false, reloads: true, changes: createChanges() });
  const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const streams = await Promise.all([1, 2, 3, 4].map(() => send(listen)));
  expect((await send(listen)).status).toBe(503);
  expect((await send(GREET)).status).toBe(200);
  expect(
    (await send({ ...WAIT, headers: { ...WAIT.headers, 'mcp-method': 'subscriptions/listen' } })).status,
  ).toBe(503);
  for (const { body } of streams) await body?.cancel();
  await expect.poll(async () => (await send(listen)).status).toBe(200);
});
