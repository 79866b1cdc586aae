import { describe, expect, it } from 'vitest';
import type { SignedIn } from '../../../src/auth/sender.ts';
import { SvcError } from '../../../src/errors.ts';
import { createFakeRuntime, createTestApp, legacy, post } from '../mcp/fixture.ts';

/** Tokens are names; `bad` is none. */
async function authenticate({ headers }: Request): Promise<SignedIn> {
  const id = headers.get('authorization') ?? 'bad';
  if (id === 'bad') throw new SvcError('denied', 'This token is not good.');
  return { user: { id, provider: 'test' } };
}

const rateLimit = { requestsPerMinute: 1, burst: 2 };
const { body, headers } = legacy('ping');

function start(options: { authenticate?: typeof authenticate; rateLimit?: null }) {
  const app = createTestApp(createFakeRuntime(), { rateLimit, ...options });
  return async (address?: string, authorization?: string) => {
    const sent = post(body, { ...headers, ...(authorization ? { authorization } : {}) });
    return app.fetch(sent, address === undefined ? {} : { address });
  };
}

const statuses = async (asked: readonly Promise<Response>[]) =>
  (await Promise.all(asked)).map(({ status }) => status);

describe('a client that asks too often', () => {
  // Requirements: limit.others, mcp.tool.rate
  it('gets 429 with Retry-After as JSON-RPC, on the path of MCP', async () => {
    const ask = start({});
    await ask('192.0.2.1');
    await ask('192.0.2.1');
    const response = await ask('192.0.2.1');
    expect(response.status).toBe(429);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(59);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: `Too many requests; try again in ${seconds} s.` },
    });
  });

  it('is not helped by a batch, in which each request counts', async () => {
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const app = createTestApp(createFakeRuntime(), { rateLimit });
    const ask = (many: number) => {
      const sent = Array.from({ length: many }, (_, id) => ping(id));
      return app.fetch(post(sent), { address: '192.0.2.1' });
    };
    expect(await statuses([ask(2)])).toEqual([200]);
    expect(await statuses([ask(1)])).toEqual([429]);
    const other = await app.fetch(post(Array.from({ length: 3 }, (_, id) => ping(id))), {
      address: '192.0.2.2',
    });
    expect([other.status, other.headers.get('retry-after')]).toEqual([429, '60']);
  });

  it('is told so where it is a page of an allowed origin', async () => {
    const app = createTestApp(createFakeRuntime(), { rateLimit });
    const origin = 'http://localhost:5173';
    const ask = () => app.fetch(post(body, { ...headers, origin }), { address: '192.0.2.1' });
    expect(await statuses([ask(), ask()])).toEqual([200, 200]);
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
  });

  it('is told apart by its address, an IPv6 one by its network', async () => {
    const ask = start({});
    expect(await statuses([ask('192.0.2.1'), ask('192.0.2.1'), ask('192.0.2.1'), ask('192.0.2.2')])).toEqual([
      200, 200, 429, 200,
    ]);
    expect(await statuses([ask('2001:db8::1'), ask('2001:db8::2'), ask('2001:db8::3')])).toEqual([
      200, 200, 429,
    ]);
  });

  it('is told apart by its user where there is one, whatever the address', async () => {
    const ask = start({ authenticate });
    const asked = ['ada', 'ada', 'ada', 'bob'].map((name, index) => ask(`192.0.2.${index}`, name));
    expect(await statuses(asked)).toEqual([200, 200, 429, 200]);
    expect(await statuses(['carl', 'dora', 'emil'].map((name) => ask('192.0.2.9', name)))).toEqual([
      200, 200, 200,
    ]);
  });

  it('tries no third credential that is not good', async () => {
    const ask = start({ authenticate });
    expect(await statuses([ask('192.0.2.1'), ask('192.0.2.1', 'bad'), ask('192.0.2.1')])).toEqual([
      403, 403, 429,
    ]);
    expect((await ask('192.0.2.1', 'ada')).status).toBe(200);
  });

  it('is not limited where nobody knows its address, and where no limit is set', async () => {
    const unknown = start({});
    expect(await statuses([unknown(), unknown(), unknown()])).toEqual([200, 200, 200]);
    const open = start({ rateLimit: null });
    expect(await statuses([open('192.0.2.1'), open('192.0.2.1'), open('192.0.2.1')])).toEqual([
      200, 200, 200,
    ]);
  });

  it('still learns whether the server is well', async () => {
    const app = createTestApp(createFakeRuntime(), { rateLimit });
    const health = () =>
      app.fetch(new Request('http://localhost/health', { headers: { host: 'localhost' } }), {
        address: '192.0.2.1',
      });
    expect(await statuses([health(), health(), health()])).toEqual([200, 200, 200]);
  });
});
