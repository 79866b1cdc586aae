import { expect, test } from 'vitest';
import { followBody } from '../../../../adapters/artefact/background.ts';

const EVENTS = {
  status: 200,
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-kept': '1' },
};

function stream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => cancelled.resolve(),
  });
  const write = (text: string) => controller?.enqueue(new TextEncoder().encode(text));
  return { body, write, end: () => controller?.close(), cancelled: cancelled.promise };
}

/** Whether it has settled by the time everything that is due has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setTimeout(resolve));
  return settled;
}

test('an answer that is whole is passed on as it is', async () => {
  for (const answer of [Response.json({ ok: true }), new Response(null, { status: 202 })]) {
    const { response, ended } = followBody(answer);
    expect(response).toBe(answer);
    expect(await isSettled(ended)).toBe(true);
  }
});

test('a stream of events ends with its last byte, and is the same to its reader', async () => {
  const { body, write, end } = stream();
  const { response, ended } = followBody(new Response(body, EVENTS));
  expect([response.status, response.headers.get('x-kept')]).toEqual([200, '1']);
  const read = response.text();
  write('data: 1\n\n');
  expect(await isSettled(ended)).toBe(false);
  write('data: 2\n\n');
  end();
  expect(await read).toBe('data: 1\n\ndata: 2\n\n');
  await ended;
});

test('a reader that leaves ends it, and whoever writes is told', async () => {
  const { body, cancelled } = stream();
  const { response, ended } = followBody(new Response(body, EVENTS));
  await response.body?.cancel();
  await Promise.all([ended, cancelled]);
});
