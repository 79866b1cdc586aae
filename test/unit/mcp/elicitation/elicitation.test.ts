import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../../../src/context.ts';
import { type Served, serveTree } from '../../call/project.ts';
import { createTestApp, ENVELOPE, legacy, modern, post } from '../fixture.ts';

type Body = { [key: string]: unknown };

const WIPE = `tool:
  name: wipe
  confirm: Really wipe {{ what }}?
  parameters: [{ name: what, type: string }]
  source: { code: SELECT 'wiped ' || $what AS done }
`;
const LENIENT = `tool:
  name: lenient
  confirm: { question: Go on?, otherwise: allow }
  return: { type: string }
  source: { code: SELECT 'done' AS done }
`;
const ORDER = `tool:
  name: order
  parameters: [{ name: item, type: string }]
  ask:
    - name: amount
      message: How many of {{ item }}?
      fields: [{ name: pieces, type: integer, minimum: 1 }]
    - name: gift
      when: pieces > 1
      message: A card for {{ pieces }} pieces?
      fields: [{ name: card, type: string, enum: [none, birthday], titles: [No, For a birthday], default: none }]
      otherwise: skip
  policies:
    input: [{ condition: item == 'gold', action: deny, reason: No gold. }]
  return: { type: string }
  source: { code: "SELECT concat_ws('/', $item, $pieces, $card) AS ordered" }
`;
const LOT = `tool:
  name: lot
  ask:
    - name: amount
      message: How many?
      fields: [{ name: pieces, type: integer, default: null }]
      otherwise: skip
    - name: reason
      when: pieces > 10
      message: Why so many?
      fields: [{ name: why, type: string }]
  return: { type: string }
  source: { code: "SELECT concat_ws('/', $pieces, $why) AS text" }
`;
const ROUND = `tool:
  name: round
  ask:
    - - { name: idea, kind: sampling, message: An idea?, max_tokens: 7 }
      - { name: places, kind: roots, otherwise: skip }
  return: { type: string }
  source: { code: "SELECT concat_ws('/', $idea, array_to_string($places, '+')) AS text" }
`;
const GUIDE = `prompt:
  name: guide
  ask:
    - { name: who, message: Who are you?, fields: [{ name: name, type: string }] }
  messages: [{ prompt: "Help {{ name }}." }]
`;
const SECRET = `resource:
  uri: secret://plan
  confirm: Show the plan?
  return: { type: string }
  source: { code: SELECT 'the plan' AS text }
`;

const COUNTED = `tool:
  name: counted
  ask:
    - { name: amount, message: How many?, fields: [{ name: pieces, type: integer }] }
  confirm: Order {{ pieces }}?
  return: { type: string }
  source: { code: "SELECT 'ordered ' || $pieces AS text" }
`;

let served: Served;
let user: User | null = null;
let app: ReturnType<typeof createTestApp>;
beforeAll(async () => {
  const tree = {
    'tools/wipe.yml': WIPE,
    'tools/lenient.yml': LENIENT,
    'tools/order.yml': ORDER,
    'tools/lot.yml': LOT,
    'tools/round.yml': ROUND,
    'tools/counted.yml': COUNTED,
    'prompts/guide.yml': GUIDE,
    'resources/secret.yml': SECRET,
  };
  served = await serveTree(tree, 'SELECT 1');
  app = createTestApp(served.runtime, { authenticate: async () => ({ user }) });
});
afterAll(() => served.close());

const ALL = { elicitation: {}, sampling: {}, roots: {} };
const accept = (content: Body) => ({ action: 'accept', content });

/** A request of the modern era from a client that answers some kinds of questions. */
async function send(method: string, params: Body, capabilities: Body = ALL) {
  const { body, headers } = modern(method, params);
  const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const response = await app.fetch(post({ ...body, params: { ...params, _meta } }, headers));
  const json = (await response.json()) as { result?: Body; error?: Body };
  return { status: response.status, ...json };
}
const call = (name: string, args: Body, more: Body = {}, capabilities?: Body) =>
  send('tools/call', { name, arguments: args, ...more }, capabilities);
const stateOf = ({ result }: { result?: Body }) => ({ requestState: result?.requestState });
const textOf = ({ result }: { result?: Body }) => (result?.content as { text: string }[])?.[0]?.text;

describe('a question whose condition cannot be evaluated', () => {
  it('is asked', async () => {
    const asked = await call('lot', {});
    const skipped = { inputResponses: { amount: accept({}) }, ...stateOf(asked) };
    const { result } = await call('lot', {}, skipped);
    expect(result).toMatchObject({ inputRequests: { reason: { params: { message: 'Why so many?' } } } });
  });

  it('keeps the call from running if the client cannot ask', async () => {
    const { error, result } = await call('lot', {}, {}, { sampling: {} });
    expect(JSON.stringify({ error, result })).toContain('Nothing was done.');
  });
});

describe('a tool that a person must agree to', () => {
  // Requirements: modern.mrtr.ask, modern.resultType
  it('asks, and runs when the person agrees', async () => {
    const asked = await call('wipe', { what: 'it' });
    expect(asked.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        confirm: {
          method: 'elicitation/create',
          params: {
            message: 'Really wipe it?',
            requestedSchema: { properties: { ok: { type: 'boolean' } } },
          },
        },
      },
    });
    const agreed = { inputResponses: { confirm: accept({ ok: true }) }, ...stateOf(asked) };
    expect(textOf(await call('wipe', { what: 'it' }, agreed))).toBe('[{"done":"wiped it"}]');
  });

  it.each([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['says no', accept({ ok: false })],
    ['says nothing', accept({})],
  ])('does not run when the person %s', async (_, confirm) => {
    const asked = await call('wipe', { what: 'it' });
    const answered = await call('wipe', { what: 'it' }, { inputResponses: { confirm }, ...stateOf(asked) });
    expect(answered.result).toMatchObject({ isError: true });
    expect(textOf(answered)).toContain('Nothing was done.');
  });

  it('asks again when the agreement comes unasked', async () => {
    const answered = await call(
      'wipe',
      { what: 'it' },
      { inputResponses: { confirm: accept({ ok: true }) } },
    );
    expect(answered.result).toMatchObject({ resultType: 'input_required' });
  });

  // Requirements: modern.mrtr.state
  it('takes no state of another call, user or server, and none that was changed', async () => {
    const state = String((await call('wipe', { what: 'it' })).result?.requestState);
    const attempt = (what: string, requestState: unknown) =>
      call('wipe', { what }, { inputResponses: { confirm: accept({ ok: true }) }, requestState });
    const middle = state.at(20) === 'A' ? 'B' : 'A';
    for (const [what, requestState] of [
      ['all', state],
      ['it', `${state}x`],
      ['it', `${state.slice(0, 20)}${middle}${state.slice(21)}`],
      ['it', 'nonsense'],
      ['it', ''],
    ]) {
      expect((await attempt(String(what), requestState)).error).toMatchObject({ code: -32602 });
    }
    user = { id: 'mallory' } as User;
    expect((await attempt('it', state)).error).toMatchObject({ code: -32602 });
    user = null;
    expect(textOf(await attempt('it', state))).toBe('[{"done":"wiped it"}]');
  });

  // Requirements: modern.capability
  it('is refused to a client that shows no questions', async () => {
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      const { status, error } = await call('wipe', { what: 'it' }, {}, capabilities);
      expect({ status, error }).toMatchObject({
        status: 400,
        error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
      });
    }
    const { body, headers } = legacy('tools/call', { name: 'wipe', arguments: { what: 'it' } });
    const { result } = (await (await app.fetch(post(body, headers))).json()) as { result: Body };
    expect(result).toMatchObject({ isError: true });
    expect(textOf({ result })).toMatch(/cannot answer.*Nothing was done/);
  });

  it('runs without being asked about where the author allows it', async () => {
    expect(textOf(await call('lenient', {}, {}, {}))).toBe('done');
    expect((await call('lenient', {})).result).toMatchObject({ resultType: 'input_required' });
  });
});

describe('a confirmation', () => {
  const confirm = accept({ ok: true });
  const countedState = async (pieces: number) => {
    const first = await call('counted', {});
    const second = await call(
      'counted',
      {},
      { inputResponses: { amount: accept({ pieces }) }, ...stateOf(first) },
    );
    expect(second.result?.inputRequests).toMatchObject({
      confirm: { params: { message: `Order ${pieces}?` } },
    });
    return stateOf(second);
  };

  it('is for the answers that its question named', async () => {
    const inputResponses = { confirm, amount: accept({ pieces: 5 }) };
    const answered = await call('counted', {}, { inputResponses, ...(await countedState(3)) });
    expect(textOf(answered)).toBe('ordered 3');
  });

  it('is for one call', async () => {
    const agreed = { inputResponses: { confirm }, ...(await countedState(3)) };
    expect(textOf(await call('counted', {}, agreed))).toBe('ordered 3');
    const again = await call('counted', {}, agreed);
    expect(again.result).toMatchObject({ isError: true });
    expect(textOf(again)).toMatch(/used before.*Nothing was done/);
    const both = { inputResponses: { confirm }, ...(await countedState(4)) };
    const texts = (await Promise.all([call('counted', {}, both), call('counted', {}, both)])).map(textOf);
    expect(texts.filter((text) => text === 'ordered 4')).toHaveLength(1);
  });

  it('is for one call of all instances that share a store', async () => {
    const claimed = new Set<string>();
    const auth = {
      hidesCredentials: false,
      authenticate: async () => ({ user: null }) as never,
      rejectScopes: () => expect.unreachable(),
      respond: () => null,
      claimOnce: async (key: string) => !claimed.has(key) && claimed.add(key).size > 0,
    };
    const agreed = { inputResponses: { confirm }, ...(await countedState(2)) };
    const shared = createTestApp(served.runtime, { auth });
    const { body, headers } = modern('tools/call', { name: 'counted', arguments: {} });
    const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': ALL };
    const params = { name: 'counted', arguments: {}, _meta, ...agreed };
    await shared.fetch(post({ ...body, params }, headers));
    expect([...claimed]).toEqual([expect.stringMatching(/^confirmed:[0-9a-f-]{36}$/)]);
  });

  it('is asked for again where its question has changed', async () => {
    const asked = await call('wipe', { what: 'it' });
    const { confirm: before } = served.runtime.catalog.tools.wipe ?? {};
    const changed = { ...before, question: 'Really wipe all of {{ what }}?' };
    const tools = {
      ...served.runtime.catalog.tools,
      wipe: { ...served.runtime.catalog.tools.wipe, confirm: changed },
    };
    const runtime = {
      ...served.runtime,
      catalog: { ...served.runtime.catalog, tools },
    } as typeof served.runtime;
    const other = createTestApp(runtime, { authenticate: async () => ({ user }) });
    const { body, headers } = modern('tools/call', { name: 'wipe', arguments: { what: 'it' } });
    const _meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': ALL };
    const params = {
      name: 'wipe',
      arguments: { what: 'it' },
      _meta,
      inputResponses: { confirm },
      ...stateOf(asked),
    };
    const { result } = (await (await other.fetch(post({ ...body, params }, headers))).json()) as {
      result: Body;
    };
    expect(result.inputRequests).toMatchObject({
      confirm: { params: { message: 'Really wipe all of it?' } },
    });
  });
});

describe('a tool that asks', () => {
  // Requirements: modern.mrtr.ask
  it('asks in rounds, each with what was answered before', async () => {
    const first = await call('order', { item: 'tea' });
    expect(first.result).toMatchObject({
      inputRequests: { amount: { params: { message: 'How many of tea?' } } },
    });
    const amount = { inputResponses: { amount: accept({ pieces: 2 }) }, ...stateOf(first) };
    const second = await call('order', { item: 'tea' }, amount);
    expect(second.result?.inputRequests).toEqual({
      gift: {
        method: 'elicitation/create',
        params: {
          message: 'A card for 2 pieces?',
          requestedSchema: {
            type: 'object',
            properties: {
              card: {
                type: 'string',
                oneOf: [
                  { const: 'none', title: 'No' },
                  { const: 'birthday', title: 'For a birthday' },
                ],
                default: 'none',
              },
            },
            required: [],
          },
        },
      },
    });
    const gift = { inputResponses: { gift: accept({ card: 'birthday' }) }, ...stateOf(second) };
    expect(textOf(await call('order', { item: 'tea' }, gift))).toBe('tea/2/birthday');
  });

  it('leaves out what does not apply', async () => {
    const answered = await call(
      'order',
      { item: 'tea' },
      { inputResponses: { amount: accept({ pieces: 1 }) } },
    );
    expect(textOf(answered)).toBe('tea/1/none');
  });

  // Requirements: modern.mrtr.missing
  it('checks answers like arguments, and ignores what it did not ask', async () => {
    const wrong = await call('order', { item: 'tea' }, { inputResponses: { amount: accept({ pieces: 0 }) } });
    expect(wrong.result).toMatchObject({ isError: true });
    expect(textOf(wrong)).toContain('pieces');
    const more = { amount: accept({ pieces: 1, item: 'gold' }), other: accept({ x: 1 }) };
    expect(textOf(await call('order', { item: 'tea' }, { inputResponses: more }))).toBe('tea/1/none');
  });

  it('asks nobody whom a policy denies', async () => {
    const denied = await call('order', { item: 'gold' });
    expect(textOf(denied)).toContain('No gold.');
  });

  // Requirements: modern.mrtr.missing
  it('asks for what is missing, or is no answer', async () => {
    for (const inputResponses of [{}, { idea: 1 }, { idea: accept({}) }, { places: { roots: 1 } }]) {
      const { result } = await call('round', {}, { inputResponses });
      expect(Object.keys(result?.inputRequests as Body)).toEqual(['idea', 'places']);
    }
  });

  // Requirements: modern.mrtr.declared
  it('asks the model and for folders together, and only what the client can answer', async () => {
    const asked = await call('round', {});
    expect(asked.result?.inputRequests).toEqual({
      idea: {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'An idea?' } }], maxTokens: 7 },
      },
      places: { method: 'roots/list', params: {} },
    });
    const idea = { role: 'assistant', model: 'm', content: { type: 'text', text: 'tea' } };
    const places = { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] };
    const inputResponses = { idea, places };
    const answered = await call('round', {}, { inputResponses, ...stateOf(asked) });
    expect(textOf(answered)).toBe('tea/file:///a+file:///b');
    const some = await call('round', {}, {}, { sampling: {} });
    expect(Object.keys(some.result?.inputRequests as Body)).toEqual(['idea']);
    expect((await call('round', {}, {}, { roots: {} })).error).toMatchObject({ code: -32021 });
  });

  it('is no call in the records until it has its answers', async () => {
    const before = served.records.length;
    const asked = await call('order', { item: 'tea' });
    expect(served.records).toHaveLength(before);
    const inputResponses = { amount: accept({ pieces: 1 }) };
    await call('order', { item: 'tea' }, { inputResponses, ...stateOf(asked) });
    expect(served.records.slice(before)).toMatchObject([{ name: 'order', status: 'success' }]);
  });
});

// Requirements: modern.mrtr.where
it('prompts and resources ask in the same way', async () => {
  const prompt = await send('prompts/get', { name: 'guide' });
  expect(prompt.result).toMatchObject({ inputRequests: { who: {} } });
  const who = { inputResponses: { who: accept({ name: 'Ada' }) }, ...stateOf(prompt) };
  expect((await send('prompts/get', { name: 'guide', ...who })).result).toMatchObject({
    messages: [{ content: { text: 'Help Ada.' } }],
  });
  const plan = await send('resources/read', { uri: 'secret://plan' });
  expect(plan.result).toMatchObject({ inputRequests: { confirm: {} } });
  const agreed = { inputResponses: { confirm: accept({ ok: true }) }, ...stateOf(plan) };
  expect((await send('resources/read', { uri: 'secret://plan', ...agreed })).result).toMatchObject({
    contents: [{ text: 'the plan' }],
  });
});
