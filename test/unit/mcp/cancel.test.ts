import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EngineName, type Served, serveTree } from '../call/project.ts';
import { eventually } from './eventually.ts';
import { createTestApp, ENVELOPE, legacy, modern, post } from './fixture.ts';
import { messagesOf, nextMessage } from './stream.ts';

/** Longer than any test may take. */
const ENDLESS = `tool:
  name: endless
  limits: { timeout: 600 }
  source: { code: "SELECT count(*) AS n FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 11" }
`;

describe.each<EngineName>(['wasm', 'native'])('a call that runs on %s', (engine) => {
  let served: Served;
  let app: ReturnType<typeof createTestApp>;
  beforeAll(async () => {
    served = await serveTree({ 'tools/endless.yml': ENDLESS }, 'SELECT 1', engine);
    app = createTestApp(served.runtime, { stateless: false });
  });
  afterAll(() => served.close());

  const ended = () => served.records.map(({ error }) => error?.code);

  // Requirements: modern.cancel
  it('stops when a client of 2026-07-28 closes its stream', async () => {
    const { body, headers } = modern('tools/call', { name: 'endless', arguments: {} });
    const _meta = { ...ENVELOPE, progressToken: 1 };
    const response = await app.fetch(post({ ...body, params: { ...body.params, _meta } }, headers));
    const messages = messagesOf(response);
    expect(await nextMessage(messages)).toMatchObject({ params: { progress: 1 } });
    const running = await nextMessage(messages);
    expect(running.params).toMatchObject({ message: expect.stringContaining('has been running') });
    await messages.return();
    await eventually(ended).toEqual(['cancelled']);
  });

  // Requirements: legacy.cancelled
  it('stops when a client of an older revision cancels it', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const begin = legacy('initialize', params, null);
    const begun = await app.fetch(post(begin.body, begin.headers));
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const call = {
      jsonrpc: '2.0',
      id: 'c',
      method: 'tools/call',
      params: { name: 'endless', _meta: { progressToken: 1 } },
    };
    const messages = messagesOf(await app.fetch(post(call, session)));
    await nextMessage(messages);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
    expect((await app.fetch(post(cancel, session))).status).toBe(202);
    const rest: unknown[] = [];
    for await (const { id } of messages) rest.push(id);
    expect(rest.filter((id) => id !== undefined)).toEqual([]);
    await eventually(ended).toEqual(['cancelled', 'cancelled']);
  });
});
