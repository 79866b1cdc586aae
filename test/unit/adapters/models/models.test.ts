import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClaude } from '../../../../adapters/models/claude.ts';
import { createModel } from '../../../../adapters/models/create.ts';
import { loadPackage } from '../../../../adapters/models/vendor-package.ts';
import type { SvcError } from '../../../../src/errors.ts';
import type { JsonObject } from '../../../../src/json.ts';
import type { LanguageModel, ModelQuestion } from '../../../../src/quality/evals/model.ts';
import type { Model } from '../../../../src/settings/model.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { claudeMessage, openAiCall, openAiCompletion, type Reply, startDouble } from './double.ts';

const KEY = 'sk-planted-0123456789';

const settings = (type: Model['type'], more: Partial<Model> = {}): Model => ({
  type,
  ...{ api_key: KEY, base_url: null, timeout: null, max_retries: 2, model: null, prices: null },
  ...more,
});

const QUESTION: ModelQuestion = {
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Who?' }],
  tools: [
    {
      name: 'find',
      description: 'Finds.',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
    },
  ],
  maxTokens: 99,
};

const ask = (model: LanguageModel, question: ModelQuestion = QUESTION) =>
  model.ask(question, new AbortController().signal);

const failureOf = (work: Promise<unknown>): Promise<SvcError> =>
  work.then(
    () => Promise.reject(new Error('it answered')),
    (thrown: SvcError) => thrown,
  );

interface Vendor {
  readonly type: Model['type'];
  readonly path: string;
  readonly said: Reply;
  readonly error: (text: string) => unknown;
}

const VENDORS: readonly Vendor[] = [
  {
    type: 'claude',
    path: '/v1/messages',
    said: { body: claudeMessage([{ type: 'text', text: 'Ada.' }]) },
    error: (message) => ({ type: 'error', error: { type: 'overloaded_error', message }, request_id: 'r' }),
  },
  {
    type: 'openai',
    path: '/chat/completions',
    said: { body: openAiCompletion({ content: 'Ada.' }) },
    error: (message) => ({ error: { message, type: 'server_error', param: null, code: null } }),
  },
];

// Requirements: model.type
describe.each(VENDORS)('a model of type $type', ({ type, path, said, error }) => {
  const create = (base_url: string, more: Partial<Model> = {}) =>
    createModel('fast', settings(type, { base_url, ...more }));
  const soon = { 'retry-after-ms': '1' };

  // Requirements: model.api_key, model.base_url
  it('is asked with its key, by the name of its vendor', async () => {
    const { url, received } = await startDouble([said]);
    const answer = await ask(await create(url, { model: 'vendor-1' }));
    expect(answer).toMatchObject({
      text: 'Ada.',
      calls: [],
      ended: 'done',
      usage: { input_tokens: 42, output_tokens: 8 },
    });
    expect(received[0]).toMatchObject({ path, body: { model: 'vendor-1' } });
    expect(JSON.stringify(received[0]?.headers)).toContain(KEY);
    await ask(await create(url));
    expect(received[1]?.body).toMatchObject({ model: 'fast', max_tokens: 99 });
  });

  it('is asked again after 429, when the vendor says so, and after 5xx', async () => {
    const { url, received } = await startDouble([
      { status: 429, headers: { 'retry-after': '0.001' }, body: error('slow down') },
      { status: 503, headers: soon, body: error('overloaded') },
      said,
    ]);
    expect(await ask(await create(url))).toMatchObject({ text: 'Ada.' });
    expect(received).toHaveLength(3);
  });

  // Requirements: limit.models, model.max_retries
  it('is given up after so many tries', async () => {
    const { url, received } = await startDouble([{ status: 429, headers: soon, body: error('slow down') }]);
    expect(await failureOf(ask(await create(url, { max_retries: 1 })))).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/^fast received too many requests: .*slow down/),
    });
    expect(received).toHaveLength(2);
    const down = await startDouble([{ status: 500, headers: soon, body: error('oh no') }]);
    const failed = await failureOf(ask(await create(down.url, { max_retries: 0 })));
    expect(failed).toMatchObject({ code: 'model_failed', message: expect.stringContaining('oh no') });
    expect(down.received).toHaveLength(1);
  });

  // Requirements: limit.models, model.timeout
  it('that does not answer in time fails, and so does one that is not there', async () => {
    const { url } = await startDouble(['hang']);
    const model = await create(url, { timeout: 0.2, max_retries: 0 });
    const begun = performance.now();
    expect(await failureOf(ask(model))).toMatchObject({ code: 'deadline_exceeded' });
    expect(performance.now() - begun).toBeGreaterThan(190);
    const gone = await create('http://127.0.0.1:1', { max_retries: 0 });
    expect(await failureOf(ask(gone))).toMatchObject({
      code: 'model_failed',
      message: expect.stringMatching(/^fast: Connection error\..*\(.+\)/),
    });
  });

  it('that stops in the middle of its answer fails in time, and is asked again', async () => {
    const { url } = await startDouble(['stall']);
    const model = await create(url, { timeout: 0.5, max_retries: 0 });
    expect(await failureOf(ask(model))).toMatchObject({ code: 'deadline_exceeded' });
    const once = await startDouble(['stall', said]);
    expect(await ask(await create(once.url, { timeout: 2 }))).toMatchObject({ text: 'Ada.' });
    expect(once.received).toHaveLength(2);
  });

  it('stops when the run does', async () => {
    const { url, received } = await startDouble(['hang']);
    const model = await create(url);
    const controller = new AbortController();
    const asked = failureOf(model.ask(QUESTION, controller.signal));
    while (received.length === 0) await new Promise((done) => setImmediate(done));
    controller.abort();
    expect((await asked).code).toBe('model_failed');
  });

  it('never has its key in an error', async () => {
    const { url } = await startDouble([{ status: 401, body: error(`Incorrect API key: ${KEY}`) }]);
    const failed = await failureOf(ask(await create(url)));
    expect(failed.message).toMatch(/\[REDACTED\].* Check `models\.fast\.api_key`\.$/);
    expect(JSON.stringify([failed.message, failed.stack, failed.cause])).not.toContain(KEY);
  });

  it('leaves the words of an error alone where there is no key', async () => {
    const { url } = await startDouble([{ status: 404, body: error('none of the models is of that name') }]);
    const model = await createModel('fast', settings(type, { api_key: null, base_url: url, max_retries: 0 }));
    expect((await failureOf(ask(model))).message).toContain('none of the models');
  });

  it.each(['', 'no JSON', '{}', '[]', '{"content": 5, "choices": [{}]}'])(
    'refuses the answer %j',
    async (body) => {
      const { url } = await startDouble([{ body }]);
      const failed = await failureOf(ask(await create(url, { max_retries: 0 })));
      expect(failed.code).toBe('model_failed');
    },
  );

  it('counts no tokens where the answer states none', async () => {
    const { body } = said as { readonly body: JsonObject };
    const usage = { input_tokens: '4', output_tokens: null, prompt_tokens: '4', completion_tokens: {} };
    const { url } = await startDouble([{ body: { ...body, usage } }, { body: { ...body, usage: 'many' } }]);
    const model = await create(url);
    const none = { text: 'Ada.', usage: { input_tokens: 0, output_tokens: 0 } };
    expect([await ask(model), await ask(model)]).toMatchObject([none, none]);
  });

  it('needs a key, but for a service of its own', async () => {
    expect(await failureOf(createModel('fast', settings(type, { api_key: null })))).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('models.fast.api_key'),
    });
    const { url } = await startDouble([said]);
    expect(await ask(await create(url, { api_key: null }))).toMatchObject({ text: 'Ada.' });
  });
});

describe('the Messages API', () => {
  const CONTENT = [
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', id: 'tu_1', name: 'find', input: { id: 1 } },
    { type: 'tool_use', id: 'tu_2', name: 'find', input: 'no object' },
  ];

  it('is spoken with native tools, in both directions', async () => {
    const { url, received } = await startDouble([
      { body: claudeMessage(CONTENT) },
      { body: claudeMessage([{ type: 'text', text: 'Ada' }], { stop_reason: 'max_tokens' }) },
    ]);
    const model = await createModel('m', settings('claude', { base_url: url }));
    const answer = await ask(model);
    expect(answer.calls).toEqual([
      { id: 'tu_1', name: 'find', args: { id: 1 }, raw: '{"id":1}' },
      { id: 'tu_2', name: 'find', args: null, raw: '"no object"' },
    ]);
    const results = [
      { id: 'tu_1', text: '{"id":1}', failed: false },
      { id: 'tu_2', text: 'no', failed: true },
    ];
    const messages = [...QUESTION.messages, { role: 'model', answer }, { role: 'tools', results }] as const;
    expect(await ask(model, { ...QUESTION, messages })).toMatchObject({ text: 'Ada', ended: 'length' });
    expect(received[0]?.body).toMatchObject({
      system: 'Be brief.',
      tools: [{ name: 'find', description: 'Finds.', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: 'Who?' }],
    });
    expect(received[1]?.body.messages).toEqual([
      { role: 'user', content: 'Who?' },
      { role: 'assistant', content: CONTENT },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'tu_1', content: '{"id":1}', is_error: false },
          { type: 'tool_result', tool_use_id: 'tu_2', content: 'no', is_error: true },
        ],
      },
    ]);
  });

  it('tells of a refusal', async () => {
    const { url } = await startDouble([{ body: claudeMessage([], { stop_reason: 'refusal' }) }]);
    const model = await createModel('m', settings('claude', { base_url: url }));
    expect(await ask(model)).toMatchObject({ ended: 'refusal', text: '' });
  });
});

describe('chat completions', () => {
  it('are spoken with native tools, in both directions', async () => {
    const tool_calls = [
      openAiCall('c1', 'find', '{"id": 1}'),
      openAiCall('c2', 'find', '{"id": '),
      openAiCall('c3', 'find', ''),
    ];
    const { url, received } = await startDouble([
      { body: openAiCompletion({ tool_calls }) },
      { body: openAiCompletion({ content: 'Ada' }, { finish_reason: 'length' }) },
    ]);
    const model = await createModel('m', settings('openai', { base_url: url }));
    const answer = await ask(model);
    expect(answer.calls).toEqual([
      { id: 'c1', name: 'find', args: { id: 1 }, raw: '{"id": 1}' },
      { id: 'c2', name: 'find', args: null, raw: '{"id": ' },
      { id: 'c3', name: 'find', args: {}, raw: '' },
    ]);
    const results = answer.calls.map(({ id }) => ({ id, text: `of ${id}`, failed: id === 'c2' }));
    const messages = [...QUESTION.messages, { role: 'model', answer }, { role: 'tools', results }] as const;
    expect(await ask(model, { ...QUESTION, messages })).toMatchObject({ text: 'Ada', ended: 'length' });
    expect(received[0]?.body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }],
    });
    expect(received[1]?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Who?' },
      { role: 'assistant', content: null, tool_calls },
      ...['c1', 'c2', 'c3'].map((id) => ({ role: 'tool', tool_call_id: id, content: `of ${id}` })),
    ]);
  });

  it('tell of a refusal', async () => {
    const { url } = await startDouble([{ body: openAiCompletion({ refusal: 'No.' }) }]);
    const model = await createModel('m', settings('openai', { base_url: url }));
    expect(await ask(model)).toMatchObject({ ended: 'refusal', text: 'No.' });
  });
});

describe('an answer of another form', () => {
  it.each<[string, Model['type'], JsonObject]>([
    ['a call without a name', 'claude', claudeMessage([{ type: 'tool_use', id: 'a', input: {} }])],
    ['a call without an id', 'claude', claudeMessage([{ type: 'tool_use', name: 'find', input: {} }])],
    ['text that is not a string', 'claude', claudeMessage([{ type: 'text', text: { of: 'Ada' } }])],
    ['a block that is null', 'claude', { ...claudeMessage([]), content: [null] }],
    [
      'a call without a function',
      'openai',
      openAiCompletion({ tool_calls: [{ id: 'a', type: 'function' }] }),
    ],
    [
      'a call without a name',
      'openai',
      openAiCompletion({ tool_calls: [{ id: 'a', type: 'function', function: { arguments: '{}' } }] }),
    ],
    ['calls that are not a list', 'openai', openAiCompletion({ tool_calls: {} })],
    ['text that is not a string', 'openai', openAiCompletion({ content: { of: 'Ada' } })],
  ])('is an error of the model: %s of %s', async (_what, type, body) => {
    const { url } = await startDouble([{ body }]);
    const model = await createModel('fast', settings(type, { base_url: url, max_retries: 0 }));
    expect(await failureOf(ask(model))).toMatchObject({
      code: 'model_failed',
      message: expect.stringMatching(/^fast answered .*; `base_url` may lead to another service\.$/),
    });
  });

  it('is read where services differ: a text in parts, arguments as an object', async () => {
    const content = [
      { type: 'text', text: 'Ada ' },
      { type: 'text', text: 'and Bob.' },
    ];
    const find = { id: 'a', type: 'function', function: { name: 'find', arguments: { id: 7 } } };
    const { url } = await startDouble([{ body: openAiCompletion({ content, tool_calls: [find] }) }]);
    const model = await createModel('fast', settings('openai', { base_url: url }));
    expect(await ask(model)).toMatchObject({
      text: 'Ada and Bob.',
      calls: [{ name: 'find', args: { id: 7 } }],
    });
  });

  it('is cut where the context of the model is full', async () => {
    const cut = claudeMessage([{ type: 'text', text: 'Well' }], {
      stop_reason: 'model_context_window_exceeded',
    });
    const { url } = await startDouble([{ body: cut }]);
    const model = await createModel('fast', settings('claude', { base_url: url }));
    expect(await ask(model)).toMatchObject({ ended: 'length' });
  });
});

describe('a package that is not installed', () => {
  const missing = (name: string) => {
    const error = new Error(`Cannot find package '${name}' imported from x`);
    return Promise.reject(Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' }));
  };

  it('is named, with what to do', async () => {
    const made = createClaude('m', settings('claude'), () => missing('@anthropic-ai/absent') as never);
    await expect(made).rejects.toThrow('@anthropic-ai/absent');
    const folder = temporaryFolder();
    const failed = await failureOf(loadPackage('absent-sdk', () => missing('absent-sdk'), 'm', folder));
    expect(failed).toMatchObject({
      code: 'config_invalid',
      message:
        'The model m needs the package absent-sdk, which is not installed.\nRun `npm install absent-sdk`.',
    });
  });

  it('is taken from the project, where svc itself has none', async () => {
    const folder = temporaryFolder();
    const own = join(folder, 'node_modules/absent-sdk');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"name": "absent-sdk", "main": "main.cjs"}');
    writeFileSync(join(own, 'main.cjs'), 'module.exports = { here: true };');
    const found = await loadPackage('absent-sdk', () => missing('absent-sdk'), 'm', folder);
    expect(found).toMatchObject({ default: { here: true } });
  });
});
