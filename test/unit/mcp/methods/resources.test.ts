import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../../src/app.ts';
import { exchange, legacy, modern } from '../fixture.ts';
import { LOGO, openShop, type Shop } from '../shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

type Result = { [key: string]: unknown };

async function ask(app: App, method: string, params: { [key: string]: unknown } = {}): Promise<Result> {
  const request = modern(method, params);
  if (typeof params.uri === 'string') {
    request.headers['mcp-name'] = `=?base64?${Buffer.from(params.uri).toString('base64')}?=`;
  }
  const { json } = await exchange(app, request);
  return (json.result ?? json.error) as Result;
}
const read = (uri: string, app = shop.app) => ask(app, 'resources/read', { uri });

describe('the lists of resources', () => {
  // Requirements: mcp.resource.list, modern.caching
  it('have those without placeholders, in order, and no disabled one', async () => {
    const result = await ask(shop.app, 'resources/list');
    expect(result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public', resultType: 'complete' });
    expect(result.resources).toEqual([
      { uri: 'shop://customers', name: 'customers', description: 'Everybody.', mimeType: 'application/json' },
      { uri: 'shop://logo.png', name: 'logo_file', description: 'The logo.', mimeType: 'image/png' },
      { uri: 'shop://many', name: 'many', description: 'Too many.', mimeType: 'application/json' },
      {
        uri: 'shop://terms',
        name: 'terms',
        title: 'Terms of trade',
        description: 'What everybody agrees to.',
        mimeType: 'text/markdown',
      },
    ]);
  });

  // Requirements: mcp.resource.list
  it('have templates by themselves', async () => {
    const { resourceTemplates } = await ask(shop.app, 'resources/templates/list');
    expect(resourceTemplates).toEqual([
      {
        uriTemplate: 'shop://by-name/{name}',
        name: 'by_name',
        description: 'By name.',
        mimeType: 'text/plain',
      },
      {
        uriTemplate: 'shop://customers/{id}',
        name: 'customer',
        description: 'One customer.',
        mimeType: 'application/json',
      },
    ]);
  });

  // Requirements: mcp.pagination
  it('come in pages', async () => {
    const first = await ask(shop.paged, 'resources/list');
    const second = await ask(shop.paged, 'resources/list', { cursor: first.nextCursor });
    const uris = [first, second].flatMap((page) =>
      (page.resources as { uri: string }[]).map(({ uri }) => uri),
    );
    expect(uris).toEqual(['shop://customers', 'shop://logo.png', 'shop://many', 'shop://terms']);
    expect(second).not.toHaveProperty('nextCursor');
    expect(await ask(shop.paged, 'resources/list', { cursor: 'x' })).toMatchObject({ code: -32602 });
  });
});

describe('resources/read', () => {
  // Requirements: modern.caching, modern.caching.private
  it('reads one without placeholders as JSON, not to be kept', async () => {
    expect(await read('shop://customers')).toMatchObject({
      contents: [
        {
          uri: 'shop://customers',
          mimeType: 'application/json',
          text: '[{"id":1,"name":"Ada"},{"id":2,"name":"Bo/b & Söns"}]',
        },
      ],
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  it('reads a document as it is', async () => {
    const { contents } = await read('shop://terms');
    expect(contents).toEqual([{ uri: 'shop://terms', mimeType: 'text/markdown', text: '# Terms' }]);
  });

  // Requirements: endpoint.uri, modern.header.name
  it('takes typed values from the URI', async () => {
    const { contents } = await read('shop://customers/1');
    expect(contents).toEqual([
      { uri: 'shop://customers/1', mimeType: 'application/json', text: '{"id":1,"name":"Ada"}' },
    ]);
  });

  // Requirements: mcp.resource.template
  it('decodes what is percent-encoded (RFC 6570, level 1)', async () => {
    const { contents } = await read(`shop://by-name/${encodeURIComponent('Bo/b & Söns')}`);
    expect(contents).toMatchObject([{ mimeType: 'text/plain', text: 'FR' }]);
  });

  // Requirements: mcp.resource.binary
  it('gives bytes in base64', async () => {
    const { contents } = await read('shop://logo.png');
    expect(contents).toEqual([{ uri: 'shop://logo.png', mimeType: 'image/png', blob: LOGO }]);
  });

  it('says in both forms that it was cut', async () => {
    const result = await read('shop://many');
    expect(result._meta).toMatchObject({ 'svc-kit/truncated': { reason: 'rows', limit: 5 } });
    const [contents, note] = result.contents as { text: string; _meta?: object }[];
    expect(JSON.parse(contents?.text ?? '')).toHaveLength(5);
    expect(contents?._meta).toMatchObject({ 'svc-kit/truncated': { reason: 'rows' } });
    expect(note?.text).toMatch(/^Truncated \(rows\)\. Only the first 5 rows/);
  });

  // Requirements: mcp.resource.access
  it('is under policies: the sensitive is for those who are known', async () => {
    const { contents } = await read('shop://customers/1', shop.known);
    expect(contents).toMatchObject([{ text: '{"id":1,"name":"Ada","email":"a@acme.com"}' }]);
    expect(shop.records.at(-1)).toMatchObject({ kind: 'resource', name: 'customer', status: 'success' });
    expect(await read('shop://customers/99')).toMatchObject({ code: -32600, message: 'Not that one.' });
    expect(shop.records.at(-1)).toMatchObject({ status: 'error', decision: { outcome: 'deny' } });
  });

  // Requirements: modern.resource-not-found
  it.each([
    'shop://nothing',
    'shop://customers/1/2',
    'shop://hidden',
    'constructor',
    'shop://customers/%ZZ',
    '',
  ])('does not know %j', async (uri) => {
    expect(await read(uri)).toMatchObject({ code: -32602, data: { uri } });
    expect(shop.records.at(-1)).toMatchObject({ kind: 'resource', entry: null, name: uri, status: 'error' });
  });

  // Requirements: modern.resource-not-found
  it('finds no row where there is none', async () => {
    expect(await read('shop://customers/7')).toMatchObject({
      code: -32602,
      data: { uri: 'shop://customers/7' },
    });
  });

  // Requirements: mcp.resource.access
  it('says what is wrong with a value of the URI', async () => {
    const error = await read('shop://customers/one');
    expect(error).toMatchObject({ code: -32602, data: { issues: [{ path: 'id' }] } });
    expect(error.message).toMatch(/^The arguments of customer are not valid:\n- id: /);
  });

  it('answers the older revisions', async () => {
    const answer = async (uri: string) => (await exchange(shop.app, legacy('resources/read', { uri }))).json;
    expect((await answer('shop://nothing')).error).toMatchObject({
      code: -32602,
      data: { uri: 'shop://nothing' },
    });
    expect((await answer('shop://terms')).result).toEqual({
      contents: [{ uri: 'shop://terms', mimeType: 'text/markdown', text: '# Terms' }],
    });
  });
});

describe('tools of pictures and sounds', () => {
  // Requirements: mcp.tool.content
  it.each([
    ['logo', 'image', 'image/png'],
    ['beep', 'audio', 'audio/wav'],
  ])('%s answers with one', async (name, type, mimeType) => {
    const result = await ask(shop.app, 'tools/call', { name, arguments: {} });
    expect(result.content).toEqual([{ type, data: LOGO, mimeType }]);
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('fail where the query gives no BLOB', async () => {
    const result = await ask(shop.app, 'tools/call', { name: 'no_picture', arguments: {} });
    expect(result.isError).toBe(true);
    expect(shop.lines.at(-1)?.message).toContain('declares mime_type image/png');
  });

  it('declare no structured result', async () => {
    const { tools } = (await ask(shop.app, 'tools/list')) as { tools: { name: string }[] };
    expect(tools.find(({ name }) => name === 'beep')).not.toHaveProperty('outputSchema');
  });
});
