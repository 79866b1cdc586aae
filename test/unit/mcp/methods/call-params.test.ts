import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Served, serveTree } from '../../call/project.ts';
import { createTestApp, exchange, legacy, modern } from '../fixture.ts';

let served: Served;
beforeAll(async () => {
  const tree = {
    'tools/greet.yml':
      'tool: { name: greet, parameters: [{ name: who, type: string }], source: { code: SELECT $who AS who } }',
    'tools/asks.yml': 'tool: { name: asks, confirm: Sure?, source: { code: SELECT 1 AS n } }',
    'prompts/hello.yml': 'prompt: { name: hello, messages: [{ prompt: Hello. }] }',
    'prompts/letter.yml':
      'prompt: { name: letter, parameters: [{ name: who, type: string, enum: [you] }], messages: [{ prompt: "{{ who }}" }] }',
    'resources/hours.yml': 'resource: { uri: "shop://hours", source: { code: SELECT 1 AS hour } }',
  };
  served = await serveTree(tree, 'SELECT 1');
});
afterAll(() => served.close());

const lastRecord = () => served.records.at(-1);

// Requirements: feature.audit
it.each([
  ['tools/call', { name: 'greet', arguments: 'planted' }, 'greet', 'arguments'],
  ['tools/call', { name: 'greet', arguments: null }, 'greet', 'arguments'],
  ['tools/call', { name: 'greet', arguments: [{ who: 'planted' }] }, 'greet', 'arguments'],
  ['tools/call', { name: 'nope', arguments: 5 }, 'nope', 'arguments'],
  ['tools/call', { name: 5, arguments: { who: 'planted' } }, '', 'name'],
  ['tools/call', {}, '', 'name'],
  ['prompts/get', { name: 'hello', arguments: ['planted'] }, 'hello', 'arguments'],
  ['prompts/get', {}, '', 'name'],
  ['resources/read', { uri: 5 }, '', 'uri'],
])('%s with the parameters %j is refused, and told to who watches', async (method, params, name, wrong) => {
  const app = createTestApp(served.runtime);
  for (const request of [modern(method, params), legacy(method, params)]) {
    const before = served.records.length;
    const { status, json } = await exchange(app, request);
    const message = expect.stringContaining(`Invalid params for ${method}: \`${wrong}\``);
    expect([status, json.error]).toEqual([200, { code: -32602, message }]);
    expect(served.records).toHaveLength(before + 1);
    expect(lastRecord()).toMatchObject({
      kind: method.split(/s?\//)[0],
      name,
      entry: name === '' || name === 'nope' ? null : { name },
      status: 'error',
      args: {},
      error: { code: 'arguments_invalid' },
    });
  }
});

it('a call with a state that is none is told to who watches too', async () => {
  const call = modern('tools/call', { name: 'asks', requestState: 'planted' });
  const { json } = await exchange(createTestApp(served.runtime), call);
  expect(json.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
  expect(lastRecord()).toMatchObject({ name: 'asks', error: { code: 'arguments_invalid' } });
});

const numbers = Array.from({ length: 10_000 }, (_, index) => index);

it.each([
  ['subscriptions/listen', { notifications: { resourceSubscriptions: numbers } }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'letter' },
      argument: { name: 'who', value: '' },
      context: { arguments: Object.fromEntries(numbers.map((number) => [`n${number}`, number])) },
    },
  ],
])('%s with thousands of wrong values is refused in one sentence', async (method, params) => {
  const { json } = await exchange(createTestApp(served.runtime), modern(method, params));
  expect(json.error).toMatchObject({ code: -32602, message: expect.stringContaining('Expected string') });
  expect(JSON.stringify(json.error).length).toBeLessThan(300);
});
