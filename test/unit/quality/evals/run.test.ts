import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { JsonObject } from '../../../../src/json.ts';
import { toJunit } from '../../../../src/quality/evals/junit.ts';
import type { LanguageModel, ModelAnswer, ModelQuestion } from '../../../../src/quality/evals/model.ts';
import { toOffers } from '../../../../src/quality/evals/offer.ts';
import { type EvalResult, type Transcript, toEvalsReport } from '../../../../src/quality/evals/report.ts';
import { type EvalRun, runSuites } from '../../../../src/quality/evals/run.ts';
import { loadSuites } from '../../../../src/quality/evals/suite.ts';
import { parseUserContext } from '../../../../src/quality/user.ts';
import { ALICE, type Served, serveTree } from '../../call/project.ts';
import { memoryFiles } from '../../project/memory.ts';

const TREE = {
  'tools/person.yml': `svc: 1
tool:
  name: get.person
  parameters: [{ name: id, type: integer }, { name: depth, type: integer, default: 2 }]
  return:
    type: object
    properties: { id: { type: integer }, name: { type: string }, salary: { type: string, sensitive: true } }
  policies: { input: [{ condition: "user.role == 'anonymous' && id == 3", action: deny, reason: Sign in first }] }
  source: { code: "SELECT $id AS id, 'Ada' AS name, 'eighty-thousand' AS salary WHERE $depth > 0" }
`,
  'tools/login.yml': `svc: 1
tool:
  name: login
  parameters: [{ name: token, type: string, sensitive: true }]
  source: { code: "SELECT CAST($token AS INTEGER) AS n" }
`,
  'tools/many.yml': `svc: 1
tool:
  name: many
  source: { code: "SELECT repeat('é', 100) AS text FROM range(100)" }
`,
  'tools/broken.yml': `svc: 1
tool:
  name: broken
  source: { code: "SELECT CAST('secret text' AS INTEGER) AS n" }
`,
  'resources/order.yml': `svc: 1
resource:
  uri: shop://orders/{id}
  name: order
  parameters: [{ name: id, type: integer }]
  return: { type: object }
  source: { code: SELECT $id AS id }
`,
};

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, 'SELECT 1', 'native');
});
afterAll(() => served.close());

type Step = (question: ModelQuestion) => ModelAnswer | Error;

/** A model that takes one step a turn, and keeps what it was asked. */
function scripted(...steps: readonly Step[]): LanguageModel & { readonly asked: ModelQuestion[] } {
  const asked: ModelQuestion[] = [];
  return {
    name: 'scripted',
    asked,
    ask: async (question) => {
      asked.push(question);
      const step = steps[Math.min(asked.length, steps.length) - 1];
      const answer = step?.(question) ?? new Error('nothing to say');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const usage = { input_tokens: 100, output_tokens: 10 };
const says =
  (text: string, ended: ModelAnswer['ended'] = 'done'): Step =>
  () => ({ text, calls: [], usage, ended, turn: null });
const calls =
  (...made: readonly (readonly [name: string, args: JsonObject | null])[]): Step =>
  () => ({
    text: '',
    calls: made.map(([name, args], index) => ({
      id: `c${index}`,
      name,
      args,
      raw: JSON.stringify(args) ?? '{x',
    })),
    usage,
    ended: 'done',
    turn: null,
  });

interface Asked {
  readonly assertions?: string;
  readonly head?: string;
  readonly more?: string;
  readonly run?: Partial<EvalRun>;
}

async function evaluate(
  model: LanguageModel,
  { assertions = '{}', head = '', more = '', run = {} }: Asked = {},
) {
  const text = `svc: 1\nsuite: one\n${head}tests:\n  - name: t\n    prompt: Who?\n${more}    assertions: ${assertions}\n`;
  const { files, findings } = await loadSuites(memoryFiles({ 'evals/a.yml': text }), 'evals');
  expect(findings).toEqual([]);
  const suite = files[0]?.suite;
  if (!suite) throw new Error('no suite');
  const { runtime } = served;
  const transcripts: Transcript[] = [];
  const keep = async (transcript: Transcript) => {
    transcripts.push(transcript);
    return 'kept.json';
  };
  const prices = { input: 3, output: 15, currency: 'EUR' };
  const reports = await runSuites([{ path: 'evals/a.yml', suite, model, prices }], {
    ...{ runtime, offers: toOffers(runtime.catalog), user: null, secrets: [], concurrency: 2, keep },
    signal: new AbortController().signal,
    ...run,
  });
  const [result] = reports.flatMap(({ tests }) => tests);
  if (result === undefined) throw new Error('no result');
  return { result, reports, transcript: transcripts[0] };
}

const statusOf = ({ status, failures }: EvalResult) => [
  status,
  ...failures.map((text) => text.split('\n')[0]),
];

describe('a conversation', () => {
  it('offers tools and resources under names that every vendor takes', async () => {
    const model = scripted(says('Nobody.'));
    await evaluate(model, { head: 'system: Be brief.\nlimits: { tokens: 77 }\n' });
    expect(model.asked[0]).toMatchObject({
      system: 'Be brief.',
      maxTokens: 77,
      messages: [{ role: 'user', text: 'Who?' }],
    });
    expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual([
      'broken',
      'get_person',
      'login',
      'many',
      'read_shop_orders',
    ]);
    expect(model.asked[0]?.tools[1]?.schema).toMatchObject({ type: 'object', required: ['id'] });
  });

  it('offers what the suite says, and nothing else', async () => {
    const model = scripted(calls(['many', {}]), says('Nobody.'));
    const { result } = await evaluate(model, {
      head: 'offer: [get.person, order]\n',
      assertions: '{ must_not_call: many }',
    });
    expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual(['get_person', 'read_shop_orders']);
    expect(result).toMatchObject({ status: 'failed', calls: [{ tool: 'many', status: 'error' }] });
  });

  it('makes the calls of a turn, all of them, and hands their results back in order', async () => {
    const model = scripted(calls(['get_person', { id: 1 }], ['read_shop_orders', { id: '7' }]), says('Ada.'));
    const { result } = await evaluate(model, {
      assertions:
        '{ must_call: [{ tool: get.person, args: { id: 1, depth: 2 } }, { tool: order, args: { id: 7 } }], must_call_in_order: [get.person, "shop://orders/{id}"], max_calls: 2, answer_contains: ADA, answer_matches: "^A" }',
    });
    expect(statusOf(result)).toEqual(['passed']);
    expect(model.asked[1]?.messages.at(-1)).toEqual({
      role: 'tools',
      results: [
        { id: 'c0', text: '{"id":1,"name":"Ada","salary":"eighty-thousand"}', failed: false },
        { id: 'c1', text: '{"id":7}', failed: false },
      ],
    });
    expect(result).toMatchObject({
      turns: 2,
      usage: { input_tokens: 200, output_tokens: 20 },
      cost: { amount: 0.0009, currency: 'EUR' },
      transcript: 'kept.json',
    });
  });

  it('tells the model of calls that cannot be made, and goes on', async () => {
    const made = calls(
      ['get_persn', { id: 1 }],
      ['get_person', null],
      ['get_person', { id: 'x' }],
      ['get_person', { id: 3 }],
      ['broken', {}],
    );
    const model = scripted(made, says('I cannot.'));
    const { result } = await evaluate(model);
    const results = model.asked[1]?.messages.at(-1);
    const texts = results?.role === 'tools' ? results.results.map(({ text, failed }) => [failed, text]) : [];
    expect(texts).toEqual([
      [true, 'There is no tool "get_persn". Did you mean get_person?'],
      [true, 'The arguments must be one JSON object.'],
      [true, expect.stringMatching(/not valid.*\n- id: /)],
      [true, 'Sign in first'],
      [true, 'The query of this endpoint failed.'],
    ]);
    expect(result.calls.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'denied', 'error']);
    expect(served.lines.some(({ message }) => message.includes('Could not convert'))).toBe(true);
  });

  it('calls as the user of the test, or as the one of the command line', async () => {
    const twice = () => scripted(calls(['get_person', { id: 3 }]), says('Done.'));
    const own = await evaluate(twice(), { more: '    user_context: { role: clerk }\n' });
    const other = await evaluate(twice(), { run: { user: ALICE } });
    const nobody = await evaluate(twice());
    expect([own, other, nobody].map(({ result }) => result.calls[0]?.status)).toEqual([
      'success',
      'success',
      'denied',
    ]);
  });

  it('is bounded in turns, in calls of one turn, and in what a result says', async () => {
    const restless = scripted(calls(['get_person', { id: 1 }]));
    const { result } = await evaluate(restless, { head: 'limits: { turns: 3, result_bytes: 1024 }\n' });
    expect(statusOf(result)).toEqual([
      'failed',
      'no answer: the model still called after 3 turns; see limits.turns',
    ]);
    const many = scripted(calls(...Array.from({ length: 40 }, () => ['many', {}] as const)), says('Done.'));
    const { result: bounded } = await evaluate(many, { head: 'limits: { result_bytes: 1024 }\n' });
    expect(bounded.calls).toHaveLength(32);
    const told = many.asked[1]?.messages.at(-1);
    const [first, last] = told?.role === 'tools' ? [told.results[0], told.results[39]] : [];
    expect(first?.text).toMatch(/é\nTruncated \(bytes\)\. \d+ more bytes are not shown; ask for less\.$/);
    expect(first?.text).not.toContain('\ufffd');
    expect(last).toMatchObject({ failed: true, text: 'Not executed: one turn may have at most 32 calls.' });
  });

  it('that cannot be had is an error, and no failure', async () => {
    const model = scripted(calls(['get_person', { id: 1 }]), () => new SvcError('rate_limited', 'too many'));
    const { result, reports } = await evaluate(model, { assertions: '{ answer_contains: x }' });
    expect(result).toMatchObject({
      status: 'error',
      error: 'rate_limited: too many',
      failures: [],
      turns: 1,
    });
    expect(toEvalsReport(reports).status).toBe('error');
  });

  it.each([
    ['length', 'no answer: it was cut at limits.tokens'],
    ['refusal', 'no answer: the model refused'],
  ] as const)('that ends in %s has no answer', async (ended, failure) => {
    const { result } = await evaluate(scripted(says('Well', ended)));
    expect(statusOf(result)).toEqual(['failed', failure]);
  });

  it('that is empty has no answer, unless the model called something', async () => {
    const more = { assertions: '{ must_not_call: many }' };
    const silent = await evaluate(scripted(says(' ')), more);
    expect(statusOf(silent.result)).toEqual(['failed', 'no answer: the model sent no text and made no call']);
    const { result } = await evaluate(scripted(calls(['get_person', { id: 1 }]), says('')), more);
    expect(result.status).toBe('passed');
  });
});

describe('assertions', () => {
  const talk = () =>
    scripted(calls(['get_person', { id: 1 }]), calls(['many', {}]), says('Her name is ADA.'));

  it.each([
    ['must_call: [{ tool: get.person, args: { id: 2 } }]', 'must_call: get.person {"id":2} was not called'],
    ['must_call: [{ tool: order }]', 'must_call: order was not called'],
    ['must_not_call: many', 'must_not_call: many was called'],
    [
      'must_call_in_order: [many, get.person]',
      'must_call_in_order: get.person is missing in many, get.person',
    ],
    ['max_calls: 1', 'max_calls: 2 calls were made, at most 1 were allowed'],
    ['answer_contains: [ada, Grace]', 'answer_contains: "Grace" is missing'],
    ['answer_not_contains: aDa', 'answer_not_contains: "aDa" occurs'],
    ['answer_matches: ada', 'answer_matches: ada does not match'],
  ])('%s fails', async (assertion, failure) => {
    const { result } = await evaluate(talk(), { assertions: `{ ${assertion} }` });
    expect(statusOf(result)).toEqual(['failed', failure]);
  });

  it('tell everything that fails, with what was called instead', async () => {
    const { result } = await evaluate(talk(), { assertions: '{ max_calls: 0, answer_contains: x }' });
    expect(result.failures).toEqual([
      'max_calls: 2 calls were made, at most 0 were allowed\n+ get.person {"id":1}\n+ many {}',
      'answer_contains: "x" is missing\n+ "Her name is ADA."',
    ]);
  });
});

describe('what is kept of a conversation', () => {
  it('has nothing sensitive and no secret of the configuration', async () => {
    const model = scripted(
      calls(['get_person', { id: 1 }]),
      says('She earns eighty-thousand. Key: key-1234567. Token: planted-token.'),
    );
    const { result, transcript } = await evaluate(model, {
      assertions: '{ answer_contains: nothing }',
      run: { secrets: ['key-1234567', 'a'], user: ALICE },
      more: '    user_context: { role: clerk, external_token: other-token }\n',
    });
    const kept = JSON.stringify([result, transcript]);
    for (const secret of ['eighty-thousand', 'key-1234567', 'planted-token', 'other-token']) {
      expect(kept).not.toContain(secret);
    }
    expect(result.answer).toBe('She earns [REDACTED]. Key: [REDACTED]. Token: [REDACTED].');
    expect(transcript).toMatchObject({
      suite: 'one',
      test: 't',
      model: 'scripted',
      prompt: 'Who?',
      turns: [
        { said: '', calls: [{ tool: 'get.person', result: { name: 'Ada', salary: '[REDACTED]' } }] },
        {},
      ],
    });
  });

  it('names the user of the test, without the token', async () => {
    const { transcript } = await evaluate(scripted(says('Hi.')), {
      more: '    user_context: { role: clerk, team: red, external_token: other-token }\n',
    });
    expect(transcript?.user_context).toEqual({ role: 'clerk', team: 'red' });
    const cli = parseUserContext({ role: 'boss', external_token: 'planted' }, { from: 'x', id: 'cli' });
    const given = await evaluate(scripted(says('Hi.')), { run: { user: cli } });
    expect(given.transcript?.user_context).toEqual({ role: 'boss' });
  });

  it('has no part of a long sensitive argument', async () => {
    const token = `planted-${'0123456789'.repeat(30)}`;
    const model = scripted(
      calls(['login', { token }], ['lost', { token }], ['login', null]),
      says(`It is ${token}.`),
    );
    const { result, transcript } = await evaluate(model, {
      assertions: `{ max_calls: 0, answer_contains: x, answer_not_contains: planted, must_call: [{ tool: login, args: { token: "${token}x" } }], must_call_in_order: [many] }`,
    });
    expect(JSON.stringify([result, transcript])).not.toContain('planted-0');
    expect(served.lines.map(({ message }) => message).join()).not.toContain('planted-0');
    expect(result.failures[2]).toMatch(/\n\+ login \{"token":"\[REDACTED\]"\}\n\+ lost\n\+ login$/);
  });

  it('is JUnit XML for CI, whatever models say', async () => {
    const { reports } = await evaluate(scripted(says('<b>&"\u0000\u001b')), {
      assertions: '{ answer_contains: "]]>" }',
    });
    const broken = {
      ...reports[0],
      tests: [],
      suite: 'two',
      error: 'evals/b.yml:1: no',
    } as (typeof reports)[0];
    const xml = toJunit(toEvalsReport([...reports, broken]));
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="svc evals" tests="2" failures="1" errors="1"/,
    );
    expect(xml).toContain('<system-out>&lt;b&gt;&amp;&quot;</system-out>');
    expect(xml).toContain('<failure message="answer_contains: &quot;]]&gt;&quot; is missing">');
    expect(xml).toContain('<error message="evals/b.yml:1: no">');
  });
});

describe('a run', () => {
  it('asks so many tests at a time, and reports in the order of the files', async () => {
    let open = 0;
    let most = 0;
    const model: LanguageModel = {
      name: 'slow',
      ask: async ({ messages: [first] }) => {
        open += 1;
        most = Math.max(most, open);
        // The first test ends last.
        const turns = first?.role === 'user' && first.text === 'Q0' ? 30 : 3;
        for (let turn = 0; turn < turns; turn += 1) await new Promise((done) => setImmediate(done));
        open -= 1;
        return { text: 'x', calls: [], usage, ended: 'done', turn: null };
      },
    };
    const tests = Array.from({ length: 9 }, (_, n) => `  - { name: t${n}, prompt: Q${n} }\n`).join('');
    const { files } = await loadSuites(
      memoryFiles({ 'evals/a.yml': `svc: 1\nsuite: s\ntests:\n${tests}` }),
      'evals',
    );
    const suite = files[0]?.suite;
    if (!suite) throw new Error('no suite');
    const { runtime } = served;
    const told: string[] = [];
    const [report] = await runSuites([{ path: 'evals/a.yml', suite, model, prices: null }], {
      ...{ runtime, offers: [], user: null, secrets: [], concurrency: 3 },
      signal: new AbortController().signal,
      onTest: (_, test) => void told.push(test),
    });
    expect(most).toBe(3);
    expect(report?.tests.map(({ name }) => name)).toEqual(suite.tests.map(({ name }) => name));
    expect(told).toHaveLength(9);
    expect(report).not.toHaveProperty('cost');
  });
});
