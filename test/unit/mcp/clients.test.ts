import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { createTestApp } from './fixture.ts';

const MODES: readonly [string, VersionNegotiationMode, string][] = [
  ['auto', 'auto', '2026-07-28'],
  ['legacy', 'legacy', '2025-11-25'],
  ['pinned', { pin: '2026-07-28' }, '2026-07-28'],
];

async function connect(app: App, mode: VersionNegotiationMode): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const fetch = (url: string | URL | Request, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set('host', 'localhost');
    return app.fetch(new Request(url, { ...init, headers }));
  };
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return client;
}

describe.each(MODES)('the SDK v2 client, %s', (_name, mode, version) => {
  it('agrees on a revision and learns who serves', async () => {
    const client = await connect(createTestApp(), mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'demo', version: '1.2.3' });
    const logging = version === '2026-07-28' ? { logging: {} } : {};
    expect(client.getServerCapabilities()).toEqual({ tools: {}, ...logging });
  });

  // Requirements: service.1
  it('lists the tools in order of their names', async () => {
    const client = await connect(createTestApp(), mode);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toContain('greet');
  });

  it('reads every page of a long list', async () => {
    const client = await connect(createTestApp(undefined, { pageSize: 4 }), mode);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(11);
  });

  // Requirements: mcp.tool.structured
  it('gets a declared object as text and as structured content', async () => {
    const client = await connect(createTestApp(), mode);
    await client.listTools();
    const result = await client.callTool({ name: 'greet', arguments: { name: 'Ada' } });
    expect(result.content).toEqual([{ type: 'text', text: '{"greeting":"Hello, Ada!"}' }]);
    expect(result.structuredContent).toEqual({ greeting: 'Hello, Ada!' });
  });

  // Requirements: mcp.tool.structured
  it('gets a declared list, in the form of its era, that its own check accepts', async () => {
    const client = await connect(createTestApp(), mode);
    await client.listTools();
    const result = await client.callTool({ name: 'numbers', arguments: {} });
    const list = [{ n: 1 }, { n: 2 }, { n: 3 }];
    expect(result.structuredContent).toEqual(version === '2026-07-28' ? list : { result: list });
  });

  // Requirements: error.calls
  it('gets a failed call as a result', async () => {
    const client = await connect(createTestApp(), mode);
    const result = await client.callTool({ name: 'late', arguments: {} });
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The query took longer than 30 s.' }] });
  });

  // Requirements: error.calls
  it('gets an unknown tool as a protocol error', async () => {
    const client = await connect(createTestApp(), mode);
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: nope'),
    });
  });

  it('makes calls side by side', async () => {
    const client = await connect(createTestApp(), mode);
    const names = Array.from({ length: 50 }, (_, index) => `N${index}`);
    const results = await Promise.all(
      names.map((name) => client.callTool({ name: 'greet', arguments: { name } })),
    );
    expect(results.map((result) => result.structuredContent)).toEqual(
      names.map((name) => ({ greeting: `Hello, ${name}!` })),
    );
  });
});
