import { describe, expect, it } from 'vitest';
import type { AppOptions } from '../../../src/app.ts';
import type { Auth } from '../../../src/auth/types.ts';
import type { CallRecord } from '../../../src/call/call-record.ts';
import type { ToolEntry } from '../../../src/catalog/model.ts';
import type { User } from '../../../src/context.ts';
import { SvcError } from '../../../src/errors.ts';
import type { ReceivedMessage } from '../../../src/mcp/transport/streamable-http.ts';
import { createRandom } from '../types/random.ts';
import { createFakeRuntime, createTestApp, ENVELOPE, legacy, modern, TOOLS, tool } from './fixture.ts';
import { mutateCall, type Noise, toRequest } from './noise.ts';

/** The requests of a long run; the ordinary one takes a few seconds. */
const REQUESTS = Number(process.env.SVC_TEST_DIRECT_REQUESTS ?? 6_000);
const SLOWLY = { timeout: 60_000 + REQUESTS * 20 };

const [GREET] = TOOLS.filter(({ name }) => name === 'greet');
if (GREET === undefined) throw new Error('the fixture has no greet');

const DENY = { condition: "name == 'Eve'", action: 'deny', reason: 'Not Eve.' } as const;
const MASK = { condition: 'true', action: 'mask_fields', fields: ['greeting'] } as const;

/** Tools that differ in their answers, and some whose calls are not plain. */
const ALL: readonly ToolEntry[] = [
  ...TOOLS.filter(({ name }) => name !== 'wait'),
  { ...GREET, name: 'guarded', policies: { input: [DENY], output: [] } },
  { ...GREET, name: 'masked', policies: { input: [], output: [MASK] } },
  { ...GREET, name: 'scoped', scopes: ['read'], wire: { ...GREET.wire, name: 'scoped' } },
  { ...GREET, name: 'small', limits: { rows: 100, bytes: 10, timeoutMs: 1_000 } },
  {
    ...tool('short', { sql: 'numbers', returns: { type: 'array' } }),
    limits: { rows: 9, bytes: 12, timeoutMs: 9 },
  },
  { ...GREET, name: 'writes', source: { ...GREET.source, mode: 'write' } as ToolEntry['source'] },
  { ...tool('rows', { sql: 'numbers' }), content: 'rows' },
  { ...GREET, name: 'confirmed', confirm: { question: 'Sure?', otherwise: 'deny' } },
  tool('odd', { sql: 'odd' }),
  tool('odd_text', { sql: 'odd text', returns: { type: 'string' } }),
  tool('number', { sql: 'number', returns: { type: 'number', nullable: true } }),
];

const ADA: User = {
  id: 'ada',
  username: 'ada',
  email: null,
  name: null,
  provider: 'test',
  role: null,
  permissions: [],
  groups: [],
  capabilities: [],
  claims: {},
  externalToken: null,
};

/** Signs everybody in, with the scopes that a header names. */
const AUTH: Auth = {
  hidesCredentials: false,
  authenticate: async ({ headers }) => {
    const scopes = (headers.get('x-scopes') ?? '').split(' ').filter((scope) => scope !== '');
    return { user: ADA, scopes, held: scopes, sessionId: null };
  },
  rejectScopes: () => ({ error: new SvcError('scope_insufficient', 'Not yours.'), challenge: 'Bearer' }),
  respond: () => null,
};
const SIGNED_IN = { auth: AUTH };

/** One side of the comparison: an app, and everything that it reported. */
function createSide(options: Partial<AppOptions> = {}) {
  const records: CallRecord[] = [];
  const messages: ReceivedMessage[] = [];
  const runtime = { ...createFakeRuntime(ALL), observe: (record: CallRecord) => void records.push(record) };
  const app = createTestApp(runtime, { onMessage: (message) => void messages.push(message), ...options });
  const take = <T>(list: T[]): readonly T[] => list.splice(0);
  return {
    async send(noise: Noise) {
      const response = await app.fetch(toRequest(noise), { requestId: 'r-1' });
      const headers = Object.fromEntries(response.headers);
      const text = await response.text();
      const { fake, lines } = runtime;
      const reported = {
        records: take(records).map(({ context, ...record }) => ({
          ...record,
          context: dataOf(context),
        })),
        statements: take(fake.calls).map(({ request, call }) => ({ request, ...call, signal: null })),
        lines: take(lines),
      };
      return {
        answer: { status: response.status, headers, text },
        reported,
        direct: take(messages).some((m) => m.direct),
      };
    },
  };
}

/** The facts of a context, without its functions and its signal. */
function dataOf({ signal: _, ...context }: CallRecord['context']): object {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => typeof value !== 'function'));
}

function toNoise({ body, headers }: { body: unknown; headers: Readonly<Record<string, string>> }): Noise {
  const base = {
    host: 'localhost',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return { method: 'POST', path: '/mcp', headers: { ...base, ...headers }, body: JSON.stringify(body) };
}

const both = () => ({ direct: createSide(), sdk: createSide({ onlySdk: true }) });

/** Sends one request both ways. Fails if anything differs; tells whether the direct path answered. */
async function compare({ direct, sdk }: ReturnType<typeof both>, noise: Noise): Promise<boolean> {
  const ours = await direct.send(noise);
  const theirs = await sdk.send(noise);
  expect(theirs.direct).toBe(false);
  expect({ noise, status: ours.answer.status }).toEqual({ noise, status: theirs.answer.status });
  if (!ours.direct) return false;
  expect({ noise, ...ours.answer, ...ours.reported }).toEqual({
    noise,
    ...theirs.answer,
    ...theirs.reported,
  });
  return true;
}

const ARGUMENTS = [
  {},
  { name: 'Ada' },
  { name: 'Eve' },
  { name: 'é\u2028"\\\ud800\n' },
  { name: 7 },
  { x: 1 },
];
const NOT_PLAIN = ['rows', 'confirmed'];
const CALLS = ALL.filter(({ name }) => !NOT_PLAIN.includes(name)).flatMap(({ name }) =>
  ARGUMENTS.map((args) => ({ name, arguments: args })),
);

const PLAIN: readonly (readonly [string, Noise])[] = [
  ...CALLS.map(
    (params) => [`modern ${JSON.stringify(params)}`, toNoise(modern('tools/call', params))] as const,
  ),
  ...CALLS.map(
    (params) => [`legacy ${JSON.stringify(params)}`, toNoise(legacy('tools/call', params))] as const,
  ),
  ['no arguments', toNoise(modern('tools/call', { name: 'numbers' }))],
  ['a text as its id', toNoise(modern('tools/call', { name: 'numbers' }, 'é"\u2028'))],
  ['no version', toNoise(legacy('tools/call', { name: 'numbers' }, null))],
  ['an old version', toNoise(legacy('tools/call', { name: 'numbers' }, '2024-11-05'))],
  ['a trace', toNoise(legacy('tools/call', { name: 'numbers', _meta: { traceparent: 'x' } }))],
  [
    'a slash at the end of the path',
    { ...toNoise(modern('tools/call', { name: 'numbers' })), path: '/mcp/' },
  ],
];

describe('plain calls', () => {
  it.each(PLAIN)('are answered without the SDK, in the same bytes: %s', async (_, noise) => {
    expect(await compare(both(), noise)).toBe(true);
  });

  it('are plain again with the same envelope, and with another', async () => {
    const sides = both();
    const call = modern('tools/call', { name: 'numbers' });
    for (const version of ['1', '1', '2']) {
      const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientInfo': { name: 'test', version } };
      const body = { ...call.body, params: { name: 'numbers', _meta } };
      expect(await compare(sides, toNoise({ ...call, body }))).toBe(true);
    }
  });
});

describe('lists', () => {
  const LISTS = [
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'server/discover',
  ];
  const unlike = (first: Noise) => ({ ...first, body: (first.body ?? '').replace('"id":7', '"id":"8"') });

  it.each(LISTS.flatMap((method) => [modern(method), legacy(method)].map((call) => [method, call] as const)))(
    'are written once, with the bytes of the SDK: %s',
    async (method, call) => {
      const sides = { direct: createSide({ pageSize: 3 }), sdk: createSide({ pageSize: 3, onlySdk: true }) };
      expect(await compare(sides, toNoise(call))).toBe(false);
      const served =
        method === 'tools/list' || (method === 'server/discover' && 'mcp-method' in call.headers);
      expect(await compare(sides, toNoise(call))).toBe(served);
      expect(await compare(sides, unlike(toNoise(call)))).toBe(served);
    },
  );

  it('have pages of their own', async () => {
    const sides = { direct: createSide({ pageSize: 3 }), sdk: createSide({ pageSize: 3, onlySdk: true }) };
    for (const cursor of ['01234567.3', '01234567.6', 'x', '01234567.3', '01234567.6']) {
      await compare(sides, toNoise(modern('tools/list', { cursor })));
    }
    expect(await compare(sides, toNoise(modern('tools/list', { cursor: '01234567.3' })))).toBe(true);
    expect(await compare(sides, toNoise(modern('tools/list', { cursor: 'x' })))).toBe(false);
    expect(await compare(sides, toNoise(modern('tools/list')))).toBe(false);
  });

  it('differ by the scopes of the caller', async () => {
    const asked = (scopes: readonly string[]) => ({
      ...modern('tools/list'),
      headers: { ...modern('tools/list').headers, 'x-scopes': scopes.join(' ') },
    });
    const sides = { direct: createSide(SIGNED_IN), sdk: createSide({ ...SIGNED_IN, onlySdk: true }) };
    for (const scopes of [['read'], [], ['read'], [], ['write', 'read'], ['read', 'write']]) {
      await compare(sides, toNoise(asked(scopes)));
    }
    expect(await compare(sides, toNoise(asked(['read', 'write'])))).toBe(true);
    const [held, none] = [
      await sides.direct.send(toNoise(asked(['read']))),
      await sides.direct.send(toNoise(asked([]))),
    ];
    expect(held.answer.text).toContain('"scoped"');
    expect(none.answer.text).not.toContain('"scoped"');
    expect(held.direct && none.direct).toBe(true);
  });
});

it('an envelope that is not sound is refused after a sound one', async () => {
  const sides = both();
  const call = modern('tools/call', { name: 'numbers' });
  const { 'io.modelcontextprotocol/clientInfo': _, ...sound } = ENVELOPE;
  const toCall = (_meta: object) =>
    toNoise({ ...call, body: { ...call.body, params: { name: 'numbers', _meta } } });
  expect(await compare(sides, toCall(sound))).toBe(true);
  expect(await compare(sides, toCall({ ...sound, 'io.modelcontextprotocol/clientInfo': null }))).toBe(false);
});

const withMeta = (more: object) => {
  const call = modern('tools/call', { name: 'numbers' });
  return { ...call, body: { ...call.body, params: { name: 'numbers', _meta: { ...ENVELOPE, ...more } } } };
};
const withHeaders = (headers: Record<string, string>) => {
  const call = modern('tools/call', { name: 'numbers' });
  return { ...call, headers: { ...call.headers, ...headers } };
};
const session = legacy('tools/call', { name: 'numbers' });

const OTHERS: readonly (readonly [string, { body: unknown; headers: Record<string, string> }])[] = [
  ['asks a person', modern('tools/call', { name: 'confirmed', arguments: { name: 'Ada' } })],
  ['returns content', modern('tools/call', { name: 'rows' })],
  ['has an unknown name', modern('tools/call', { name: 'nothing' })],
  ['has the name of a method of objects', modern('tools/call', { name: 'constructor' })],
  ['has no name', modern('tools/call', {})],
  ['has a list as its arguments', modern('tools/call', { name: 'numbers', arguments: [] })],
  ['has null as its arguments', modern('tools/call', { name: 'numbers', arguments: null })],
  ['carries answers', modern('tools/call', { name: 'numbers', requestState: 'x' })],
  ['asks for a task', legacy('tools/call', { name: 'numbers', task: {} })],
  ['wants progress', legacy('tools/call', { name: 'numbers', _meta: { progressToken: 1 } })],
  ['wants log lines', withMeta({ 'io.modelcontextprotocol/logLevel': 'debug' })],
  ['has an envelope that is not sound', withMeta({ 'io.modelcontextprotocol/clientCapabilities': 1 })],
  ['has null in its envelope', withMeta({ 'io.modelcontextprotocol/clientInfo': null })],
  ['has a key that the protocol reserves', withMeta({ 'io.modelcontextprotocol/related-task': {} })],
  ['has another version in its header', withHeaders({ 'mcp-protocol-version': '2025-11-25' })],
  ['has another name in its header', withHeaders({ 'mcp-name': 'greet' })],
  ['has another method in its header', withHeaders({ 'mcp-method': 'tools/list' })],
  ['takes its answer as a stream', withHeaders({ accept: 'text/event-stream' })],
  ['has an unknown version', legacy('tools/call', { name: 'numbers' }, '2020-01-01')],
  ['belongs to a session', { ...session, headers: { ...session.headers, 'mcp-session-id': 'x' } }],
  [
    'is a notification',
    { ...session, body: { jsonrpc: '2.0', method: 'tools/call', params: { name: 'numbers' } } },
  ],
  ['has a fraction as its id', modern('tools/call', { name: 'numbers' }, 1.5)],
  ['is one of a batch', { ...legacy('', {}, null), body: [session.body] }],
  ['is another method', modern('completion/complete')],
  ['asks for a page by null', modern('tools/list', { cursor: null })],
];

describe('scopes', () => {
  it.each(['read', 'read write', 'write', ''])('are enforced alike: "%s"', async (scopes) => {
    const sides = { direct: createSide(SIGNED_IN), sdk: createSide({ ...SIGNED_IN, onlySdk: true }) };
    const call = modern('tools/call', { name: 'scoped', arguments: { name: 'Ada' } });
    const headers = { ...call.headers, 'x-scopes': scopes };
    expect(await compare(sides, toNoise({ ...call, headers }))).toBe(scopes.includes('read'));
  });
});

describe('any other call goes to the SDK', () => {
  it.each(OTHERS)('one that %s', async (_, call) => {
    expect(await compare(both(), toNoise(call))).toBe(false);
  });
});

it(`${REQUESTS} mutated calls are answered alike both ways`, SLOWLY, async () => {
  const sides = both();
  const random = createRandom(20);
  let direct = 0;
  for (let round = 0; round < REQUESTS; round += 1) {
    if (await compare(sides, mutateCall(random.pick(PLAIN)[1], random))) direct += 1;
  }
  // Enough of them stay plain, and enough do not.
  expect(direct / REQUESTS).toBeGreaterThan(0.2);
  expect(direct / REQUESTS).toBeLessThan(0.8);
});
