import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../src/catalog/model.ts';
import type { NotificationLevel } from '../../../src/context.ts';
import type { Python } from '../../../src/ports.ts';
import { eventually } from './eventually.ts';
import {
  createFakeRuntime,
  createTestApp,
  ENVELOPE,
  exchange,
  legacy,
  modern,
  post,
  TOOLS,
  tool,
} from './fixture.ts';
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

// Requirements: modern.progress
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

// Requirements: legacy.progress
it('does the same for a client of an older revision', async () => {
  const { body, headers } = legacy('tools/call', { name: 'numbers', _meta: { progressToken: 0 } });
  const messages = await allMessages(await app.fetch(post(body, headers)));
  expect(messages.map(({ method, id }) => method ?? id)).toEqual([
    ...Array(3).fill('notifications/progress'),
    7,
  ]);
});

// Requirements: modern.logging
it('tells nothing to a client that asked for nothing, or that cannot read a stream', async () => {
  for (const response of [
    await send(call('numbers', {})),
    await send(call('numbers', { progressToken: 1, [LOG_LEVEL]: 'debug' }), { accept: 'application/json' }),
  ]) {
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toHaveProperty('result');
  }
});

// Requirements: modern.logging
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

const OLDER = legacy('tools/call', { name: 'speaks', _meta: {} });

/** A tool whose function says one line of each level. */
function createSpeaker(levels: readonly NotificationLevel[] = ['debug', 'info', 'warning']) {
  const speaks: ToolEntry = {
    ...tool('speaks', { sql: '' }),
    source: { language: 'python', file: 'tools/speaks.py', function: 'speaks', mode: 'read', hash: '' },
  };
  const call: Python['call'] = async (_request, host) => {
    for (const level of levels) host.notice(level, `from ${level} on`);
    return { value: 'said', binary: false, truncated: false };
  };
  const python: Python = { kind: 'child', call, close: async () => {} };
  return { ...createFakeRuntime([speaks, ...TOOLS]), python: async () => python };
}

describe.each([true, false])(
  'a client of an older revision that named no level, stateless: %s',
  (stateless) => {
    const serve = () => {
      const runtime = createSpeaker();
      return { ...runtime, app: createTestApp(runtime, { stateless }) };
    };

    // Requirements: legacy.logging.unasked
    it('is told what authors say from info on, and the log has it too', async () => {
      const { app, lines } = serve();
      const messages = await allMessages(await app.fetch(post(OLDER.body, OLDER.headers)));
      expect(messages.map(({ method, id, params }) => [method ?? id, params])).toEqual([
        ['notifications/message', saying('info')],
        ['notifications/message', saying('warning')],
        [7, undefined],
      ]);
      expect(lines.map(({ level, message }) => [level, message])).toEqual([
        ['debug', 'speaks: from debug on'],
        ['info', 'speaks: from info on'],
        ['warn', 'speaks: from warning on'],
      ]);
    });

    it('gets its answer, however many lines come at once', async () => {
      const runtime = createSpeaker(Array.from({ length: 3_000 }, () => 'info' as const));
      const app = createTestApp(runtime, { stateless });
      const messages = await allMessages(await app.fetch(post(OLDER.body, OLDER.headers)));
      expect(messages.at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'said' }] } });
      expect(runtime.lines).toHaveLength(3_000);
    });

    it('gets JSON where it reads no streams, and where nobody says anything', async () => {
      const { app } = serve();
      const quiet = legacy('tools/call', { name: 'cut' });
      for (const response of [
        await app.fetch(post(OLDER.body, { ...OLDER.headers, accept: 'application/json' })),
        await app.fetch(post(quiet.body, quiet.headers)),
      ]) {
        expect(response.headers.get('content-type')).toBe('application/json');
        expect(await response.json()).toHaveProperty('result');
      }
    });

    // Requirements: legacy.logging.unasked
    it('is offered levels, which are checked', async () => {
      const { app } = serve();
      const begin = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      const { json } = await exchange(app, legacy('initialize', begin, null));
      expect(json).toHaveProperty('result.capabilities.logging', {});
      const setLevel = async (level: string) =>
        (await exchange(app, legacy('logging/setLevel', { level }))).json;
      expect(await setLevel('error')).toMatchObject({ result: {} });
      expect(await setLevel('loud')).toMatchObject({ error: { code: -32602 } });
    });
  },
);

function saying(level: string) {
  return { level, logger: 'call', data: { message: `from ${level} on`, request_id: expect.any(String) } };
}

it('tells a client of 2026-07-28 nothing that it did not ask for, which the log has', async () => {
  const runtime = createSpeaker();
  const { body, headers } = call('speaks', {});
  const response = await createTestApp(runtime).fetch(post(body, headers));
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(runtime.lines).toHaveLength(3);
});

it.each([
  ['from a level on', {}, ['debug', 'info']],
  ['without a stream', { accept: 'application/json' }, ['debug', 'info', 'warning']],
])('logs the lines of authors that a client with a level does not get: %s', async (_, more, logged) => {
  const runtime = createSpeaker();
  const { body, headers } = call('speaks', { [LOG_LEVEL]: 'warning' });
  const response = await createTestApp(runtime).fetch(post(body, { ...headers, ...more }));
  const sent = await response.text();
  expect(runtime.lines.map(({ message }) => message)).toEqual(
    logged.map((level) => `speaks: from ${level} on`),
  );
  for (const level of ['debug', 'info', 'warning']) {
    expect(sent.includes(`from ${level} on`)).toBe(!logged.includes(level));
  }
});

// Requirements: modern.cancel
it('stops the work when the client closes the stream', async () => {
  const runtime = createFakeRuntime();
  const { body, headers } = call('wait', { progressToken: 1 });
  const response = await createTestApp(runtime).fetch(post(body, headers));
  await eventually(() => runtime.fake.calls.length).toBe(1);
  expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(false);
  await response.body?.cancel();
  expect(runtime.fake.calls[0]?.call.signal.aborted).toBe(true);
});
