import type { App } from '../../../src/app.ts';
import type { PromptEntry, ResourceEntry } from '../../../src/catalog/model.ts';
import { createRandom, type Random } from '../types/random.ts';
import { createFakeRuntime, ENVELOPE, type FakeRuntime, legacy, modern, TOOLS, tool } from './fixture.ts';

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
const METHODS = ['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'PATCH'];
const PATHS = [
  '/',
  '/mcp/',
  '/mcp?x=%',
  '/health',
  '/ready',
  '/sse',
  '/messages/?session_id=x',
  '/%ff',
  '//',
  '/__proto__',
];
const HEADERS = [
  'host',
  'origin',
  'authorization',
  'content-length',
  'last-event-id',
  'access-control-request-headers',
  'accept-encoding',
  'mcp-param-region',
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
  'localhost',
  'evil.example',
  'null',
  'http://localhost:5173',
  'Bearer x',
  '-1',
  '99999999999',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ',,;q=,',
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

function mutate(value: unknown, random: Random, share = 0.15): unknown {
  if (random.chance(share)) return random.pick(ODD);
  if (Array.isArray(value)) {
    const items = value.map((item) => (random.chance(0.4) ? mutate(item, random, share) : item));
    return random.chance(0.2) ? [...items, random.pick(ODD)] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(() => !random.chance(0.06))
    .map(([key, child]) => [key, random.chance(0.5) ? mutate(child, random, share) : child] as const);
  const extra = random.chance(0.2) ? [[random.pick(KEYS), random.pick(ODD)] as const] : [];
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

/** One request that is not as it should be. */
export interface Noise {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
}

const BASE_HEADERS = {
  host: 'localhost:8000',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** A request that was well formed before it was damaged, mostly in its body, sometimes in all the rest. */
export function toNoise(random: Random): Noise {
  const seed = random.pick(SEEDS);
  const text = JSON.stringify(mutate(seed.body, random)) ?? '';
  const body = random.chance(0.15) ? damage(text, random) : text;
  const kept = Object.entries(seed.headers).filter(() => !random.chance(0.1));
  const extra = random.chance(0.3) ? [[random.pick(HEADERS), random.pick(VALUES)] as const] : [];
  const headers = { ...BASE_HEADERS, ...Object.fromEntries([...kept, ...extra]) };
  const elsewhere = random.chance(0.05);
  const method = elsewhere ? random.pick(METHODS) : 'POST';
  const path = elsewhere ? random.pick(PATHS) : '/mcp';
  return { method, path, headers, body: ['GET', 'HEAD'].includes(method) ? null : body };
}

/** Damages a well-formed request a little: some of its members, some of its headers, or its text. */
export function mutateCall(noise: Noise, random: Random): Noise {
  if (noise.body === null || random.chance(0.3)) return noise;
  const kind = random.below(3);
  if (kind === 0) return { ...noise, headers: mutateHeaders(noise.headers, random) };
  if (kind === 1 && random.chance(0.3)) return { ...noise, body: damage(noise.body, random) };
  return { ...noise, body: JSON.stringify(mutate(JSON.parse(noise.body), random, 0.1)) ?? '' };
}

function mutateHeaders(headers: Noise['headers'], random: Random): Noise['headers'] {
  const kept = Object.entries(headers).filter(([name]) => name === 'host' || !random.chance(0.1));
  return Object.fromEntries([...kept, [random.pick(HEADERS), random.pick(VALUES)] as const]);
}

/** The noise as a Request. */
export function toRequest({ method, path, headers, body }: Noise): Request {
  return new Request(`http://localhost:8000${path}`, { method, headers, body });
}

const QUICK = TOOLS.filter(({ name }) => !['wait', 'crash', 'broken'].includes(name));

/** The runtime of quick tools, a resource, and a prompt under a policy. */
export function createNoiseRuntime(): FakeRuntime {
  const runtime = createFakeRuntime(QUICK);
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

/** What may be answered to whatever is sent; nothing else is, and never a fault of the server's own. */
const STATUSES = new Set([200, 202, 204, 400, 403, 404, 405, 406, 413, 415]);

/** Sends noise to an app and complains of the first answer that is none of those it may give; says what it saw. */
export async function sendNoise(app: App, seed: number, rounds: number): Promise<ReadonlySet<number>> {
  const random = createRandom(seed);
  const seen = new Set<number>();
  for (let round = 0; round < rounds; round += 1) {
    const noise = toNoise(random);
    const problem = await problemWith(app, noise, seen);
    if (problem === null) continue;
    throw new Error(`seed ${seed}, round ${round}: ${problem} for ${JSON.stringify(noise).slice(0, 4_000)}`);
  }
  return seen;
}

async function problemWith(app: App, noise: Noise, seen: Set<number>): Promise<string | null> {
  const response = await app.fetch(toRequest(noise));
  const text = await readSome(response);
  seen.add(response.status);
  if (!STATUSES.has(response.status)) return `${response.status} ${text}`;
  if (/-32603|Internal error/.test(text)) return text;
  const spoken = noise.path === '/mcp' && noise.method === 'POST' && response.status !== 202;
  return spoken && !/"jsonrpc":"2\.0"/.test(text) ? `no JSON-RPC: ${text}` : null;
}

/** Of a stream that stays open, only what it begins with. */
async function readSome(response: Response): Promise<string> {
  if (response.headers.get('content-length') !== null || !isStream(response)) return response.text();
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type') === 'text/event-stream';
}
