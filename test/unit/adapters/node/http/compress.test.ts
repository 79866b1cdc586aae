import { once } from 'node:events';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodingFor, LEAST_BYTES } from '../../../../../adapters/node/http/compress.ts';
import { type HttpServer, startHttpServer } from '../../../../../adapters/node/http/server.ts';
import { createFakeRuntime, createTestApp, legacy, modern, TOOLS, tool } from '../../../mcp/fixture.ts';

describe('encodingFor', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.000, gzip; q=0', null],
    ['identity', null],
    ['', null],
    [undefined, null],
    ['xbr', null],
  ])('%j takes %s', (accept, encoding) => {
    expect(encodingFor(accept, LEAST_BYTES)).toBe(encoding);
  });

  it('leaves small bodies as they are', () => {
    expect(encodingFor('br', LEAST_BYTES - 1)).toBeNull();
  });
});

describe('a server', () => {
  const many = Array.from({ length: 200 }, (_, index) => tool(`tool_${index}`, { sql: 'numbers' }));
  let server: HttpServer;
  beforeAll(async () => {
    const app = createTestApp(createFakeRuntime([...TOOLS, ...many]));
    server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close());

  /** Unlike fetch, leaves the body as it came. */
  async function ask({ body, headers }: { body: object; headers: object }, encoding: string, accept = '*/*') {
    const outgoing = request(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept, 'accept-encoding': encoding },
    });
    outgoing.end(JSON.stringify(body));
    const [response] = await once(outgoing, 'response');
    const chunks = await response.toArray();
    return { headers: response.headers, bytes: Buffer.concat(chunks) };
  }

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('sends a long list as %s', async (encoding, decode) => {
    const plain = await ask(legacy('tools/list'), 'identity');
    expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const { headers, bytes } = await ask(legacy('tools/list'), encoding);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(bytes.length),
      vary: 'Accept-Encoding',
    });
    expect(decode(bytes)).toEqual(plain.bytes);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
  });

  it('sends calls and streams as they are', async () => {
    const call = await ask(modern('tools/call', { name: 'numbers', arguments: {} }), 'br');
    expect(call.headers['content-encoding']).toBeUndefined();
    expect(call.headers.vary).toBeUndefined();
    const stream = await ask(legacy('tools/list'), 'br', 'text/event-stream');
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(stream.headers['content-encoding']).toBeUndefined();
  });

  it('is read by fetch as ever', async () => {
    const { body, headers } = legacy('tools/list');
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(((await response.json()) as { result: { tools: object[] } }).result.tools).toHaveLength(200);
  });
});
