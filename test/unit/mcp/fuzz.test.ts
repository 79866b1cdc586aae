import { describe, expect, it } from 'vitest';
import type { PromptEntry, ResourceEntry } from '../../../src/catalog/model.ts';
import {
  createFakeRuntime,
  createTestApp,
  ENVELOPE,
  type FakeRuntime,
  legacy,
  modern,
  post,
  TOOLS,
  tool,
} from './fixture.ts';

/** Numbers that are the same in every run (mulberry32). */
function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { next, below, pick };
}

type Random = ReturnType<typeof createRandom>;

const SEEDS = [
  modern('tools/call', { name: 'greet', arguments: { name: 'Ada' } }),
  modern('tools/call', { name: 'numbers', arguments: {} }),
  modern('tools/list', { cursor: 'x' }),
  modern('resources/read', { uri: 'demo://items/1' }),
  modern('resources/list', {}),
  modern('prompts/get', { name: 'ask', arguments: { about: 'x', often: '2' } }),
  modern('completion/complete', {
    ref: { type: 'ref/prompt', name: 'ask' },
    argument: { name: 'about', value: 'x' },
  }),
  modern('server/discover'),
  modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
  legacy('tools/call', { name: 'greet', arguments: { name: 'Ada' }, _meta: { progressToken: 1 } }),
  legacy('tools/list'),
  legacy('resources/read', { uri: 'demo://items/1' }),
  legacy('resources/templates/list'),
  legacy('prompts/get', { name: 'ask', arguments: { about: 'x' } }),
  legacy('completion/complete', {
    ref: { type: 'ref/resource', uri: 'demo://items/{id}' },
    argument: { name: 'id', value: '' },
  }),
  legacy('ping', {}, null),
  legacy('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {} },
    clientInfo: { name: 'fuzz', version: '1' },
  }),
  { ...legacy('', {}, null), body: [legacy('ping').body, legacy('tools/list').body] },
  {
    ...legacy('', {}, null),
    body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  },
];

const ODD = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  'x',
  '\u0000',
  '\ud800',
  '2026-07-28',
  'tools/call',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [null],
  { a: { b: [1] } },
  ENVELOPE,
  'a'.repeat(5_000),
];
const KEYS = [
  'id',
  'method',
  'params',
  'jsonrpc',
  'name',
  'arguments',
  '_meta',
  'cursor',
  'result',
  'error',
  '__proto__',
  'progressToken',
  'requestState',
  'inputResponses',
  'io.modelcontextprotocol/logLevel',
  'traceparent',
  'task',
];
const HEADERS = [
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'accept',
  'content-type',
  'mcp-session-id',
  'traceparent',
];
const VALUES = [
  '',
  'x',
  '2026-07-28',
  '2025-11-25',
  '2025-03-26',
  '9999-99-99',
  'tools/call',
  'greet',
  '=?base64?Z3JlZXQ=?=',
  '=?base64??=',
  'application/json',
  'text/event-stream',
  '*/*',
  'text/plain',
  '\u00ff',
  'a'.repeat(2_000),
];

function mutate(value: unknown, random: Random): unknown {
  if (random.next() < 0.15) return random.pick(ODD);
  if (Array.isArray(value)) {
    const items = value.map((item) => (random.next() < 0.4 ? mutate(item, random) : item));
    return random.next() < 0.2 ? [...items, random.pick(ODD)] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(() => random.next() > 0.06)
    .map(([key, child]) => [key, random.next() < 0.5 ? mutate(child, random) : child] as const);
  const extra = random.next() < 0.2 ? [[random.pick(KEYS), random.pick(ODD)] as const] : [];
  return Object.fromEntries([...entries, ...extra]);
}

/** Damage that JSON itself does not survive, or only just. */
function damage(text: string, random: Random): string {
  const at = random.below(text.length);
  const kind = random.below(4);
  if (kind === 0) return text.slice(0, at);
  if (kind === 1)
    return text.slice(0, at) + random.pick(['"', '{', '[', ',', '\\', '\u0000', '1e999']) + text.slice(at);
  if (kind === 2) return text.replaceAll('"', random.pick(['', "'"]));
  return `${'['.repeat(random.below(200))}${text}${']'.repeat(random.below(200))}`;
}

function toRequest(random: Random): Request {
  const seed = random.pick(SEEDS);
  const text = JSON.stringify(mutate(seed.body, random)) ?? '';
  const body = random.next() < 0.15 ? damage(text, random) : text;
  const headers = Object.entries(seed.headers).filter(() => random.next() > 0.1);
  if (random.next() < 0.3) headers.push([random.pick(HEADERS), random.pick(VALUES)]);
  return post(body, Object.fromEntries(headers));
}

const STATUSES = [200, 202, 400, 404, 406, 415];
const quick = TOOLS.filter(({ name }) => !['wait', 'crash', 'broken'].includes(name));

/** The same with a resource and a prompt under a policy. */
function withMore(runtime: FakeRuntime): FakeRuntime {
  const { source, limits } = tool('any', { sql: 'numbers', parameters: [{ name: 'id', type: 'integer' }] });
  const open = { policies: { input: [], output: [] }, limits };
  const resource: ResourceEntry = {
    kind: 'resource',
    name: 'item',
    uri: 'demo://items/{id}',
    template: { literals: ['demo://items/', ''], variables: ['id'] },
    mimeType: 'application/json',
    parameters: [{ name: 'id', type: 'integer' }],
    returns: null,
    source,
    ...open,
    wire: { uriTemplate: 'demo://items/{id}', name: 'item' },
  };
  const prompt: PromptEntry = {
    kind: 'prompt',
    name: 'ask',
    parameters: [
      { name: 'about', type: 'string', enum: ['x', 'y'] },
      { name: 'often', type: 'integer', default: 1 },
    ],
    messages: [{ role: 'user', type: 'text', prompt: '{% for i in range(often) %}{{ about }}{% endfor %}' }],
    ...open,
    policies: { input: [{ condition: 'often > 3', action: 'deny' }], output: [] },
    wire: { name: 'ask' },
  };
  const catalog = { ...runtime.catalog, resources: { [resource.uri]: resource }, prompts: { ask: prompt } };
  return { ...runtime, catalog };
}

describe('mutated messages', () => {
  it.each([1, 2, 3])('are all answered, none with a server error (seed %i)', async (seed) => {
    const random = createRandom(seed);
    const runtime = withMore(createFakeRuntime(quick));
    const app = createTestApp(runtime);
    const seen = new Set<number>();
    for (let round = 0; round < 2_000; round += 1) {
      const request = toRequest(random);
      const sent = await request.clone().text();
      const response = await app.fetch(request);
      const text = await response.text();
      seen.add(response.status);
      expect(STATUSES, `${response.status} ${text} for ${sent}`).toContain(response.status);
      expect(text, `for ${sent}`).not.toMatch(/-32603|Internal error/);
      if (response.status !== 202) expect(text, `for ${sent}`).toMatch(/"jsonrpc":"2\.0"/);
    }
    expect([...seen].toSorted()).toEqual(STATUSES);
    expect(runtime.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
