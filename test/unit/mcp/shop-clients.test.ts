import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOGO, openShop, type Shop } from './shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

const URL_OF_APP = new URL('http://localhost/mcp');

const throughApp = (url: string | URL | Request, init?: RequestInit) => {
  const headers = new Headers(init?.headers);
  headers.set('host', 'localhost');
  return shop.app.fetch(new Request(url, { ...init, headers }));
};

/** What the clients of both generations can do alike. */
type AnyClient = Pick<
  OldClient,
  'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete'
> & { callTool(params: { name: string; arguments: object }): Promise<{ content?: unknown }> };

async function connectNew(mode: VersionNegotiationMode): Promise<AnyClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(URL_OF_APP, { fetch: throughApp }));
  return client as unknown as AnyClient;
}

async function connectOld(): Promise<AnyClient> {
  const client = new OldClient({ name: 'test', version: '1' });
  const transport = new OldTransport(URL_OF_APP, { fetch: throughApp });
  await client.connect(transport as unknown as Parameters<OldClient['connect']>[0]);
  return client as unknown as AnyClient;
}

const CLIENTS: readonly [string, () => Promise<AnyClient>][] = [
  ['v2, 2026-07-28', () => connectNew({ pin: '2026-07-28' })],
  ['v2, legacy', () => connectNew('legacy')],
  ['v1', connectOld],
];

describe.each(CLIENTS)('the SDK client %s', (_name, connect) => {
  // Requirements: endpoint.parameters, endpoint.uri, service.1
  it('lists and reads resources', async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('shop://terms');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('shop://customers/{id}');
    expect((await client.readResource({ uri: 'shop://customers/1' })).contents).toMatchObject([
      { text: '{"id":1,"name":"Ada"}' },
    ]);
    expect((await client.readResource({ uri: 'shop://logo.png' })).contents).toMatchObject([{ blob: LOGO }]);
    await expect(client.readResource({ uri: 'shop://nothing' })).rejects.toMatchObject({
      code: -32602,
      data: { uri: 'shop://nothing' },
    });
  });

  // Requirements: endpoint.prompt, service.1
  it('lists and gets prompts', async () => {
    const client = await connect();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['guarded', 'picture', 'review']);
    const { messages } = await client.getPrompt({ name: 'review', arguments: { id: '1' } });
    expect(messages.map(({ content }) => content.type)).toEqual([
      'text',
      'text',
      'resource',
      'resource_link',
    ]);
  });

  it('completes', async () => {
    const client = await connect();
    const params = {
      ref: { type: 'ref/prompt' as const, name: 'review' },
      argument: { name: 'tone', value: 'c' },
    };
    expect((await client.complete(params)).completion.values).toEqual(['cool', 'curt']);
  });

  // Requirements: mcp.tool.content
  it('gets a picture', async () => {
    const client = await connect();
    const { content } = await client.callTool({ name: 'logo', arguments: {} });
    expect(content).toMatchObject([{ type: 'image', mimeType: 'image/png', data: LOGO }]);
  });
});
