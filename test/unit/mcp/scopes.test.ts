import { beforeAll, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/call/call-record.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { Catalog } from '../../../src/catalog/model.ts';
import { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';
import type { Caller } from '../../../src/mcp/context.ts';
import { calledIn, createVisiblePages, enforceScopes } from '../../../src/mcp/scopes.ts';
import { toResponse } from '../../../src/mcp/transport/response.ts';
import { createMcpHandler } from '../../../src/mcp/transport/streamable-http.ts';
import { loadTree, SITE } from '../call/project.ts';
import { CALLER, createFakeRuntime } from './fixture.ts';

const tool = (name: string, scopes = '') => `tool:
  name: ${name}
${scopes}  source: { code: SELECT 1 AS n }
`;
const TREE = {
  'tools/open.yml': tool('open'),
  'tools/sales.yml': tool('sales', '  scopes: ["sales:read"]\n'),
  'tools/both.yml': tool('both', '  scopes: ["sales:read", "hr:read"]\n'),
  'resources/pay.yml':
    'resource:\n  uri: pay://{id}\n  scopes: ["hr:read"]\n  parameters: [{ name: id, type: integer }]\n  source: { code: SELECT $id AS id }\n',
  'prompts/letter.yml': 'prompt:\n  name: letter\n  scopes: ["hr:read"]\n  messages: [{ prompt: Hello. }]\n',
};

let catalog: Catalog;
let searched: Catalog;
let open: Catalog;
beforeAll(async () => {
  catalog = await compileCatalog(await loadTree(TREE));
  searched = await compileCatalog(await loadTree({ ...TREE, 'svc-site.yml': `${SITE}tool_search: true\n` }));
  open = await compileCatalog(await loadTree({ 'tools/open.yml': TREE['tools/open.yml'] }));
});

const refuse = (needed: readonly string[]) => new SvcError('scope_insufficient', needed.join(' '));
const holder = (...scopes: readonly string[]): Caller => ({ ...CALLER, grant: { scopes, refuse } });

/** The scopes of the challenge and the recorded names; null if the caller may go on. */
function challenge(message: JsonValue, caller: Caller, served = catalog) {
  const records: CallRecord[] = [];
  const runtime: Runtime = {
    ...createFakeRuntime(),
    catalog: served,
    observe: (record) => void records.push(record),
  };
  try {
    enforceScopes(runtime, message, caller);
    return null;
  } catch (thrown) {
    const message = thrown instanceof SvcError ? thrown.message : 'another error';
    return { needs: message, recorded: records.map(({ kind, name, args }) => ({ kind, name, args })) };
  }
}
const call = (name: unknown, more = {}) =>
  ({ method: 'tools/call', params: { name, ...more } }) as unknown as JsonValue;

describe('the scopes of a message', () => {
  it('are not looked at in a batch that is too long, of which no call is recorded', async () => {
    const records: CallRecord[] = [];
    const observe = (record: CallRecord) => void records.push(record);
    const runtime: Runtime = { ...createFakeRuntime(), catalog, observe };
    const received: unknown[] = [];
    const onMessage = (message: unknown) => void received.push(message);
    const endpoint = createMcpHandler(runtime, { version: '1', sessions: null, onMessage });
    const send = async (length: number) => {
      const body = JSON.stringify(
        Array(length).fill({ jsonrpc: '2.0', id: 1, ...(call('sales') as object) }),
      );
      const headers = new Headers({ 'content-type': 'application/json' });
      return toResponse(await endpoint({ headers, body, caller: holder() }));
    };
    await expect(send(100)).rejects.toThrow('sales:read');
    expect(records.splice(0)).toHaveLength(100);
    const response = await send(101);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: -32600, message: 'Bad Request: a batch holds at most 100 messages.' },
    });
    expect([records, received]).toEqual([[], []]);
  });

  it('are those of the call that it makes', () => {
    const given = { arguments: { a: 1 } };
    expect(challenge(call('sales', given), holder())).toEqual({
      needs: 'sales:read',
      recorded: [{ kind: 'tool', name: 'sales', args: { a: 1 } }],
    });
    expect(challenge(call('both'), holder('sales:read'))?.needs).toBe('sales:read hr:read');
    expect(challenge(call('both'), holder('sales:read', 'hr:read'))).toBeNull();
    expect(challenge(call('open'), holder())).toBeNull();
    expect(challenge(call('sales', { arguments: 'odd' }), holder())?.recorded[0]?.args).toEqual({});
  });

  it.each<[string, object]>([
    ['resources/read', { uri: 'pay://7' }],
    ['skills/get', { uri: 'pay://7' }],
    ['prompts/get', { name: 'letter' }],
  ])('are asked for by %s', (method, params) => {
    const message = { method, params } as unknown as JsonValue;
    expect(challenge(message, holder())?.needs).toBe('hr:read');
    expect(challenge(message, holder('hr:read'))).toBeNull();
  });

  it.each<[string, JsonValue]>([
    ['another method', { method: 'tools/list', params: { name: 'sales' } }],
    ['a prompt of a tool’s name', { method: 'prompts/get', params: { name: 'sales' } }],
    ['an unknown name', { method: 'tools/call', params: { name: 'none' } }],
    ['the name of something every object has', { method: 'tools/call', params: { name: 'constructor' } }],
    ['no name', { method: 'tools/call', params: {} }],
    ['a name that is no text', { method: 'tools/call', params: { name: ['sales'] } }],
    ['no parameters', { method: 'tools/call' }],
    ['an unknown URI', { method: 'resources/read', params: { uri: 'other://7' } }],
    ['a URI that is no text', { method: 'resources/read', params: { uri: 7 } }],
    ['a URI without reading it', { method: 'resources/subscribe', params: { uri: 'pay://7' } }],
    ['no message', 'text'],
  ])('are none for %s', (_, message) => {
    expect(challenge(message, holder())).toBeNull();
  });

  it('of a batch are named together, and each call is recorded', () => {
    expect(challenge([call('sales'), call('both'), call('open')], holder())).toEqual({
      needs: 'sales:read hr:read',
      recorded: [
        { kind: 'tool', name: 'sales', args: {} },
        { kind: 'tool', name: 'both', args: {} },
      ],
    });
    expect(challenge([call('open'), call('both')], holder('hr:read'))?.recorded).toHaveLength(1);
  });

  it('are not asked for without sign-in, or if no endpoint has one', () => {
    expect(challenge(call('sales'), CALLER)).toBeNull();
    expect(challenge(call('open'), holder(), open)).toBeNull();
    expect(challenge(call('open'), holder(), open)).toBeNull();
  });

  it('are asked for where every endpoint has some', async () => {
    const closed = await compileCatalog(await loadTree({ 'tools/sales.yml': TREE['tools/sales.yml'] }));
    expect(challenge(call('sales'), holder(), closed)?.needs).toBe('sales:read');
  });

  it('of a tool inside `call` are those of that tool, where tools are searched', () => {
    const inner = call('call', { arguments: { name: 'sales', arguments: { a: 1 } } });
    expect(challenge(inner, holder(), searched)).toEqual({
      needs: 'sales:read',
      recorded: [{ kind: 'tool', name: 'sales', args: { a: 1 } }],
    });
    expect(challenge(inner, holder('sales:read'), searched)).toBeNull();
    expect(challenge(inner, holder(), catalog)).toBeNull();
    expect(calledIn(searched, 'prompts/get', { name: 'call' })).toEqual({ name: 'call' });
    expect(calledIn(searched, 'tools/call', { name: 'sales' })).toEqual({ name: 'sales' });
  });
});

describe('the pages of a list', () => {
  const pagesOf = (of: Catalog, size?: number) =>
    createVisiblePages(of, Object.values(of.tools), { toWire: ({ name }) => ({ name }), size });
  const names = ({ items }: { items: readonly object[] }) => items.map((item) => Object.values(item)[0]);

  it('have the entries whose scopes the caller holds', () => {
    const pages = pagesOf(catalog);
    const of = (caller: Caller) => names(pages(undefined, caller)).toSorted();
    expect(of(CALLER)).toEqual(['both', 'open', 'sales']);
    expect(of(holder())).toEqual(['open']);
    expect(of(holder('sales:read'))).toEqual(['open', 'sales']);
    expect(of(holder('hr:read', 'sales:read', 'other'))).toEqual(['both', 'open', 'sales']);
    expect(of(holder('sales:read', 'hr:read'))).toEqual(['both', 'open', 'sales']);
    expect(of(holder('hr:read'))).toEqual(['open']);
  });

  it('are made once for callers who hold the same', () => {
    const pages = pagesOf(catalog);
    const page = pages(undefined, holder('hr:read', 'sales:read'));
    expect(pages(undefined, holder('sales:read', 'unknown', 'hr:read'))).toBe(page);
    expect(pages(undefined, holder('sales:read'))).not.toBe(page);
  });

  it('continue at the cursor', () => {
    const pages = pagesOf(catalog, 1);
    const first = pages(undefined, holder('sales:read'));
    const second = pages(first.nextCursor, holder('sales:read'));
    expect([...names(first), ...names(second)].toSorted()).toEqual(['open', 'sales']);
    expect(second.nextCursor).toBeUndefined();
  });

  it('are the same for everybody where no entry has scopes', () => {
    const pages = pagesOf(open);
    expect(pages(undefined, holder())).toBe(pages(undefined, CALLER));
  });

  it('stay right for more sets of scopes than are kept', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 70 }, (_, index) => [
        `tools/t${index}.yml`,
        tool(`t${index}`, `  scopes: ["s:${index}"]\n`),
      ]),
    );
    const pages = pagesOf(await compileCatalog(await loadTree(many)));
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 70; index += 1) {
        expect(names(pages(undefined, holder(`s:${index}`)))).toEqual([`t${index}`]);
      }
    }
    expect(pages(undefined, holder('s:3'))).toBe(pages(undefined, holder('s:3')));
    expect(pages(undefined, holder('s:69'))).not.toBe(pages(undefined, holder('s:69')));
  });
});
