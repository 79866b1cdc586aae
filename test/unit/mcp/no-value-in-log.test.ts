import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLines } from '../../../adapters/python/printed-lines.ts';
import { createAnswers } from '../../../adapters/python/protocol/answers.ts';
import { createPythonHost } from '../../../src/call/python-host.ts';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import { logFailure } from '../../../src/mcp/errors.ts';
import { ALICE, contextOf, type Served, serveTree } from '../call/project.ts';
import { createTestApp, modern, post } from './fixture.ts';

const PLANTED = 'planted-4711';

const TREE = {
  // DuckDB quotes the text that it cannot convert.
  'tools/sql.yml': `tool:
  name: sql
  parameters: [{ name: pin, type: string, sensitive: true }]
  source: { code: SELECT $pin::INTEGER AS n }
`,
  // CEL quotes the key that a map does not have.
  'tools/cel.yml': `tool:
  name: cel
  parameters: [{ name: pin, type: string, sensitive: true }]
  policies:
    input: [{ condition: "{'a': 1}[pin] > 0", action: deny }]
  source: { code: SELECT $pin AS n }
`,
  'tools/open.yml': `tool:
  name: open
  parameters: [{ name: word, type: string }]
  policies:
    input: [{ condition: "{'a': 1}[word] > 0", action: deny }]
  source: { code: SELECT $word AS n }
`,
  'prompts/complete.yml': `prompt:
  name: complete
  parameters:
    - name: pin
      type: string
      sensitive: true
  completion: { pin: SELECT $value::INTEGER AS n }
  messages: [{ prompt: "{{ pin }}" }]
`,
};

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, 'SELECT 1');
});
afterAll(() => served.close());

async function logOf(method: string, params: JsonObject): Promise<string> {
  const before = served.lines.length;
  const { body, headers } = modern(method, params);
  await (await createTestApp(served.runtime).fetch(post(body, headers))).text();
  return JSON.stringify(served.lines.slice(before));
}

it.each([
  ['DuckDB', 'tools/call', { name: 'sql', arguments: { pin: PLANTED } }, 'Could not convert'],
  ['CEL', 'tools/call', { name: 'cel', arguments: { pin: PLANTED } }, 'could not be evaluated'],
  [
    'a completion',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'complete' }, argument: { name: 'pin', value: PLANTED } },
    'Could not convert',
  ],
])('the log has no sensitive argument in an error of %s', async (_, method, params, told) => {
  const log = await logOf(method, params);
  expect(log).toContain(told);
  expect(log).toContain('[REDACTED]');
  expect(log).not.toContain(PLANTED);
});

it('the log shows an argument that is not sensitive in an error of CEL', async () => {
  expect(await logOf('tools/call', { name: 'open', arguments: { word: 'Paris' } })).toContain('Paris');
});

it('the log has no credential of the caller, with its scheme or without', () => {
  const [entry] = [served.runtime.catalog.tools.sql as never];
  const before = served.lines.length;
  const headers = new Map([
    ['authorization', `Bearer ${PLANTED}`],
    ['x-api-key', 'planted-api-key'],
    ['accept', 'text/html'],
  ]);
  const context = {
    requestId: 'r',
    traceparent: null,
    headers: () => headers,
    user: { ...ALICE, externalToken: 'planted-token' },
  };
  const text = `text/html: '${PLANTED}', 'planted-api-key', 'planted-token'`;
  const error = new SvcError('sql_failed', text, { cause: new Error(text) });
  logFailure(served.runtime, { method: 'tools/call', entry, args: {}, context }, error);
  const hidden = "text/html: '[REDACTED]', '[REDACTED]', '[REDACTED]'";
  expect(served.lines.slice(before)).toMatchObject([
    { message: `tools/call sql failed: ${hidden}`, fields: { causes: [hidden] } },
  ]);
});

it('what a function prints has no sensitive argument, also after the next call has begun', () => {
  const lines: unknown[] = [];
  const printed = createLines(
    ({ message, fields }) => lines.push([message, fields]),
    (text) => text,
  );
  const call = (hidden: string) => ({ hidden: [hidden], fields: { request_id: hidden.slice(-1) } });
  printed.begin('a.py', call('planted-1'));
  printed.begin('b.py', call('planted-2'));
  printed.write('planted-1 planted-2\n');
  expect(lines).toEqual([['b.py: [REDACTED] [REDACTED]', { request_id: '2' }]]);
});

it('the log has no sensitive argument in a line of a Python function', () => {
  const { tools } = served.runtime.catalog;
  const before = served.lines.length;
  const [entry, context] = [tools.sql as never, contextOf(null)];
  const work = {
    context,
    span: undefined as never,
    events: [],
    scans: [],
    advance: () => {},
    onRun: () => {},
  };
  const ended = new AbortController().signal;
  const host = createPythonHost(served.runtime, entry, { ...work, ended, args: { pin: PLANTED } });
  host.notice('info', `working on ${PLANTED}`);
  expect(served.lines.slice(before)).toMatchObject([{ message: 'sql: working on [REDACTED]' }]);
});

it('a secret that Python has read is in none of its reports', async () => {
  const heard: unknown[] = [];
  const settings = {
    secret: () => null,
    config: () => ({ site: {}, user: {} }),
    conceal: (text: string) => text.replaceAll(PLANTED, '[REDACTED]'),
  };
  const host = {
    execute: async () => [],
    notice: (...told: unknown[]) => heard.push(told),
    progress: (...told: unknown[]) => heard.push(told),
    event: (told: unknown) => heard.push(told),
  };
  const answers = createAnswers(settings as never, host as never);
  await answers.answer({ what: 'notice', level: 'info', text: `a ${PLANTED}` });
  await answers.answer({ what: 'progress', done: 1, total: 2, text: `b ${PLANTED}` });
  await answers.answer({
    what: 'event',
    event: { target: `https://x/?k=${PLANTED}`, summary: `c ${PLANTED}`, details: { [PLANTED]: [PLANTED] } },
  });
  expect(heard).toEqual([
    ['info', 'a [REDACTED]'],
    [1, 2, 'b [REDACTED]'],
    { target: 'https://x/?k=[REDACTED]', summary: 'c [REDACTED]', details: { '[REDACTED]': ['[REDACTED]'] } },
  ]);
});
