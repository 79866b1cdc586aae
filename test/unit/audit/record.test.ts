import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditRecord, RECORD_FIELDS, toAuditRecord } from '../../../src/audit/record.ts';
import type { CallRecord } from '../../../src/call/call-record.ts';
import { recordUnknown } from '../../../src/call/call-record.ts';
import type { RequestContext } from '../../../src/context.ts';
import { SvcError } from '../../../src/errors.ts';
import type { JsonObject, JsonValue } from '../../../src/json.ts';
import type { Python, PythonHost, PythonRequest, Spans } from '../../../src/ports.ts';
import { runEndpoint } from '../../../src/quality/run-endpoint.ts';
import { ALICE, contextOf, type Served, serveTree } from '../call/project.ts';

const PEOPLE = `tool:
  name: people
  parameters:
    - { name: country, type: string }
    - { name: pin, type: string, default: null, sensitive: true }
    - name: filter
      type: object
      default: {}
      properties:
        city: { type: string }
        ssn: { type: string, sensitive: true }
    - { name: tags, type: array, default: [], items: { type: object, properties: { key: { type: string }, secret_note: { type: string } } } }
  return:
    type: array
    items:
      type: object
      properties:
        name: { type: string }
        salary: { type: string, sensitive: true }
        echo: { type: string }
  policies:
    input:
      - { condition: "country == 'XX'", action: deny, reason: No such place for you. }
  source:
    code: SELECT name, 'planted-salary' AS salary, $pin AS echo FROM (VALUES ('Ada'), ('Bob')) t(name) WHERE $country <> '' AND $filter IS NOT NULL AND $tags IS NOT NULL
`;
const CLOSED = `tool:
  name: closed
  source: { code: SELECT 1 AS n }
  policies:
    output: [{ condition: "response[0].n == 1", action: deny, reason: Not this result. }]
`;
const BROKEN = `tool:
  name: broken
  source: { code: "SELECT CAST('planted-row' AS INTEGER) AS n" }
`;
const GREET = `prompt:
  name: greet
  parameters:
    - { name: who, type: string }
    - { name: code, type: string, sensitive: true }
  messages:
    - { role: user, type: text, prompt: "Greet {{ who }} by {{ code }}" }
`;
const ASK = 'ask: [{ name: check, message: PIN?, fields: [{ name: pin, type: string, sensitive: true }] }]';
const ASKS = `tool:
  name: asks
  ${ASK}
  source: { code: SELECT $pin AS shown }
`;
const ASKS_IN_PYTHON = `tool:
  name: asks_in_python
  ${ASK}
  source: { file: asks.py }
`;
const ASKS_POLICY = `tool:
  name: asks_policy
  ${ASK}
  policies:
    output: [{ condition: "{'a': 1}[response[0].shown] > 0", action: deny }]
  source: { code: SELECT $pin AS shown }
`;
const CARD = `prompt:
  name: card
  ${ASK}
  messages: [{ role: user, type: text, prompt: "PIN {{ pin }}" }]
`;
const ORDER = `resource:
  uri: orders://{id}
  parameters: [{ name: id, type: integer }]
  source: { code: SELECT $id AS id }
`;

let served: Served;
beforeAll(async () => {
  served = await serveTree(
    {
      'tools/people.yml': PEOPLE,
      'tools/closed.yml': CLOSED,
      'tools/broken.yml': BROKEN,
      'prompts/greet.yml': GREET,
      'resources/order.yml': ORDER,
      'tools/asks.yml': ASKS,
      'tools/asks_in_python.yml': ASKS_IN_PYTHON,
      'tools/asks.py': 'def asks_in_python(pin): return pin',
      'tools/asks_policy.yml': ASKS_POLICY,
      'prompts/card.yml': CARD,
    },
    'CREATE TABLE t AS SELECT 1',
  );
});
afterAll(() => served.close());

const ALL = { inputs: true, outputs: true };

async function recorded(
  kind: 'tool' | 'resource' | 'prompt',
  name: string,
  args: JsonObject,
  context: RequestContext = contextOf(ALICE),
): Promise<CallRecord> {
  const before = served.records.length;
  await runEndpoint(served.runtime, kind, name, args, context).catch(() => null);
  expect(served.records).toHaveLength(before + 1);
  const call = served.records.at(-1);
  if (call === undefined) throw new Error('nothing was recorded');
  return call;
}

describe('an audit record', () => {
  /** Transcribed from spec.md, "Audit record". */
  const SPEC: readonly (readonly [string, (value: unknown) => boolean])[] = [
    // Requirements: audit.record_id
    ['record_id', isText],
    ['timestamp', (value) => isText(value) && new Date(value as string).toISOString() === value],
    ['schema_name', among('svc.endpoints')],
    ['schema_version', (value) => value === 1],
    ['operation_type', among('tool', 'resource', 'prompt')],
    ['operation_name', isText],
    ['operation_status', among('success', 'error')],
    ['duration_ms', Number.isInteger],
    ['caller_type', isText],
    ['user_id', isTextOrNull],
    ['session_id', isTextOrNull],
    ['trace_id', isTextOrNull],
    ['policy_decision', among('allow', 'deny', 'n/a')],
    ['policy_reason', isTextOrNull],
    ['error_message', isTextOrNull],
  ];

  // Requirements: audit.operation_name, audit.operation_status, audit.operation_type
  // Requirements: audit.error_message, audit.policy_decision, audit.policy_reason, audit.schema_name
  // Requirements: audit.schema_version, audit.timestamp, version.3
  it('has every field of the spec, of its type, whatever became of the call', async () => {
    const calls = [
      await recorded('tool', 'people', { country: 'DE' }),
      await recorded('tool', 'people', { country: 'XX' }),
      await recorded('tool', 'people', {}),
      await recorded('resource', 'orders://{id}', { id: 7 }),
      await recorded('prompt', 'greet', { who: 'Ada', code: 'planted-code' }),
    ];
    expect(
      calls.map((call) => {
        const { operation_type, operation_name, operation_status, policy_decision } = toAuditRecord(
          call,
          ALL,
        );
        return [operation_type, operation_name, operation_status, policy_decision].join(' ');
      }),
    ).toEqual([
      'tool people success allow',
      'tool people error deny',
      'tool people error n/a',
      'resource orders://{id} success n/a',
      'prompt greet success n/a',
    ]);
    const said = calls.map((call) => toAuditRecord(call, ALL));
    expect(said.map(({ policy_reason }) => policy_reason)).toEqual([
      null,
      'No such place for you.',
      null,
      null,
      null,
    ]);
    expect(said.map(({ error_message }) => error_message)).toEqual([
      null,
      'No such place for you.',
      expect.stringContaining('country'),
      null,
      null,
    ]);
    for (const call of calls) {
      const record: Record<string, unknown> = { ...toAuditRecord(call, ALL) };
      const wrong = SPEC.filter(([field, holds]) => !(field in record && holds(record[field])));
      expect(wrong.map(([field]) => `${field} is ${JSON.stringify(record[field])}`)).toEqual([]);
      expect(Object.keys(record).filter((field) => !(field in RECORD_FIELDS))).toEqual([]);
    }
  });

  // Requirements: audit.duration_ms
  it.each([
    ['succeeds', { country: 'DE' }, 'success'],
    ['fails', {}, 'error'],
  ])('has the milliseconds from the begin of a call to its end, if it %s', async (_name, args, status) => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => now };
    const trace: Spans['trace'] = (name, attributes, parent, run) => {
      now += 90_061_499.6;
      return served.runtime.spans.trace(name, attributes, parent, run);
    };
    const records: CallRecord[] = [];
    const observe = (call: CallRecord) => void records.push(call);
    const runtime = { ...served.runtime, clock, observe, spans: { trace } };
    await runEndpoint(runtime, 'tool', 'people', args, contextOf(ALICE)).catch(() => null);
    expect(records.map((call) => toAuditRecord(call, ALL))).toMatchObject([
      { operation_status: status, timestamp: '2026-01-01T00:00:00.000Z', duration_ms: 90_061_500 },
    ]);
  });

  // Requirements: audit.caller_type, audit.session_id, audit.user_id
  it('tells who called, from where, in which session and trace', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const context = {
      ...contextOf(ALICE, 'sse'),
      sessionId: 's-1',
      traceparent: `00-${trace}-b7ad6b7169203331-01`,
    };
    expect(toAuditRecord(await recorded('tool', 'people', { country: 'DE' }, context), ALL)).toMatchObject({
      caller_type: 'sse',
      user_id: 'u-1',
      session_id: 's-1',
      trace_id: trace,
      request_id: 'r-1',
      operation_status: 'success',
      policy_decision: 'allow',
      policies_evaluated: 1,
      policies_applied: [],
      result_count: 2,
    });
  });

  // Requirements: audit.policy_decision, audit.policy_reason
  it('D5: of a denied call has the decision and its reason', async () => {
    expect(toAuditRecord(await recorded('tool', 'people', { country: 'XX' }), ALL)).toMatchObject({
      operation_status: 'error',
      policy_decision: 'deny',
      policy_reason: 'No such place for you.',
      policies_applied: ['input[0]'],
      error_code: 'denied',
      error_message: 'No such place for you.',
      result_count: null,
    });
  });

  // Requirements: condition.policy
  it('of a call whose result is denied has the decision and its reason, and not the result', async () => {
    const record = toAuditRecord(await recorded('tool', 'closed', {}), ALL);
    expect(record).toMatchObject({
      operation_status: 'error',
      policy_decision: 'deny',
      policy_reason: 'Not this result.',
      error_message: 'Not this result.',
    });
    expect(record.output_data ?? null).toBeNull();
  });

  // Requirements: audit.error_message, condition.call
  it('of a query that fails has the message, without its data', async () => {
    expect(toAuditRecord(await recorded('tool', 'broken', {}), ALL)).toMatchObject({
      operation_status: 'error',
      error_code: 'sql_failed',
      error_message: 'The query of this endpoint failed.',
      policy_decision: 'n/a',
    });
  });

  // Requirements: audit.error_message
  it('of wrong arguments has what was declared, and only the names of the rest', async () => {
    const call = await recorded('tool', 'people', { country: 5, pasword: 'planted-typo' });
    const record = toAuditRecord(call, ALL);
    expect(record).toMatchObject({
      operation_status: 'error',
      error_code: 'arguments_invalid',
      input_data: { country: 5, pasword: '[REDACTED]' },
      policy_decision: 'n/a',
    });
    expect(JSON.stringify(record)).not.toContain('planted');
  });

  it('of a cancelled call says so', async () => {
    const context = { ...contextOf(ALICE), signal: AbortSignal.abort() };
    expect(toAuditRecord(await recorded('tool', 'people', { country: 'DE' }, context), ALL)).toMatchObject({
      operation_status: 'error',
      error_code: 'cancelled',
    });
  });

  // Requirements: audit.operation_name
  it('of a name that nothing answers to keeps no value of the client', () => {
    const uri = 'orders://x?token=planted-query';
    const error = new SvcError('endpoint_unknown', `Unknown resource: ${uri}`);
    const args = { ssn: 'planted-ssn' };
    recordUnknown(served.runtime, { kind: 'resource', name: uri, args, context: contextOf(null), error });
    const record = toAuditRecord(lastCall(), ALL);
    expect(record).toMatchObject({
      operation_type: 'resource',
      operation_name: 'orders://x?[REDACTED]',
      operation_status: 'error',
      error_code: 'endpoint_unknown',
      user_id: null,
      input_data: { ssn: '[REDACTED]' },
    });
    expect(record.error_message).toBe('Unknown resource: orders://x?[REDACTED]');
    expect(JSON.stringify(record)).not.toContain('planted');
  });

  // Requirements: audit.operation_name
  it('names a resource by its template', async () => {
    expect(toAuditRecord(await recorded('resource', 'orders://7', {}), ALL)).toMatchObject({
      operation_type: 'resource',
      operation_name: 'orders://{id}',
      input_data: { id: expect.anything() },
    });
  });

  // Requirements: audit.error_message, condition.call
  it('tells a client no more than it was told itself', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    const error = new SvcError('sql_failed', 'Conversion Error: planted-row');
    expect(toAuditRecord({ ...call, status: 'error', error }, ALL)).toMatchObject({
      error_code: 'sql_failed',
      error_message: 'The query of this endpoint failed.',
    });
  });

  // Requirements: audit.record_id
  it('has ids that are UUIDs of version 7 and sort by time', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    const at = (startedAt: number) => toAuditRecord({ ...call, startedAt }, ALL).record_id;
    const ids = Array.from({ length: 1_000 }, (_, index) => at(1_786_000_000_000 + index));
    expect(ids.toSorted()).toEqual(ids);
    const atOnce = ids.map(() => at(1_786_000_000_000));
    expect(new Set([...ids, ...atOnce]).size).toBe(2 * ids.length);
    expect(
      ids.every((id) => /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)),
    ).toBe(true);
  });
});

describe('redaction', () => {
  const line = (record: AuditRecord) => JSON.stringify(record);

  const answering: RequestContext = {
    ...contextOf(ALICE),
    elicitation: {
      can: () => true,
      ask: async (asked) => new Map(asked.map(({ key }) => [key, { values: { pin: 'planted-pin' } }])),
    },
  };

  it.each([
    ['a row', 'tool', 'asks', [{ shown: '[REDACTED]' }]],
    ['the text of a prompt', 'prompt', 'card', '[REDACTED]'],
  ] as const)('takes a sensitive answer out of %s', async (_, kind, name, output) => {
    const call = await recorded(kind, name, {}, answering);
    expect(call).toMatchObject({ status: 'success', args: {}, answers: { pin: 'planted-pin' } });
    expect(toAuditRecord(call, ALL)).toMatchObject({ input_data: {}, output_data: output });
    expect(line(toAuditRecord(call, ALL))).not.toContain('planted');
  });

  it('takes a sensitive answer out of the events of a function', async () => {
    const records: CallRecord[] = [];
    const python = pythonOf(({ args }, host) => {
      host.event({ kind: 'external', status: 'success', summary: `checked ${args.pin}` });
      return args.pin ?? null;
    });
    const runtime = { ...served.runtime, python, observe: (call: CallRecord) => void records.push(call) };
    await runEndpoint(runtime, 'tool', 'asks_in_python', {}, answering);
    expect(records.map((call) => toAuditRecord(call, ALL))).toMatchObject([
      { output_data: '[REDACTED]', execution_events: [{ summary: 'checked [REDACTED]' }] },
    ]);
  });

  it('takes a sensitive answer out of the failure of a policy, which the log tells', async () => {
    const before = served.lines.length;
    await recorded('tool', 'asks_policy', {}, answering);
    const log = JSON.stringify(served.lines.slice(before));
    expect(log).toContain('could not be evaluated');
    expect(log).not.toContain('planted');
  });

  // Requirements: endpoint.return.sensitive
  it('D6: takes out what is sensitive, nested and in lists, in parameters, results and echoes', async () => {
    const args = {
      country: 'DE',
      pin: 'planted-pin',
      filter: { city: 'Ulm', ssn: 'planted-ssn' },
      tags: [{ key: 'a', secret_note: 'planted-note' }],
    };
    const call = await recorded('tool', 'people', args);
    expect(call.status).toBe('success');
    const record = toAuditRecord(call, ALL);
    expect(line(record)).not.toContain('planted');
    expect(record.input_data).toEqual({
      country: 'DE',
      pin: '[REDACTED]',
      filter: { city: 'Ulm', ssn: '[REDACTED]' },
      tags: [{ key: 'a', secret_note: '[REDACTED]' }],
    });
    expect(record.output_data).toEqual([
      { name: 'Ada', salary: '[REDACTED]', echo: '[REDACTED]' },
      { name: 'Bob', salary: '[REDACTED]', echo: '[REDACTED]' },
    ]);
  });

  it('takes a sensitive value out of texts before it, too', async () => {
    const args = { country: 'DE, for planted-ssn', filter: { city: 'Ulm', ssn: 'planted-ssn' } };
    const call = await recorded('tool', 'people', args);
    const result = [
      { echo: 'Bob earns planted-more', salary: null },
      { echo: '', salary: 'planted-more' },
    ];
    const record = toAuditRecord({ ...call, result }, ALL);
    expect(record.input_data).toMatchObject({ country: 'DE, for [REDACTED]' });
    expect(record.output_data).toMatchObject([{ echo: 'Bob earns [REDACTED]' }, {}]);
    expect(line(record)).not.toContain('planted');
  });

  it('takes out whole what may hold something sensitive in a shape that is not declared', async () => {
    const args = { country: 'DE', filter: '{"ssn": "planted-ssn", ', pin: { deep: ['planted-deep'] } };
    const record = toAuditRecord(await recorded('tool', 'people', args), ALL);
    expect(line(record)).not.toContain('planted');
    expect(record.input_data).toMatchObject({ filter: '[REDACTED]', pin: '[REDACTED]' });
  });

  it('keeps nothing of a prompt that is made of something sensitive', async () => {
    const call = await recorded('prompt', 'greet', { who: 'Ada', code: 'planted-code' });
    const record = toAuditRecord(call, ALL);
    expect(record).toMatchObject({ operation_status: 'success', output_data: '[REDACTED]', result_count: 1 });
    expect(line(record)).not.toContain('planted');
  });

  it('finds a sensitive value again in an error and in a reason', async () => {
    const call = await recorded('tool', 'people', { country: 'DE', pin: 'planted"pin' });
    const error = new SvcError('denied', 'the pin planted"pin is known, as "planted\\"pin"');
    const record = toAuditRecord(
      { ...call, error, decision: { ...call.decision, reason: error.message } },
      ALL,
    );
    expect(record.error_message).toBe('the pin [REDACTED] is known, as "[REDACTED]"');
    expect(line(record)).not.toContain('planted');
  });

  it.each([
    'password',
    'apiKey',
    'API-Key',
    'client_secret',
    'access_token',
    'Authorization',
    'db_pwd',
    'otp',
    'pass',
    'private_key',
  ])('takes out what is called %s, wherever it is', async (name) => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    const result = [{ nested: { [name]: 'planted-1', [`${name}`.toUpperCase()]: ['planted-2'] } }];
    const record = toAuditRecord({ ...call, entry: withoutTypes(call), result }, ALL);
    expect(line(record)).not.toContain('planted');
  });

  it('takes out tokens that are counted by nobody', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    const result = [{ tokens: ['planted-1'], input_tokens: 'planted-2', output_tokens: 7 }];
    const record = toAuditRecord({ ...call, entry: withoutTypes(call), result }, ALL);
    expect(record.output_data).toEqual([
      { tokens: '[REDACTED]', input_tokens: '[REDACTED]', output_tokens: 7 },
    ]);
  });

  it.each([
    ['{"a": 1, "password": "planted \\" 1", "b": 2}', '{"a": 1, "password": "[REDACTED]", "b": 2}'],
    ['{"apiKey":12345678,"max_tokens":5}', '{"apiKey":"[REDACTED]","max_tokens":5}'],
    ['{"client_secret": "planted-and-cut', '{"client_secret": "[REDACTED]"'],
    ['https://x.example/a?api_key=planted&page=2', 'https://x.example/a?api_key=[REDACTED]&page=2'],
    ['host=db password=planted port=1', 'host=db password=[REDACTED] port=1'],
    ['author=Ada max_tokens=5 a=b', 'author=Ada max_tokens=5 a=b'],
  ])('takes out of a text what it gives such a name: %s', async (country, shown) => {
    const call = await recorded('tool', 'people', { country });
    expect(toAuditRecord(call, ALL).input_data?.country).toBe(shown);
  });

  it('leaves counters of tokens and ordinary names', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    const result = { max_tokens: 100, author: 'Ada', spinner: 'x', keyboard: 'qwerty' };
    expect(toAuditRecord({ ...call, entry: withoutTypes(call), result }, ALL).output_data).toEqual(result);
  });

  it.each([
    'Bearer abcdefgh12345678',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    'postgres://svc:hunter2@db/x',
    'redis://:hunter2@cache/0',
    'https://hunter2@host/x',
    'AKIAIOSFODNN7EXAMPLE',
    `-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----`,
    'ghp_0123456789abcdefghij',
  ])('takes a credential out of any text: %s', async (secret) => {
    const call = await recorded('tool', 'people', { country: `see ${secret} there` });
    const { input_data } = toAuditRecord(call, ALL);
    expect(JSON.stringify(input_data)).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(input_data?.country).toMatch(/^see .*\[REDACTED\].* there$/);
  });

  it('is not asked for values that are not recorded', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    const record = toAuditRecord(call, { inputs: false, outputs: false });
    expect(record).not.toHaveProperty('input_data');
    expect(record).not.toHaveProperty('output_data');
  });
});

describe('what a call did elsewhere', () => {
  const EVENT = {
    kind: 'external',
    started_at: 1.5,
    duration_ms: 12.4,
    status: 'error',
    target: 'api.example.com',
    operation: 'GET /rates',
    summary: 'with Bearer abcdefghijklmnopqrstuvwxyz012345',
    error: 'TimeoutError',
    details: { api_key: 'planted-key', rates: 3 },
  };

  it('is in it without what is secret', async () => {
    const call = { ...(await recorded('tool', 'people', { country: 'DE' })), events: [EVENT] };
    const { execution_events } = toAuditRecord(call, ALL);
    expect(execution_events).toEqual([
      {
        ...EVENT,
        started_at: '1970-01-01T00:00:01.500Z',
        duration_ms: 12,
        summary: expect.not.stringContaining('abcdefghijklmnopqrstuvwxyz012345'),
        details: { api_key: '[REDACTED]', rates: 3 },
      },
    ]);
    const [bare] = toAuditRecord(call, { inputs: true, outputs: false }).execution_events ?? [];
    expect(bare).not.toHaveProperty('details');
  });

  it('is bounded, and nothing where there is nothing', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    expect(toAuditRecord(call, ALL)).not.toHaveProperty('execution_events');
    const events = Array.from({ length: 50 }, () => ({ ...EVENT, details: { text: 'x'.repeat(5_000) } }));
    expect(JSON.stringify(toAuditRecord({ ...call, events }, ALL).execution_events).length).toBeLessThan(
      60_000,
    );
  });
});

describe('the size of a record', () => {
  it('is bounded, and what is missing can be seen', async () => {
    const call = await recorded('tool', 'people', { country: 'x'.repeat(1_000_000) });
    const result = Array.from({ length: 10_000 }, (_, n) => ({ name: `n${n}`, text: 'y'.repeat(5_000) }));
    const record = toAuditRecord({ ...call, result }, ALL);
    expect(JSON.stringify(record).length).toBeLessThan(40_000);
    expect(record.input_data?.country).toMatch(/^x+\[CUT: 998976 more characters\]$/);
    expect(JSON.stringify(record.output_data)).toMatch(/\[CUT: \d+ more items\]"\]$/);
    expect(record.result_count).toBe(10_000);
  });

  it('is bounded for names, keys and depth too', async () => {
    const call = await recorded('tool', 'people', { country: 'DE' });
    let deep: JsonObject = { end: true };
    for (let level = 0; level < 60; level += 1) deep = { ['k'.repeat(10_000)]: deep };
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, 1]));
    const user = { ...ALICE, id: 'u'.repeat(100_000) };
    const context = { ...call.context, user, sessionId: 's'.repeat(100_000), requestId: 'r'.repeat(100_000) };
    const record = toAuditRecord(
      { ...call, context, entry: null, name: 'n'.repeat(100_000), args: wide, result: [deep, wide] },
      ALL,
    );
    expect(JSON.stringify(record).length).toBeLessThan(40_000);
    expect(JSON.stringify(record.output_data)).toContain('[CUT');
  });

  it('never ends in half a character, which not every reader takes for JSON', async () => {
    const call = await recorded('tool', 'people', { country: `${'x'.repeat(1_023)}😀😀` });
    const result = { '\ud800': '\udfff lone' };
    const text = JSON.stringify(toAuditRecord({ ...call, entry: withoutTypes(call), result }, ALL));
    expect(text).not.toMatch(/\\ud[89a-f]/);
  });
});

function lastCall(): CallRecord {
  const call = served.records.at(-1);
  if (call === undefined) throw new Error('nothing was recorded');
  return call;
}

function withoutTypes({ entry }: CallRecord): CallRecord['entry'] {
  return entry === null || entry.kind === 'prompt' ? entry : { ...entry, returns: null };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

function among(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => values.includes(String(value));
}

/** Python whose every function does this. */
function pythonOf(act: (request: PythonRequest, host: PythonHost) => JsonValue): () => Promise<Python> {
  const call: Python['call'] = async (request, host) => {
    return { value: act(request, host), binary: false, truncated: false };
  };
  return async () => ({ kind: 'child', call, close: async () => {} });
}
