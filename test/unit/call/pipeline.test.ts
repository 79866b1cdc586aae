import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createResultCache } from '../../../src/call/cache.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import type { PromptOutcome } from '../../../src/call/prompt.ts';
import type { Outcome, Runtime } from '../../../src/call/runtime.ts';
import type { RequestContext } from '../../../src/context.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { Python, PythonHost, Span, SpanAttributes, Spans } from '../../../src/ports.ts';
import { ALICE, contextOf, errorOf, type Served, serveTree } from './project.ts';

const MANY = '  parameters: [{ name: many, type: integer, default: 3 }]\n';
const RANGE = '  source: { code: SELECT range AS n FROM range($many) }\n';
const TREE = {
  'tools/rows.yml': `tool:\n  name: rows\n${MANY}${RANGE}`,
  'tools/plain.yml': 'tool:\n  name: plain\n  source: { code: SELECT 1 AS n }\n',
  'tools/years.yml': `tool:\n  name: years\n  source: { code: 'SELECT 1 AS "2024", 2 AS "2023"' }\n`,
  'tools/quarters.yml': `tool:\n  name: quarters\n  source: { code: 'SELECT 1 AS q1, 2 AS "2q"' }\n`,
  'tools/typed.yml': `tool:\n  name: typed\n${MANY}  return: { type: array }\n${RANGE}`,
  'tools/kept.yml': `tool:\n  name: kept\n${MANY}  source: { code: SELECT n FROM numbers WHERE n < $many }\n`,
  'tools/fails.yml': "tool:\n  name: fails\n  source: { code: SELECT error('no') AS n }\n",
  'tools/guarded.yml': `tool:\n  name: guarded\n  scopes: [hr:read, hr:all]\n${MANY}${RANGE}`,
  'tools/ruled.yml': `tool:
  name: ruled
${MANY}  policies: { input: [{ condition: many > 2, action: deny, reason: Too many. }] }
${RANGE}`,
  'tools/odd.yml': `tool:
  name: odd
${MANY}  policies: { input: [{ condition: 'user.claims.level > many', action: deny, reason: r }] }
${RANGE}`,
  'tools/blocks.yml': `tool:
  name: blocks
  content: rows
  source: { code: "SELECT 'text' AS type, 'Hello' AS text" }
`,
  'tools/asks.yml': `tool:
  name: asks
  ask: [{ name: secret, message: Which?, fields: [{ name: word, type: string, sensitive: true }, { name: place, type: string }] }]
  source: { code: "SELECT error('not ' || $word || ' in ' || $place) AS n" }
`,
  'tools/echo.yml': `tool:
  name: echo
  ask: [{ name: which, message: Which?, fields: [{ name: word, type: string }] }]
  source: { code: SELECT $word AS word }
`,
  'tools/python.yml': `tool:
  name: python
  language: python
  source: { file: ../python/python.py }
`,
  'python/python.py': 'def python(): return [1, 2]\n',
  'resources/salaries.yml': `resource:
  uri: staff://salaries
  scopes: [hr:read]
  mime_type: text/plain
  source: { code: SELECT 'secret' AS text }
`,
  'prompts/report.yml': `prompt:
  name: report
  messages: [{ type: resource, prompt: "staff://salaries" }]
`,
  'prompts/greeting.yml': `prompt:
  name: greeting
  parameters: [{ name: name, type: string }]
  messages: [{ prompt: "Hello {{ name }}" }]
`,
  'tools/ages.yml': `tool:
  name: ages
  policies:
    output:
      - { condition: "user.role == 'analyst'", action: mask_fields, fields: [n] }
      - { condition: "user.role == 'clerk'", action: filter_fields, fields: [m] }
  source: { code: "SELECT n, n * 10 AS m FROM numbers WHERE n = 4" }
`,
  'skills/ask.md': '---\nname: ask\ndescription: How to ask\n---\nText.\n',
};

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, 'CREATE TABLE numbers AS FROM range(9) t(n)', 'native');
});
afterAll(() => served.close());

function call(
  name: string,
  args: JsonObject = {},
  { context = contextOf(), runtime = {} }: { context?: RequestContext; runtime?: Partial<Runtime> } = {},
): Promise<Outcome & PromptOutcome> {
  const { tools, resources, prompts } = served.runtime.catalog;
  const entry = tools[name] ?? resources[name] ?? prompts[name];
  if (entry === undefined) throw new Error(`no endpoint ${name}`);
  return callEndpoint({
    runtime: { ...served.runtime, ...runtime },
    entry: entry as never,
    args,
    context,
  }) as Promise<never>;
}

const lastRecord = () => served.records.at(-1);

describe('the scopes of a call', () => {
  const holding = (...scopes: string[]) => ({ context: { ...contextOf(), scopes } });

  it('must all be in the token, on any way to the endpoint', async () => {
    const error = await errorOf(call('guarded', {}, holding('hr:read')));
    expect(error).toMatchObject({
      code: 'scope_insufficient',
      message: 'guarded needs a token with all of: hr:read hr:all.',
    });
    expect(lastRecord()).toMatchObject({ status: 'error', error: { code: 'scope_insufficient' } });
    expect(await call('guarded', {}, holding('hr:read', 'hr:all'))).toMatchObject({ truncated: null });
    expect(await call('plain', {}, holding())).toMatchObject({ value: [{ n: 1 }] });
  });

  it('keep a prompt from a resource that its caller may not read', async () => {
    expect(await errorOf(call('report', {}, holding()))).toMatchObject({ code: 'scope_insufficient' });
    const { messages } = await call('report', {}, holding('hr:read'));
    expect(messages).toMatchObject([{ content: { type: 'resource', outcome: { value: 'secret' } } }]);
  });
});

describe('the record of a call', () => {
  it('has the time that it took, and no part that it had not', async () => {
    let now = 1_000;
    const clock = {
      now: () => {
        now += 7;
        return now;
      },
    };
    await call('plain', {}, { runtime: { clock } });
    const { startedAt, durationMs, ...rest } = lastRecord() ?? { startedAt: 0, durationMs: 0 };
    expect([startedAt, durationMs % 7 === 0, durationMs > 0 && durationMs < 700]).toEqual([
      1_007,
      true,
      true,
    ]);
    expect(Object.keys(rest).toSorted()).toEqual(
      [
        'args',
        'context',
        'decision',
        'entry',
        'error',
        'kind',
        'name',
        'result',
        'span',
        'status',
        'traceId',
      ].toSorted(),
    );
  });

  it('has no span if the call was refused before it began', async () => {
    const context = { ...contextOf(), signal: AbortSignal.abort() };
    const lease = () => {
      throw new Error('A cancelled call takes no lease.');
    };
    expect(await errorOf(call('plain', {}, { context, runtime: { lease } }))).toMatchObject({
      code: 'cancelled',
    });
    expect(lastRecord()).toMatchObject({ name: 'plain', status: 'error' });
    expect(lastRecord()).not.toHaveProperty('span');
  });

  it('of a denied call has the arguments that the rule read', async () => {
    expect(await errorOf(call('ruled'))).toMatchObject({ code: 'denied' });
    expect(lastRecord()).toMatchObject({ args: { many: 3 }, decision: { outcome: 'deny' } });
    expect(served.lines).toEqual([]);
    await call('ruled', { many: 2 });
    expect(lastRecord()).toMatchObject({ args: { many: 2 }, decision: { outcome: 'allow' } });
  });

  it('has the answers of a person apart from the arguments', async () => {
    await call('echo', {}, { context: { ...contextOf(), elicitation: answering({ word: 'hello' }) } });
    expect(lastRecord()).toMatchObject({ status: 'success', args: {}, answers: { word: 'hello' } });
    await call('plain');
    expect(lastRecord()).not.toHaveProperty('answers');
  });

  it('has the events of a function', async () => {
    const python = pythonOf((host) => host.event({ step: 'one' }));
    await call('python', {}, { runtime: { python } });
    expect(lastRecord()).toMatchObject({ status: 'success', result: [1, 2], events: [{ step: 'one' }] });
  });

  it('says whether the result was kept, and a kept one is not asked for again', async () => {
    const cache = createResultCache();
    let statements = 0;
    const opened = await served.runtime.database();
    const run: typeof opened.run = (...given) => {
      if (given[0].sql.includes('numbers')) statements += 1;
      return opened.run(...given);
    };
    const counting = new Proxy(opened, {
      get: (one, key) => (key === 'run' ? run : Reflect.get(one, key, one)),
    });
    const database = async () => counting;
    const cached: (boolean | undefined)[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const { top, spans } = recordSpans();
      expect((await call('kept', { many: 4 }, { runtime: { cache, database, spans } })).value).toHaveLength(
        4,
      );
      cached.push(lastRecord()?.cached);
      expect(engineSpan(top)?.attributes['svc.cache.hit']).toBe(cached.at(-1));
    }
    expect([cached.at(-1), statements]).toEqual([true, cached.filter((hit) => hit !== true).length]);
  });
});

describe('a result that was kept', () => {
  it('is masked for each caller as the rules say, whoever asked before', async () => {
    const cache = createResultCache();
    const answers = {
      analyst: { value: [{ n: '****', m: 40 }], text: '[{"n":"****","m":40}]' },
      clerk: { value: [{ n: 4 }], text: '[{"n":4}]' },
      boss: { value: [{ n: 4, m: 40 }], text: '[{"n":4,"m":40}]' },
    };
    const roles = [
      'analyst',
      'clerk',
      'boss',
      'clerk',
      'boss',
      'analyst',
      'analyst',
      'boss',
      'clerk',
    ] as const;
    for (const role of roles) {
      const context = contextOf({ ...ALICE, role });
      expect(await call('ages', {}, { context, runtime: { cache } })).toMatchObject(answers[role]);
    }
    expect(lastRecord()?.cached).toBe(true);
  });
});

describe('the spans of a call', () => {
  const attributesOf = async (name: string, runtime: Partial<Runtime> = {}, args: JsonObject = {}) => {
    const { top, spans } = recordSpans();
    await call(name, args, { runtime: { ...runtime, spans } });
    return [top[0]?.attributes, engineSpan(top)?.attributes];
  };

  it('name no decision where no rule decided', async () => {
    const [root] = await attributesOf('rows');
    expect(root).toEqual({
      'svc.endpoint.name': 'rows',
      'svc.endpoint.type': 'tool',
      'svc.auth.authenticated': false,
      'svc.policy.rules_evaluated': 0,
    });
  });

  it('tell the parameters, the declared result and the number of rows', async () => {
    const engine = { 'svc.execution.language': 'sql', 'svc.params.count': 1, 'svc.has_input_schema': true };
    expect((await attributesOf('typed'))[1]).toEqual({
      ...engine,
      'svc.has_output_schema': true,
      'svc.result.count': 3,
    });
    expect((await attributesOf('plain'))[1]).toEqual({
      'svc.execution.language': 'sql',
      'svc.params.count': 0,
      'svc.has_input_schema': false,
      'svc.has_output_schema': false,
      'svc.result.count': 1,
    });
    const [, prompt] = await attributesOf('greeting', {}, { name: 'Ada' });
    expect(prompt).toEqual({
      'svc.params.count': 1,
      'svc.has_input_schema': true,
      'svc.has_output_schema': false,
      'svc.result.count': 1,
    });
    const [, python] = await attributesOf('python', { python: pythonOf(() => {}) });
    expect(python).toMatchObject({ 'svc.execution.language': 'python', 'svc.result.count': 2 });
  });
});

describe('a call that fails', () => {
  it('is logged with its ids where a condition cannot be evaluated, and a denial is not', async () => {
    const before = served.lines.length;
    expect(await errorOf(call('ruled', { many: 3 }))).toMatchObject({ code: 'denied' });
    expect(served.lines).toHaveLength(before);
    const context = { ...contextOf(ALICE), sessionId: 's-1' };
    expect(await errorOf(call('odd', {}, { context }))).toMatchObject({ code: 'denied' });
    expect(served.lines.at(-1)).toMatchObject({
      level: 'error',
      message: expect.stringMatching(/^a policy of odd could not be evaluated/),
      fields: { error_id: 'r-1', endpoint: 'odd' },
    });
    expect(Object.keys(served.lines.at(-1)?.fields ?? {}).length).toBeGreaterThan(2);
  });

  it('is one with an argument that the endpoint does not declare, but answers of a command are arguments', async () => {
    const command = { context: contextOf(null, 'cli') };
    expect((await call('echo', { word: 'hello' }, command)).value).toEqual([{ word: 'hello' }]);
    expect(await errorOf(call('echo', { word: 'hello' }))).toMatchObject({ code: 'arguments_invalid' });
    expect(await errorOf(call('plain', { word: 'hello' }, command))).toMatchObject({
      code: 'arguments_invalid',
    });
  });

  it('does not repeat a sensitive answer, but any other one', async () => {
    const elicitation = answering({ word: 'abracadabra', place: 'Paris' });
    const error = await errorOf(call('asks', {}, { context: { ...contextOf(), elicitation } }));
    expect(error.message).toMatch(/not \[REDACTED\] in Paris/);
  });

  it('tells nothing more of its progress', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const told: string[] = [];
      const context = {
        ...contextOf(),
        progress: (_: number, __: number, text: string) => void told.push(text),
      };
      expect(await errorOf(call('fails', {}, { context }))).toMatchObject({ code: 'sql_failed' });
      vi.advanceTimersByTime(10_000);
      expect([told, vi.getTimerCount()]).toEqual([['The arguments are checked.'], 0]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the progress of a function', () => {
  it('reaches a client that asked for it, and harms no other', async () => {
    const runtime = { python: pythonOf((host) => host.progress(1, 2, 'Half is done.')) };
    const told: string[] = [];
    const context = {
      ...contextOf(),
      progress: (_: number, __: number, text: string) => void told.push(text),
    };
    await call('python', {}, { context, runtime });
    expect(told).toContain('Half is done.');
    expect(await call('python', {}, { runtime })).toMatchObject({ value: [1, 2] });
  });
});

describe('the answer of a call', () => {
  it('has blocks exactly for a tool whose rows are content', async () => {
    expect((await call('blocks')).blocks).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(await call('plain')).not.toHaveProperty('blocks');
    expect(await call('staff://salaries')).not.toHaveProperty('blocks');
  });

  it('names the columns in their order if an object would sort their names as numbers', async () => {
    expect(await call('years')).toMatchObject({ columns: ['2024', '2023'] });
    expect(await call('quarters')).not.toHaveProperty('columns');
  });

  it('of a text is that text, and no bytes', async () => {
    const said: string[] = [];
    const context = { ...contextOf(), notify: (_: string, text: string) => said.push(text) > 0 };
    const answer = await call('skill://ask/SKILL.md', {}, { context });
    expect(answer).toMatchObject({
      value: expect.stringMatching(/Text\.\n$/),
      binary: false,
      truncated: null,
    });
    expect(said).toEqual(['The arguments are checked.', 'The result is ready.']);
  });
});

/** A client that gives the same answers to each question. */
function answering(values: JsonObject): NonNullable<RequestContext['elicitation']> {
  return {
    can: () => true,
    ask: async (asked) => new Map(asked.map(({ key }) => [key, { values }])),
  };
}

interface Recorded {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
}

/** Spans that keep their attributes, in the order of their start. */
function recordSpans(): { readonly spans: Spans; readonly top: Recorded[] } {
  const top: Recorded[] = [];
  const open = <T>(name: string, attributes: SpanAttributes, run: (span: Span) => Promise<T>): Promise<T> => {
    const span = { name, attributes: { ...attributes } as Record<string, unknown> };
    top.push(span);
    return run({ traceId: null, set: (more) => void Object.assign(span.attributes, more), span: open });
  };
  return { top, spans: { trace: (name, attributes, _parent, run) => open(name, attributes, run) } };
}

function engineSpan(spans: readonly Recorded[]): Recorded | undefined {
  return spans.find(({ name }) => name === 'svc.execution_engine.execute');
}

/** Python whose every function gives [1, 2]. */
function pythonOf(act: (host: PythonHost) => void): () => Promise<Python> {
  const python: Python = {
    kind: 'child',
    call: async (_, host) => {
      act(host);
      return { value: [1, 2], binary: false, truncated: false };
    },
    close: async () => {},
  };
  return async () => python;
}
