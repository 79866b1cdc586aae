import { describe, expect, it } from 'vitest';
import type { Auth } from '../../../src/auth/types.ts';
import type { CallRecord } from '../../../src/call/call-record.ts';
import type { ToolEntry } from '../../../src/catalog/model.ts';
import { SvcError } from '../../../src/errors.ts';
import { createToolsets } from '../../../src/mcp/toolsets.ts';
import { createFakeRuntime, createTestApp, legacy, modern, post, TOOLS } from './fixture.ts';
import { messagesOf, nextMessage } from './stream.ts';

const TAGS: { readonly [name: string]: readonly string[] } = {
  greet: ['people'],
  greeting: ['people', 'texts'],
  numbers: ['figures'],
  undeclared: ['figures', 'texts'],
};
const ALL: readonly ToolEntry[] = TOOLS.map((entry) =>
  TAGS[entry.name] === undefined
    ? entry
    : { ...entry, wire: { ...entry.wire, _meta: { 'svc-kit/tags': TAGS[entry.name] ?? [] } } },
);

type Message = { readonly body: unknown; readonly headers: Record<string, string> };

function createSide(search = false, tools = ALL) {
  const records: CallRecord[] = [];
  const fake = createFakeRuntime(tools);
  const runtime = {
    ...fake,
    catalog: { ...fake.catalog, ...(search ? { search: true as const } : {}) },
    observe: (record: CallRecord) => void records.push(record),
  };
  const app = createTestApp(runtime);
  const send = async ({ body, headers }: Message, path = '/mcp', more: Record<string, string> = {}) => {
    const response = await app.fetch(post(body, { ...headers, ...more }, path));
    const json = await response.json();
    return { status: response.status, json, result: json.result };
  };
  const list = async (path: string, more: Record<string, string> = {}) => {
    const { result } = await send(modern('tools/list'), path, more);
    return result.tools.map(({ name }: { name: string }) => name);
  };
  return { send, list, records, app, runtime };
}

const GREET = { name: 'greet', arguments: { name: 'Ada' } };

describe('a toolset', () => {
  // Requirements: toolset.select
  it('is chosen by the URL, by a header, or by both, which narrows further', async () => {
    const { list } = createSide();
    expect(await list('/mcp')).toHaveLength(ALL.length);
    expect(await list('/mcp?tags=people')).toEqual(['greet', 'greeting']);
    expect(await list('/mcp?tags=people,figures')).toEqual(['greet', 'greeting', 'numbers', 'undeclared']);
    expect(await list('/mcp', { 'svc-tags': 'figures' })).toEqual(['numbers', 'undeclared']);
    expect(await list('/mcp?tags=people', { 'svc-tags': 'texts' })).toEqual(['greeting']);
  });

  it('is kept ready while it is used, however many others are', () => {
    const tags = ['a', 'b', 'c', 'd', 'e', 'f'];
    const tools = TOOLS.map((entry) => ({
      ...entry,
      wire: { ...entry.wire, _meta: { 'svc-kit/tags': tags } },
    }));
    let made = 0;
    const find = createToolsets(createSide(false, tools).runtime, () => {
      made += 1;
      return made;
    });
    const select = (some: readonly string[]) => find(new Request(`http://localhost/mcp?tags=${some}`));
    const first = select(['a']);
    for (let set = 1; set < 2 ** tags.length; set += 1) {
      select(tags.filter((_, index) => (set >> index) % 2 === 1));
      expect(select(['a'])).toBe(first);
    }
    // The whole server, and each set of tags once.
    expect(made).toBe(2 ** tags.length);
  });

  // Requirements: modern.caching.private
  it('is kept out of shared caches if a header selects it, because its URL is that of other lists', async () => {
    const { send } = createSide();
    const scopeOf = async (method: string, path: string, more = {}) =>
      (await send(modern(method), path, more)).result.cacheScope;
    for (const method of ['tools/list', 'server/discover']) {
      expect(await scopeOf(method, '/mcp', { 'svc-tags': 'people' })).toBe('private');
      expect(await scopeOf(method, '/mcp?tags=people', { 'svc-tags': 'texts' })).toBe('private');
      expect(await scopeOf(method, '/mcp?tags=people')).toBe('public');
      expect(await scopeOf(method, '/mcp', { 'svc-tags': ' ' })).toBe('public');
    }
  });

  // Requirements: toolset.narrows
  it.each([
    ['modern', modern],
    ['legacy', legacy],
  ])('has no other tool to call: %s', async (_, write) => {
    const { send } = createSide();
    expect((await send(write('tools/call', GREET), '/mcp?tags=people')).result.structuredContent).toEqual({
      greeting: 'Hello, Ada!',
    });
    const { json } = await send(write('tools/call', GREET), '/mcp?tags=figures');
    expect(json.error).toMatchObject({ code: -32602, message: 'Unknown tool: greet' });
  });

  // Requirements: toolset.schemas
  it('has its schemas in the form that the URL names', async () => {
    const closed = ALL.map((entry) => ({
      ...entry,
      wire: { ...entry.wire, inputSchema: { type: 'object', additionalProperties: false } },
    }));
    const { send } = createSide(false, closed);
    const listed = async (path: string) => JSON.stringify((await send(modern('tools/list'), path)).result);
    expect(await listed('/mcp')).toContain('additionalProperties');
    expect(await listed('/mcp?schema_profile=gemini&tags=people')).not.toContain('additionalProperties');
    expect((await send(modern('tools/list'), '/mcp?schema_profile=mars')).status).toBe(400);
  });

  // Requirements: toolset.narrows
  it('rejects a tag that no endpoint has, and one that is outside of the other choice', async () => {
    const { send } = createSide();
    const unknown = await send(modern('tools/list'), '/mcp?tags=nothing');
    expect(unknown).toMatchObject({ status: 404 });
    expect(JSON.stringify(unknown.json)).toContain('No endpoint has the tag nothing.');
    const outside = await send(modern('tools/list'), '/mcp?tags=people', { 'svc-tags': 'figures' });
    expect(outside.status).toBe(404);
  });
});

describe('instructions', () => {
  // Requirements: toolset.instructions
  it('are written from the endpoints of the toolset, in both eras', async () => {
    const { send } = createSide();
    const text = 'demo has 2 tools. By tag: people (2), texts (1).';
    const discovered = await send(modern('server/discover'), '/mcp?tags=people');
    expect(discovered.result.instructions).toBe(text);
    const initialize = { protocolVersion: '2025-11-25', capabilities: {} };
    const begun = await send(legacy('initialize', initialize), '/mcp?tags=people');
    expect(begun.result.instructions).toBe(text);
  });
});

describe('the pair of search and call', () => {
  // Requirements: toolset.search
  it.each([
    ['modern', modern],
    ['legacy', legacy],
  ])('is all that clients list, and finds and runs every tool: %s', async (_, write) => {
    const { send, records } = createSide(true);
    const { result } = await send(write('tools/list'));
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['call', 'search']);
    const found = await send(write('tools/call', { name: 'search', arguments: { query: 'greet somebody' } }));
    expect(JSON.parse(found.result.content[0].text).tools[0].name).toBe('greet');
    const inner = await send(write('tools/call', { name: 'call', arguments: GREET }));
    const own = await send(write('tools/call', GREET));
    expect(inner.json).toEqual(own.json);
    expect(records.map(({ name, args }) => ({ name, args }))).toEqual([
      { name: 'greet', args: { name: 'Ada' } },
      { name: 'greet', args: { name: 'Ada' } },
    ]);
  });

  // Requirements: toolset.search
  it('validates the arguments of the tool, and names an unknown one', async () => {
    const { send, records } = createSide(true);
    const wrong = { name: 'call', arguments: { name: 'greet', arguments: { name: 'A' } } };
    const { result } = await send(modern('tools/call', wrong));
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('name');
    const unknown = await send(modern('tools/call', { name: 'call', arguments: { name: 'nobody' } }));
    expect(unknown.json.error.message).toBe('Unknown tool: nobody');
    const nameless = await send(modern('tools/call', { name: 'call', arguments: {} }));
    expect(nameless.json.error.code).toBe(-32602);
    const itself = await send(modern('tools/call', { name: 'call', arguments: { name: 'call' } }));
    expect(itself.json.error.message).toBe('Unknown tool: call');
    expect(records.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'greet error',
      'nobody error',
      ' error',
      'call error',
    ]);
    const wordless = await send(modern('tools/call', { name: 'search', arguments: {} }));
    expect(wordless.result.isError).toBe(true);
  });

  // Requirements: toolset.search
  it('holds policies and scopes inside: neither found nor called without them', async () => {
    const deny = { condition: "name == 'Eve'", action: 'deny', reason: 'Not Eve.' } as const;
    const tools = ALL.map((entry) =>
      entry.name === 'greet'
        ? { ...entry, policies: { input: [deny], output: [] } }
        : entry.name === 'greeting'
          ? { ...entry, scopes: ['secret'] }
          : entry,
    );
    const { send, runtime } = createSide(true, tools);
    const eve = { name: 'call', arguments: { name: 'greet', arguments: { name: 'Eve' } } };
    expect((await send(modern('tools/call', eve))).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Not Eve.') }],
    });
    const auth: Auth = {
      hidesCredentials: false,
      authenticate: async () => ({ user: null, scopes: [], held: [], sessionId: null }),
      rejectScopes: () => ({ error: new SvcError('scope_insufficient', 'Not yours.'), challenge: 'Bearer' }),
      respond: () => null,
    } as unknown as Auth;
    const app = createTestApp(runtime, { auth });
    const ask = async ({ body, headers }: Message) => app.fetch(post(body, headers));
    const search = { name: 'search', arguments: { query: 'greeting greet' } };
    const found = await (await ask(modern('tools/call', search))).json();
    expect(found.result.content[0].text).not.toContain('"greeting"');
    const call = { name: 'call', arguments: { name: 'greeting', arguments: { name: 'Ada' } } };
    expect((await ask(modern('tools/call', call))).status).toBe(403);
  });

  it('is no tool of a project without it', async () => {
    const { send } = createSide();
    const { json } = await send(modern('tools/call', { name: 'call', arguments: GREET }));
    expect(json.error.message).toBe('Unknown tool: call');
  });
});

it('a person who confirms a call of one toolset confirms no call of another', async () => {
  const asking = ALL.map((entry) => ({
    ...entry,
    confirm: { question: 'Go on?', otherwise: 'deny' as const },
  }));
  const app = createTestApp(createFakeRuntime(asking), { stateless: false });
  const begin = legacy('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  });
  const begun = await app.fetch(post(begin.body, begin.headers));
  const headers = { ...begin.headers, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const call = async (tag: string, name: string) => {
    const { body } = legacy('tools/call', { name, arguments: { name: 'Ada' } });
    const response = await app.fetch(post({ ...body, id: name }, headers, `/mcp?tags=${tag}`));
    const messages = messagesOf(response);
    return { messages, question: await nextMessage(messages) };
  };
  const answer = ({ id }: { readonly id?: unknown }, result: object) =>
    app.fetch(post({ jsonrpc: '2.0', id, result }, headers));
  const confirmed = await call('people', 'greet');
  const declined = await call('texts', 'greeting');
  expect(confirmed.question.id).not.toBe(declined.question.id);
  await answer(confirmed.question, { action: 'accept', content: { ok: true } });
  expect(await nextMessage(confirmed.messages)).toMatchObject({
    id: 'greet',
    result: { structuredContent: { greeting: 'Hello, Ada!' } },
  });
  await answer(declined.question, { action: 'decline' });
  expect(await nextMessage(declined.messages)).toMatchObject({ id: 'greeting', result: { isError: true } });
});
