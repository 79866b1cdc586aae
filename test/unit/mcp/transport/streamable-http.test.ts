import { describe, expect, it } from 'vitest';
import { createTestApp, legacy, post } from '../fixture.ts';

const app = createTestApp();
const ping = legacy('ping');

async function refused(request: Request) {
  const response = await app.fetch(request);
  const json = (await response.json()) as { jsonrpc: string; id: unknown; error: { code: number } };
  return { status: response.status, version: json.jsonrpc, id: json.id, code: json.error.code };
}

describe('what is refused before a message is looked at', () => {
  // Requirements: legacy.accept
  it.each(['text/plain', 'application/jsonx', ''])('a body of type %j: 415', async (type) => {
    expect(await refused(post(ping.body, { 'content-type': type }))).toMatchObject({
      status: 415,
      code: -32600,
    });
  });

  it('takes parameters of the media type', async () => {
    const response = await app.fetch(post(ping.body, { 'content-type': 'Application/JSON; charset=utf-8' }));
    expect(response.status).toBe(200);
  });

  // Requirements: legacy.accept
  it('a client that reads neither JSON nor an event stream: 406', async () => {
    expect(await refused(post(ping.body, { accept: 'text/html' }))).toMatchObject({
      status: 406,
      code: -32600,
    });
  });

  it.each(['*/*', 'application/*', 'application/json;q=0.9, text/html'])('but serves %s', async (accept) => {
    const response = await app.fetch(post(ping.body, { accept }));
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  it.each(['/mcp', '/mcp/'])('a body at %s that is not UTF-8: 400', async (path) => {
    const { url, headers } = post('', {}, path);
    const body = Buffer.from(
      JSON.stringify({ ...ping.body, params: { _meta: { name: 'Zo\xeb' } } }),
      'latin1',
    );
    expect(await refused(new Request(url, { method: 'POST', headers, body }))).toMatchObject({
      status: 400,
      id: null,
      code: -32700,
    });
  });

  // Requirements: mcp.parse
  it.each(['', '{', 'null,', '{"jsonrpc":"2.0"', '\u0000'])('the text %j: -32700', async (text) => {
    expect(await refused(post(text))).toEqual({ status: 400, version: '2.0', id: null, code: -32700 });
  });

  // Requirements: mcp.parse
  it.each([
    'null',
    '5',
    '"ping"',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  ])('the message %s: -32600', async (text) => {
    expect(await refused(post(text))).toMatchObject({ status: 400, code: -32600 });
  });

  // Requirements: mcp.depth
  it('nesting beyond 64 levels, however deep', async () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const call = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"numbers","arguments":{"a":${nested(depth)}}}}`;
    expect(await refused(post(call(62)))).toMatchObject({ status: 400, code: -32600 });
    expect(await refused(post(call(200_000)))).toMatchObject({ status: 400, code: -32600 });
    const response = await app.fetch(post(call(60)));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ result: { isError: true } });
  });
});
