import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import type { Runtime } from '../../../src/call/runtime.ts';
import type { ToolEntry } from '../../../src/catalog/model.ts';
import type { Span, SpanAttributes, Spans } from '../../../src/ports.ts';
import { runEndpoint } from '../../../src/quality/run-endpoint.ts';
import { ALICE, contextOf, errorOf, type Served, serveTree } from './project.ts';

const PEOPLE = `tool:
  name: people
  parameters:
    - { name: country, type: string, default: DE }
    - { name: pin, type: integer, default: null, sensitive: true }
  return:
    type: array
    items:
      type: object
      properties:
        name: { type: string }
        salary: { type: number, sensitive: true }
        country: { type: string }
      required: [name, salary, country]
  policies:
    input:
      - { condition: "country == 'XX'", action: deny, reason: No such place for you. }
    output:
      - { condition: "user.role == 'anonymous'", action: filter_sensitive_fields }
      - { condition: "user.role == 'analyst'", action: mask_fields, fields: [salary] }
      - { condition: "size(response) > 2", action: deny, reason: Too many people. }
  source:
    code: SELECT name, salary::DOUBLE AS salary, country FROM people WHERE country = $country OR $pin = 1 ORDER BY name
`;
const OPEN = `tool:
  name: open
  source: { code: SELECT 1 AS n }
`;
const FAILING = `tool:
  name: failing
  parameters: [{ name: email, type: string, default: null }]
  policies:
    input: [{ condition: "email.endsWith('@acme.com') == false", action: deny }]
  source: { code: SELECT $email AS email }
`;
const LIMITED = `tool:
  name: limited
  parameters:
    - { name: amount, type: integer, minimum: 0 }
    - { name: country, type: string }
    - { name: note, type: string, default: '' }
  policies:
    input:
      - { condition: "amount > 100", action: deny, reason: Too much. }
      - { condition: "user.role == 'anonymous' || amount > 50", action: deny, reason: Sign in first. }
      - { condition: "country == 'XX' && note != 'x'", action: deny, reason: No such place for you. }
  source: { code: "SELECT $amount AS amount, $country AS country, $note AS note" }
`;
const ONE_EACH = `tool:
  name: one_each
  parameters: [{ name: country, type: string }]
  return: { type: array, items: { type: object, properties: { salary: { type: number } } } }
  policies:
    input: [{ condition: "country == 'XX'", action: deny }]
    output: [{ condition: "true", action: mask_fields, fields: [salary] }]
  source: { code: SELECT 1.5::DOUBLE AS salary WHERE $country = 'DE' }
`;
const CONFIRM = `tool:
  name: wipe
  confirm: Really wipe it?
  source: { code: SELECT 'wiped' AS done }
`;
const ORDER = `resource:
  uri: orders://{id}
  parameters: [{ name: id, type: integer }]
  return: { type: object, properties: { id: { type: integer }, total: { type: integer } } }
  policies:
    input: [{ condition: "id == 9", action: deny, reason: Not order 9. }]
    output:
      - { condition: "response.total > 100", action: deny, reason: Too large. }
      - { condition: "user.role == 'anonymous'", action: filter_fields, fields: [total] }
  source: { code: "SELECT $id AS id, $id * 10 AS total" }
`;
const GREET = `prompt:
  name: greet
  parameters: [{ name: who, type: string }]
  policies:
    input: [{ condition: "who == 'Eve'", action: deny, reason: Not Eve. }]
    output:
      - { condition: "response.exists(m, m.prompt.contains('secret'))", action: deny, reason: No secrets. }
      - { condition: "user.role == 'anonymous'", action: mask_fields, fields: [prompt] }
  messages: [{ prompt: "Greet {{ who }}." }]
`;
const CARD = `tool:
  name: card
  content: rows
  policies: { output: [{ condition: "user.role == 'analyst'", action: mask_fields, fields: [data] }] }
  source: { code: "SELECT 'text' AS type, 'Ada' AS text, NULL::BLOB AS data, NULL AS mime_type UNION ALL SELECT 'image', NULL, 'x'::BLOB, 'image/png'" }
`;
const FILES = `prompt:
  name: files
  policies: { output: [{ condition: "user.role == 'analyst'", action: mask_fields, fields: [prompt] }] }
  messages: [{ prompt: "Read." }, { type: resource, prompt: "https://example.org/a" }]
`;
const SEED = `CREATE TABLE people AS SELECT * FROM (VALUES
  ('Ada', 10.5, 'DE'), ('Bob', 20, 'DE'), ('Cid', 30, 'FR')) t(name, salary, country)`;

let served: Served;
beforeAll(async () => {
  served = await serveTree(
    {
      'tools/people.yml': PEOPLE,
      'tools/open.yml': OPEN,
      'tools/failing.yml': FAILING,
      'tools/limited.yml': LIMITED,
      'tools/wipe.yml': CONFIRM,
      'tools/one-each.yml': ONE_EACH,
      'resources/order.yml': ORDER,
      'prompts/greet.yml': GREET,
      'tools/card.yml': CARD,
      'prompts/files.yml': FILES,
    },
    SEED,
  );
});
afterAll(() => served.close());

function entryOf(name: string): ToolEntry {
  const entry = served.runtime.catalog.tools[name];
  if (entry === undefined) throw new Error(name);
  return entry;
}
const call = (name: string, args = {}, user = null as typeof ALICE | null, runtime = served.runtime) =>
  callEndpoint({ runtime, entry: entryOf(name), args, context: contextOf(user) });
const lastRecord = () => served.records.at(-1);

describe('policies of a call', () => {
  // Requirements: mcp.tool.validate
  it('drop sensitive fields for nobody in particular', async () => {
    expect((await call('people')).value).toEqual([
      { name: 'Ada', country: 'DE' },
      { name: 'Bob', country: 'DE' },
    ]);
    expect(lastRecord()).toMatchObject({
      kind: 'tool',
      name: 'people',
      status: 'success',
      error: null,
      args: { country: 'DE', pin: null },
      decision: { outcome: 'filter', rules: ['output[0]'], evaluated: 4 },
    });
  });

  // Requirements: feature.policies
  it('mask them for somebody', async () => {
    expect((await call('people', {}, ALICE)).value).toEqual([
      { name: 'Ada', salary: '****', country: 'DE' },
      { name: 'Bob', salary: '****', country: 'DE' },
    ]);
    expect(lastRecord()?.decision).toMatchObject({ outcome: 'mask', rules: ['output[1]'] });
  });

  it('leave out a picture that they mask, and keep the rest of the answer', async () => {
    const text = { type: 'text', text: 'Ada' };
    const picture = { type: 'image', mimeType: 'image/png', data: 'eA==' };
    expect((await call('card', {}, ALICE)).blocks).toEqual([text]);
    expect((await call('card', {}, { ...ALICE, role: 'boss' })).blocks).toEqual([text, picture]);
  });

  it('leave out a resource of a prompt whose address they mask', async () => {
    const { runtime } = served;
    const entry = runtime.catalog.prompts.files;
    if (entry === undefined) throw new Error('no prompt');
    const messagesOf = async (role: string) => {
      const context = contextOf({ ...ALICE, role });
      const { messages } = await callEndpoint({ runtime, entry, args: {}, context });
      return messages.map(({ content }) => content);
    };
    expect(await messagesOf('analyst')).toEqual([{ type: 'text', text: '****' }]);
    expect(await messagesOf('boss')).toEqual([
      { type: 'text', text: 'Read.' },
      { type: 'resource_link', uri: 'https://example.org/a' },
    ]);
  });

  it('hold where there is one for the arguments and one for the result', async () => {
    expect((await call('one_each', { country: 'DE' })).value).toEqual([{ salary: '****' }]);
    expect(await errorOf(call('one_each', { country: 'XX' }))).toMatchObject({ code: 'denied' });
  });

  // Requirements: condition.policy, endpoint.policies
  it('deny by the checked arguments, with the reason of the author', async () => {
    const error = await errorOf(call('people', { country: 'XX' }));
    expect(error).toMatchObject({ code: 'denied', message: 'No such place for you.' });
    expect(lastRecord()).toMatchObject({
      status: 'error',
      error: { code: 'denied' },
      decision: { outcome: 'deny', reason: 'No such place for you.', rules: ['input[0]'] },
    });
  });

  // Requirements: condition.policy, endpoint.policies
  it('deny by the result, of which then nothing is said', async () => {
    const error = await errorOf(call('people', { pin: 1 }));
    expect(error).toMatchObject({ code: 'denied', message: 'Too many people.' });
    expect(lastRecord()).toMatchObject({
      result: null,
      decision: { outcome: 'deny', reason: 'Too many people.', rules: ['output[0]', 'output[2]'] },
    });
  });

  // Requirements: endpoint.policies
  it('hold for resources', async () => {
    const read = (uri: string, user = ALICE as typeof ALICE | null) =>
      runEndpoint(served.runtime, 'resource', uri, {}, contextOf(user));
    expect((await read('orders://3')).value).toEqual({ id: 3, total: 30 });
    expect((await read('orders://3', null)).value).toEqual({ id: 3 });
    expect(await errorOf(read('orders://9'))).toMatchObject({ code: 'denied', message: 'Not order 9.' });
    expect(await errorOf(read('orders://11'))).toMatchObject({ code: 'denied', message: 'Too large.' });
  });

  // Requirements: endpoint.policies, endpoint.prompt
  it('hold for prompts', async () => {
    const get = (who: string, user = ALICE as typeof ALICE | null) =>
      runEndpoint(served.runtime, 'prompt', 'greet', { who }, contextOf(user));
    expect((await get('Ada')).value).toMatchObject([{ prompt: 'Greet Ada.' }]);
    expect((await get('Ada', null)).value).toMatchObject([{ prompt: '****' }]);
    expect(await errorOf(get('Eve'))).toMatchObject({ code: 'denied', message: 'Not Eve.' });
    expect(await errorOf(get('a secret'))).toMatchObject({ code: 'denied', message: 'No secrets.' });
  });

  it('deny where a condition cannot be evaluated, and the log says why', async () => {
    const error = await errorOf(call('failing'));
    expect(error).toMatchObject({ code: 'denied' });
    expect(served.lines.at(-1)).toMatchObject({ level: 'error' });
    expect(served.lines.at(-1)?.message).toMatch(/failing could not be evaluated.*input\[0\]/);
    expect((await call('failing', { email: 'a@acme.com' })).value).toEqual([{ email: 'a@acme.com' }]);
  });

  it('are in nobody’s way where there are none', async () => {
    expect((await call('open')).value).toEqual([{ n: 1 }]);
    expect(lastRecord()?.decision).toMatchObject({ outcome: 'none', evaluated: 0 });
  });

  it('see no arguments that are not valid; the record has them as they were sent', async () => {
    const error = await errorOf(call('people', { pin: 'x' }));
    expect(error.code).toBe('arguments_invalid');
    expect(lastRecord()).toMatchObject({
      status: 'error',
      args: { pin: 'x' },
      decision: { outcome: 'none' },
      error: { code: 'arguments_invalid' },
    });
  });

  it('are seen in the schema that clients get', () => {
    const { outputSchema } = entryOf('people').wire as { outputSchema: { items: { required: string[] } } };
    expect(outputSchema.items.required).toEqual(['name', 'country']);
    expect(outputSchema).toMatchObject({
      items: { properties: { salary: { anyOf: [expect.anything(), { const: '****' }] } } },
    });
  });
});

describe('a tool that a person must agree to', () => {
  it('is refused to clients, and runs for who types the command', async () => {
    const error = await errorOf(call('wipe'));
    expect(error.code).toBe('capability_missing');
    expect(error.message).toContain('Nothing was done.');
    const done = await callEndpoint({
      runtime: served.runtime,
      entry: entryOf('wipe'),
      args: {},
      context: contextOf(null, 'cli'),
    });
    expect(done.value).toEqual([{ done: 'wiped' }]);
  });
});

describe('a call whose arguments are not all valid', () => {
  const wrong = { amount: -1, country: 'DE', secret: 'told' };

  // Requirements: feature.policies
  it('is denied first if no argument could save its caller', async () => {
    const error = await errorOf(call('limited', wrong));
    expect(error).toMatchObject({ code: 'denied', message: 'Sign in first.' });
    expect(lastRecord()).toMatchObject({
      decision: { outcome: 'deny', rules: ['input[1]'], evaluated: 2, failure: null },
    });
  });

  it('is denied by its valid arguments and their defaults', async () => {
    const error = await errorOf(call('limited', { amount: 'many', country: 'XX' }, ALICE));
    expect(error).toMatchObject({ code: 'denied', message: 'No such place for you.' });
  });

  it.each([
    ['with a wrong value', { amount: -1, country: 'DE' }],
    ['without a value', { country: 'DE' }],
    ['with an unknown name', { amount: 1, country: 'DE', other: 1 }],
  ])('has an argument error if no rule denies without the argument: %s', async (_, args) => {
    expect((await errorOf(call('limited', args, ALICE))).code).toBe('arguments_invalid');
    expect(lastRecord()?.decision).toMatchObject({ outcome: 'none' });
  });

  it('is denied with arguments nested too deep', async () => {
    const deep = JSON.parse(`${'[1,'.repeat(100)}1${']'.repeat(100)}`);
    expect((await errorOf(call('limited', { amount: deep, country: 'DE' }))).code).toBe('denied');
    expect((await errorOf(call('limited', { amount: deep, country: 'DE' }, ALICE))).code).toBe(
      'arguments_invalid',
    );
  });
});

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  readonly inside: Recorded[];
}

function recordSpans(): { spans: Spans; top: Recorded[] } {
  const top: Recorded[] = [];
  const open = async <T>(
    around: Recorded[],
    name: string,
    attributes: SpanAttributes,
    run: (span: Span) => Promise<T>,
  ): Promise<T> => {
    const span: Recorded = { name, attributes: { ...attributes }, inside: [] };
    around.push(span);
    return run({
      traceId: null,
      set: (more) => void Object.assign(span.attributes, more),
      span: (child, own, work) => open(span.inside, child, own, work),
    });
  };
  return { top, spans: { trace: (name, attributes, _parent, run) => open(top, name, attributes, run) } };
}

const tree = ({ name, inside }: Recorded): unknown =>
  inside.length === 0 ? name : { [name]: inside.map(tree) };

describe('the spans of a call (spec, "Spans")', () => {
  async function spansOf(name: string, args: object): Promise<Recorded> {
    const { spans, top } = recordSpans();
    const runtime: Runtime = { ...served.runtime, spans };
    await call(name, args, ALICE, runtime).catch(() => null);
    expect(top).toHaveLength(1);
    return top[0] ?? { name: 'none', attributes: {}, inside: [] };
  }

  it('are the tree of the spec, with the decision on its root', async () => {
    const root = await spansOf('people', {});
    expect(tree(root)).toEqual({
      'svc.endpoint.execute': [
        'svc.policy.enforce_input',
        'svc.validation.input',
        { 'svc.execution_engine.execute': ['svc.database.execute', 'svc.validation.output'] },
        'svc.policy.enforce_output',
      ],
    });
    expect(root.attributes).toEqual({
      'svc.endpoint.name': 'people',
      'svc.endpoint.type': 'tool',
      'svc.auth.authenticated': true,
      'svc.auth.provider': 'acme',
      'svc.policy.decision': 'mask',
      'svc.policy.rules_evaluated': 4,
    });
  });

  it('end where the call is denied', async () => {
    const root = await spansOf('people', { country: 'XX' });
    expect(tree(root)).toEqual({
      'svc.endpoint.execute': ['svc.policy.enforce_input'],
    });
    expect(root.attributes).toMatchObject({ 'svc.policy.decision': 'deny', 'svc.policy.rules_evaluated': 1 });
  });
});
