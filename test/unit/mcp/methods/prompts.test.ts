import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../../src/app.ts';
import { createTestApp, exchange, legacy, modern } from '../fixture.ts';
import { LOGO, openShop, type Shop } from '../shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

type Answer = { [key: string]: unknown };

async function ask(app: App, method: string, params: { [key: string]: unknown } = {}): Promise<Answer> {
  const { json } = await exchange(app, modern(method, params));
  return (json.result ?? json.error) as Answer;
}
const get = (name: string, args: object, app = shop.app) =>
  ask(app, 'prompts/get', { name, arguments: args });

describe('prompts/list', () => {
  // Requirements: mcp.prompt.list, modern.caching
  it('has each prompt with its arguments', async () => {
    const { prompts, ttlMs } = await ask(shop.app, 'prompts/list');
    expect(ttlMs).toBe(60_000);
    expect(prompts).toEqual([
      { name: 'guarded', description: 'Not for all.', arguments: [{ name: 'secret', required: true }] },
      { name: 'picture', description: 'Shows the logo.' },
      {
        name: 'review',
        title: 'Review a customer',
        description: 'Looks at one customer.',
        arguments: [
          { name: 'id', description: 'The id.', required: true },
          { name: 'tone', required: false },
          { name: 'deep', required: false },
        ],
      },
    ]);
  });
});

describe('prompts/get', () => {
  it('renders with typed values of text, embeds what this server has and links to the rest', async () => {
    const result = await get('review', { id: '1', deep: 'true' });
    expect(result).toMatchObject({ description: 'Looks at one customer.' });
    expect(result.messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'You are warm.' } },
      { role: 'user', content: { type: 'text', text: 'Review 2 deeply.' } },
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: 'shop://customers/1',
            mimeType: 'application/json',
            text: '{"id":1,"name":"Ada"}',
          },
        },
      },
      {
        role: 'assistant',
        content: { type: 'resource_link', uri: 'https://example.com/1', name: 'https://example.com/1' },
      },
    ]);
    expect(shop.records.slice(-2)).toMatchObject([
      { kind: 'resource', name: 'customer' },
      { kind: 'prompt', name: 'review', status: 'success', args: { id: 1, tone: 'warm', deep: true } },
    ]);
  });

  it('embeds a resource as its reader may see it, or not at all', async () => {
    const { messages } = await get('review', { id: '1' }, shop.known);
    expect(JSON.stringify(messages)).toContain('a@acme.com');
    expect(await get('review', { id: '99' })).toMatchObject({ code: -32600, message: 'Not that one.' });
    const decision = { outcome: 'deny', reason: 'Not that one.' };
    expect(shop.records.slice(-2)).toMatchObject([
      { kind: 'resource', name: 'customer', status: 'error', decision },
      { kind: 'prompt', name: 'review', status: 'error', decision },
    ]);
    expect(await get('review', { id: '7' })).toMatchObject({ code: -32602 });
  });

  it('shows a picture as one', async () => {
    expect((await get('picture', {})).messages).toEqual([
      { role: 'user', content: { type: 'image', data: LOGO, mimeType: 'image/png' } },
    ]);
  });

  // Requirements: mcp.prompt.arguments
  it('says what is wrong with arguments', async () => {
    const error = await get('review', { tone: 'loud' });
    expect(error.code).toBe(-32602);
    expect(error.data).toMatchObject({ issues: [{ path: 'id' }, { path: 'tone' }] });
  });

  it('is under policies', async () => {
    expect(await get('guarded', { secret: 'no' })).toMatchObject({ message: 'Not with that.' });
    expect(await get('guarded', { secret: 'forbidden' })).toMatchObject({
      message: 'Access denied by policy.',
    });
    expect((await get('guarded', { secret: 'x' })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: '****' } },
    ]);
    expect((await get('guarded', { secret: 'x' }, shop.known)).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'It is x.' } },
    ]);
  });

  // Requirements: mcp.prompt.unknown
  it.each(['nope', 'constructor', '__proto__'])('does not know %s', async (name) => {
    expect(await get(name, {})).toMatchObject({ code: -32602, message: `Unknown prompt: ${name}` });
    expect(shop.records.at(-1)).toMatchObject({ kind: 'prompt', name, entry: null, status: 'error' });
  });
});

// Requirements: mcp.completion
describe('completion/complete', () => {
  const complete = (ref: object, name: string, value: string) =>
    ask(shop.app, 'completion/complete', { ref, argument: { name, value } });
  const prompt = { type: 'ref/prompt', name: 'review' };

  it.each([
    [prompt, 'tone', '', ['warm', 'cool', 'curt']],
    [prompt, 'tone', 'C', ['cool', 'curt']],
    [prompt, 'tone', 'x', []],
    [prompt, 'deep', 't', ['true']],
    [prompt, 'id', '1', []],
    [prompt, 'nope', '', []],
    [{ type: 'ref/resource', uri: 'shop://by-name/{name}' }, 'name', 'b', ['Bo/b & Söns']],
  ])('%j %s %j', async (ref, name, value, values) => {
    const result = await complete(ref, name, value);
    expect(result.completion).toEqual({ values, total: values.length, hasMore: false });
  });

  // Requirements: mcp.completion
  it('knows no other prompts and templates', async () => {
    expect(await complete({ type: 'ref/prompt', name: 'x' }, 'a', '')).toMatchObject({ code: -32602 });
    expect(await complete({ type: 'ref/resource', uri: 'x:y' }, 'a', '')).toMatchObject({ code: -32602 });
    expect(await complete({ type: 'ref/other' }, 'a', '')).toMatchObject({ code: -32602 });
  });
});

describe('capabilities', () => {
  // Requirements: modern.capabilities
  it('are those that the project has', async () => {
    const { capabilities } = await ask(shop.app, 'server/discover');
    expect(capabilities).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} });
    expect((await ask(createTestApp(), 'server/discover')).capabilities).toEqual({
      tools: {},
      logging: {},
    });
    const { json } = await exchange(shop.app, legacy('prompts/list'));
    expect((json.result as { prompts: unknown[] }).prompts).toHaveLength(3);
  });
});
