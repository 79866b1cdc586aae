import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTelemetry, type Telemetry } from '../../../../adapters/otel/telemetry.ts';
import { toAuditRecord } from '../../../../src/audit/record.ts';
import { createResultCache } from '../../../../src/call/cache.ts';
import { callEndpoint } from '../../../../src/call/pipeline.ts';
import type { RequestContext } from '../../../../src/context.ts';
import { SvcError } from '../../../../src/errors.ts';
import type { LogLine } from '../../../../src/ports.ts';
import { runEndpoint } from '../../../../src/quality/run-endpoint.ts';
import type { TelemetrySettings } from '../../../../src/settings/model.ts';
import { ALICE, contextOf, type Served, serveTree } from '../../call/project.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const QUERY = 'SELECT name, iban FROM planted_table WHERE country = $country';
const PEOPLE = `svc: 1
tool:
  name: people
  description: People of a country.
  parameters:
    - { name: country, type: string, description: A country. }
  return:
    type: array
    items: { type: object, properties: { name: { type: string }, iban: { type: string, sensitive: true } } }
  source:
    code: ${QUERY}
  policies:
    input:
      - { condition: "country == 'planted-denied'", action: deny, reason: not there }
    output:
      - { condition: "user.role != 'boss'", action: mask_fields, fields: [iban] }
`;

const BROKEN = `svc: 1
tool:
  name: broken
  description: Fails.
  parameters: []
  source: { code: "SELECT 'planted-text'::INTEGER AS x FROM planted_table" }
`;

/** Two parameters, four rows, no `return`. */
const MANY = `svc: 1
tool:
  name: many
  parameters:
    - { name: low, type: integer }
    - { name: high, type: integer }
  source: { code: "FROM range($low, $high) WHERE range <> $low" }
  policies:
    output: [{ condition: "user.role != 'boss'", action: filter_fields, fields: [range] }]
`;
const PLAIN = 'svc: 1\ntool: { name: plain, source: { code: SELECT 1 AS n } }\n';
const SURE = 'svc: 1\ntool: { name: sure, confirm: "Sure?", source: { code: SELECT 1 AS n } }\n';
const ONE = 'svc: 1\nresource: { uri: "one://it", source: { code: SELECT 1 AS n } }\n';
const ASK = 'svc: 1\nprompt: { name: ask, messages: [{ prompt: Who? }, { prompt: Why? }] }\n';

const GUIDE = '---\nname: guide\ndescription: How to ask.\n---\nplanted-guide\n';

const SEED = `CREATE TABLE planted_table AS SELECT 'planted-name' AS name, 'planted-iban' AS iban, 'planted-country' AS country`;

const SETTINGS: TelemetrySettings = {
  enabled: true,
  endpoint: null,
  headers: { 'x-api-key': 'planted-key' },
  service_name: null,
  service_version: null,
  environment: 'test',
  resource_attributes: { 'cloud.region': 'eu' },
  tracing: { enabled: true, console_export: false },
  metrics: { enabled: true, export_interval: 3600 },
};

/** Transcribed from spec.md, "Spans" and "Metrics". */
const SPANS = {
  'svc.endpoint.execute': [
    'svc.auth.authenticated',
    'svc.auth.provider',
    'svc.endpoint.name',
    'svc.endpoint.type',
    'svc.policy.decision',
    'svc.policy.rules_evaluated',
    'svc.session.id',
  ],
  'svc.policy.enforce_input': [],
  'svc.validation.input': [],
  'svc.execution_engine.execute': [
    'svc.execution.language',
    'svc.has_input_schema',
    'svc.has_output_schema',
    'svc.params.count',
    'svc.result.count',
  ],
  'svc.database.execute': [
    'db.operation',
    'db.parameters.count',
    'db.readonly',
    'db.rows_affected',
    'db.statement.hash',
    'db.system',
  ],
  'svc.validation.output': [],
  'svc.policy.enforce_output': [],
};

let served: Served;
let receiver: Receiver;
let lines: LogLine[];
let written: string[];
let telemetry: Telemetry;

const start = (settings: Partial<TelemetrySettings> = {}, onDemand = true) => {
  // an export of the test before may fail only now
  const own = lines;
  telemetry = createTelemetry({
    settings: { ...SETTINGS, endpoint: receiver.url, ...settings },
    project: 'demo',
    version: '1.2.3',
    log: (line) => void own.push(line),
    write: (line) => void written.push(line),
    onDemand,
  });
};

function call(name: string, args = {}, context: Partial<RequestContext> = {}) {
  const { spans, observe } = telemetry;
  const entry = served.runtime.catalog.tools[name];
  if (entry === undefined) throw new Error(name);
  const whole = { ...contextOf(ALICE), sessionId: 's-1', ...context };
  return callEndpoint({ runtime: { ...served.runtime, spans, observe }, entry, args, context: whole });
}

const here = { country: 'planted-country' };

beforeAll(async () => {
  const tools = { people: PEOPLE, broken: BROKEN, many: MANY, plain: PLAIN, sure: SURE };
  const tree = Object.fromEntries(Object.entries(tools).map(([name, text]) => [`tools/${name}.yml`, text]));
  served = await serveTree(
    { ...tree, 'resources/one.yml': ONE, 'prompts/ask.yml': ASK, 'skills/guide.md': GUIDE },
    SEED,
  );
});
afterAll(() => served.close());
beforeEach(async () => {
  receiver = await startReceiver();
  lines = [];
  written = [];
  start();
});
afterEach(async () => {
  await receiver.close();
  await telemetry.close();
});

describe('spans', () => {
  // Requirements: attribute.*, span.svc.*
  it('are the tree of the spec with its attributes and no others', async () => {
    await call('people', here);
    await telemetry.flush();
    const { spans } = receiver;
    const parentOf = (name: string) => {
      const { parentSpanId } = spans.find((span) => span.name === name) ?? {};
      return spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? null;
    };
    expect(Object.fromEntries(spans.map(({ name }) => [name, parentOf(name)]))).toEqual({
      'svc.endpoint.execute': null,
      'svc.policy.enforce_input': 'svc.endpoint.execute',
      'svc.validation.input': 'svc.endpoint.execute',
      'svc.execution_engine.execute': 'svc.endpoint.execute',
      'svc.database.execute': 'svc.execution_engine.execute',
      'svc.validation.output': 'svc.execution_engine.execute',
      'svc.policy.enforce_output': 'svc.endpoint.execute',
    });
    const names = spans.map(({ name, attributes }) => [name, Object.keys(attributes).toSorted()]);
    expect(Object.fromEntries(names)).toEqual(SPANS);
    const attributesOf = (name: string) => spans.find((span) => span.name === name)?.attributes;
    expect(attributesOf('svc.endpoint.execute')).toEqual({
      'svc.endpoint.name': 'people',
      'svc.endpoint.type': 'tool',
      'svc.auth.authenticated': true,
      'svc.auth.provider': 'acme',
      'svc.session.id': 's-1',
      'svc.policy.decision': 'mask',
      'svc.policy.rules_evaluated': 2,
    });
    expect(attributesOf('svc.execution_engine.execute')).toEqual({
      'svc.execution.language': 'sql',
      'svc.params.count': 1,
      'svc.has_input_schema': true,
      'svc.has_output_schema': true,
      'svc.result.count': 1,
    });
    expect(attributesOf('svc.database.execute')).toEqual({
      'db.system': 'duckdb',
      'db.operation': 'SELECT',
      'db.statement.hash': createHash('sha256').update(QUERY).digest('hex'),
      'db.parameters.count': 1,
      'db.readonly': true,
      'db.rows_affected': 1,
    });
  });

  const attributesOf = (name: string) => receiver.spans.find((span) => span.name === name)?.attributes;

  // Requirements: attribute.svc.params.count, attribute.svc.has_input_schema, attribute.svc.has_output_schema
  // Requirements: attribute.svc.result.count, attribute.db.parameters.count, attribute.db.rows_affected
  it('count parameters, bound values and rows, and tell whether there are schemas', async () => {
    await call('many', { low: 1, high: 6 });
    await telemetry.flush();
    expect(attributesOf('svc.execution_engine.execute')).toMatchObject({
      'svc.params.count': 2,
      'svc.has_input_schema': true,
      'svc.has_output_schema': false,
      'svc.result.count': 4,
    });
    expect(attributesOf('svc.database.execute')).toMatchObject({
      'db.parameters.count': 2,
      'db.rows_affected': 4,
    });
    receiver.spans.length = 0;
    await call('plain');
    await telemetry.flush();
    expect(attributesOf('svc.execution_engine.execute')).toMatchObject({
      'svc.params.count': 0,
      'svc.has_input_schema': false,
      'svc.result.count': 1,
    });
    expect(attributesOf('svc.database.execute')).toMatchObject({ 'db.parameters.count': 0 });
  });

  // Requirements: attribute.svc.policy.decision, attribute.svc.policy.rules_evaluated
  it.each([
    ['people', here, 'boss', 'allow', 2],
    ['people', { country: 'planted-denied' }, 'boss', 'deny', 1],
    ['many', { low: 1, high: 3 }, 'boss', 'allow', 1],
    ['many', { low: 1, high: 3 }, 'analyst', 'filter', 1],
    ['people', here, 'analyst', 'mask', 2],
    ['plain', {}, 'boss', undefined, 0],
  ])('say what policies decided: %s %j as %s: %s', async (name, args, role, decision, rules) => {
    await call(name, args, { user: { ...ALICE, role } }).catch(() => null);
    await telemetry.flush();
    const root = attributesOf('svc.endpoint.execute');
    expect([root?.['svc.policy.decision'], root?.['svc.policy.rules_evaluated']]).toEqual([decision, rules]);
  });

  // Requirements: attribute.db.operation, attribute.db.readonly, attribute.db.rows_affected
  it('say of a statement that writes what it does, and that it may', async () => {
    const add =
      'svc: 1\ntool: { name: add, source: { code: "INSERT INTO t VALUES (1), (2) RETURNING n" } }\n';
    const writing = await serveTree(
      { 'tools/add.yml': add },
      'CREATE TABLE t (n INTEGER)',
      'native, read-write',
    );
    onTestFinished(() => writing.close());
    const runtime = { ...writing.runtime, spans: telemetry.spans };
    await runEndpoint(runtime, 'tool', 'add', {}, contextOf(ALICE));
    await telemetry.flush();
    expect(attributesOf('svc.database.execute')).toMatchObject({
      'db.operation': 'INSERT',
      'db.readonly': false,
      'db.rows_affected': 2,
    });
  });

  // Requirements: attribute.svc.endpoint.name, attribute.svc.endpoint.type, attribute.svc.auth.authenticated
  // Requirements: span.svc.endpoint.execute, span.svc.execution_engine.execute, span.svc.validation.output
  it('name each kind of endpoint, and tell whether the caller is known', async () => {
    const runtime = { ...served.runtime, spans: telemetry.spans };
    const nobody = contextOf(null);
    await runEndpoint(runtime, 'tool', 'people', here, contextOf(ALICE));
    await runEndpoint(runtime, 'resource', 'one://it', {}, nobody);
    await runEndpoint(runtime, 'prompt', 'ask', {}, nobody);
    await telemetry.flush();
    const roots = receiver.spans.filter(({ name }) => name === 'svc.endpoint.execute');
    const names = ['svc.endpoint.type', 'svc.endpoint.name', 'svc.auth.authenticated'];
    expect(roots.map(({ attributes }) => names.map((name) => attributes[name]))).toEqual([
      ['tool', 'people', true],
      ['resource', 'one://it', false],
      ['prompt', 'ask', false],
    ]);
    const insideOf = (id: string | undefined): readonly string[] =>
      receiver.spans
        .filter(({ parentSpanId }) => parentSpanId === id)
        .flatMap(({ name, spanId }) => [name, ...insideOf(spanId)])
        .toSorted();
    const executed = Object.keys(SPANS).filter((name) => name !== 'svc.endpoint.execute');
    const trees = roots.map(({ spanId }) => insideOf(spanId));
    expect(trees).toEqual([
      executed.toSorted(),
      executed.toSorted(),
      executed.filter((name) => name !== 'svc.database.execute').toSorted(),
    ]);
  });

  // Requirements: attribute.svc.execution.language, attribute.svc.result.count
  it('have no language where no SQL and no Python runs, and count messages', async () => {
    const runtime = { ...served.runtime, spans: telemetry.spans };
    await runEndpoint(runtime, 'prompt', 'ask', {}, contextOf(null));
    await runEndpoint(runtime, 'resource', 'skill://guide/SKILL.md', {}, contextOf(null));
    await telemetry.flush();
    const engines = receiver.spans.filter(({ name }) => name === 'svc.execution_engine.execute');
    const none = { 'svc.params.count': 0, 'svc.has_input_schema': false };
    expect(engines.map(({ attributes }) => attributes)).toEqual([
      { ...none, 'svc.has_output_schema': false, 'svc.result.count': 2 },
      { ...none, 'svc.has_output_schema': true },
    ]);
  });

  // Requirements: attribute.svc.result.count
  it('count the rows of a cached result too', async () => {
    const runtime = { ...served.runtime, spans: telemetry.spans, cache: createResultCache() };
    for (let turn = 0; turn < 3; turn += 1) {
      await runEndpoint(runtime, 'tool', 'people', here, contextOf(ALICE));
    }
    await telemetry.flush();
    const engines = receiver.spans.filter(({ name }) => name === 'svc.execution_engine.execute');
    expect(engines.map(({ attributes }) => attributes['svc.result.count'])).toEqual([1, 1, 1]);
    expect(engines.map(({ attributes }) => attributes['svc.cache.hit'])).toContain(true);
  });

  it('go on in the trace of the caller, also if the caller samples nothing: no client hides its calls', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await call('people', here, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    await call('people', here, { traceparent: `00-${'ab'.repeat(16)}-b7ad6b7169203331-00` });
    await call('people', here, { traceparent: 'nonsense' });
    await telemetry.flush();
    const roots = receiver.spans.filter(({ name }) => name === 'svc.endpoint.execute');
    expect(roots.map((root) => [root.traceId === traceId, root.parentSpanId])).toEqual([
      [true, 'b7ad6b7169203331'],
      [false, 'b7ad6b7169203331'],
      [false, ''],
    ]);
  });

  // Requirements: audit.trace_id, event.audit
  it('name the trace of the record that is kept of the call', async () => {
    const kept: (string | null)[] = [];
    const { observe } = telemetry;
    telemetry = {
      ...telemetry,
      observe: (record) => {
        kept.push(toAuditRecord(record, { inputs: false, outputs: false }).trace_id);
        observe(record);
      },
    };
    await call('people', here);
    await telemetry.flush();
    expect(kept).toEqual([expect.stringMatching(/^[\da-f]{32}$/)]);
    expect(kept).toEqual([receiver.spans[0]?.traceId]);
  });

  it('of a call that fails say which error it was', async () => {
    await expect(call('broken')).rejects.toThrow(SvcError);
    await telemetry.flush();
    const failed = receiver.spans.filter(({ status }) => status !== null);
    expect(failed.map(({ name, status }) => [name, status])).toEqual([
      ['svc.database.execute', 'sql_failed'],
      ['svc.execution_engine.execute', 'sql_failed'],
      ['svc.endpoint.execute', 'sql_failed'],
    ]);
  });

  it('of a call that asks for answers have no error', async () => {
    const ask = async () => {
      throw new SvcError('input_required', 'The call needs answers first.');
    };
    await expect(call('sure', {}, { elicitation: { can: () => true, ask } })).rejects.toMatchObject({
      code: 'input_required',
    });
    await telemetry.flush();
    const root = receiver.spans.find(({ name }) => name === 'svc.endpoint.execute');
    expect(root).toMatchObject({ status: null });
    expect(receiver.spans.filter(({ status }) => status !== null)).toEqual([]);
  });

  // Requirements: env.SVC_TELEMETRY_TRACING_CONSOLE, telemetry.tracing.console_export
  it('are written as lines where the console is asked for', async () => {
    start({ tracing: { enabled: true, console_export: true } });
    await call('people', here);
    const spans = written.map((line) => JSON.parse(line));
    expect(spans).toHaveLength(7);
    expect(spans.at(-1)).toMatchObject({ span: 'svc.endpoint.execute', parent_span_id: null, status: 'ok' });
  });
});

describe('metrics', () => {
  // Requirements: metric.*
  it('D11: are those of the spec, by the labels of the spec', async () => {
    await call('people', here);
    await call('people', { country: 'planted-denied' }).catch(() => null);
    await call('broken').catch(() => null);
    await telemetry.flush();
    const counted = Object.fromEntries(
      receiver.metrics.map(({ name, kind, points }) => [name, { kind, points }]),
    );
    expect(counted).toEqual({
      'svc.endpoint.requests_total': {
        kind: 'counter',
        points: [
          { labels: { endpoint: 'people', status: 'success' }, value: 1 },
          { labels: { endpoint: 'people', status: 'error' }, value: 1 },
          { labels: { endpoint: 'broken', status: 'error' }, value: 1 },
        ],
      },
      'svc.endpoint.errors_total': {
        kind: 'counter',
        points: [
          { labels: { endpoint: 'people', error_type: 'denied' }, value: 1 },
          { labels: { endpoint: 'broken', error_type: 'sql_failed' }, value: 1 },
        ],
      },
      'svc.policy.evaluations_total': { kind: 'counter', points: [{ labels: {}, value: 3 }] },
      'svc.policy.denials_total': { kind: 'counter', points: [{ labels: {}, value: 1 }] },
      'svc.endpoint.concurrent_executions': { kind: 'gauge', points: [{ labels: {}, value: 0 }] },
    });
  });

  // Requirements: metric.svc.endpoint.concurrent_executions
  it('tell how many calls run at once', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const running = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { spans } = telemetry;
    let begun = 0;
    telemetry = {
      ...telemetry,
      spans: {
        trace: (name, attributes, parent, run) =>
          spans.trace(name, attributes, parent, async (span) => {
            running[begun++]?.resolve();
            await held;
            return run(span);
          }),
      },
    };
    const value = async () => {
      receiver.metrics.length = 0;
      await telemetry.flush();
      const gauge = receiver.metrics.find(({ name }) => name === 'svc.endpoint.concurrent_executions');
      return gauge?.points.map((point) => point.value);
    };
    const calls = [call('plain'), call('plain')];
    await Promise.all(running.map(({ promise }) => promise));
    expect(await value()).toEqual([2]);
    release();
    await Promise.all(calls);
    expect(await value()).toEqual([0]);
  });

  it('on demand are what came since the last time; over time they add up', async () => {
    const totals = () =>
      receiver.metrics
        .filter(({ name }) => name === 'svc.endpoint.requests_total')
        .map(({ temporality, points }) => [temporality, points[0]?.value]);
    for (let turn = 0; turn < 2; turn += 1) {
      await call('people', here);
      await telemetry.flush();
    }
    expect(totals()).toEqual([
      ['delta', 1],
      ['delta', 1],
    ]);
    const running = receiver.metrics.filter(({ name }) => name === 'svc.endpoint.concurrent_executions');
    expect(running.map(({ kind, points }) => [kind, points])).toEqual(
      [0, 1].map(() => ['gauge', [{ labels: {}, value: 0 }]]),
    );
    const sent = receiver.requests.length;
    await telemetry.flush();
    expect(receiver.requests).toHaveLength(sent);
    start({}, false);
    for (let turn = 0; turn < 2; turn += 1) {
      await call('people', here);
      await telemetry.flush();
    }
    expect(totals().slice(2)).toEqual([
      ['cumulative', 1],
      ['cumulative', 2],
    ]);
  });
});

describe('what is sent', () => {
  // Requirements: privacy.credentials, privacy.parameters, privacy.personal, privacy.results, privacy.sql
  it('carries no value, no SQL, no result, no credential', async () => {
    await call('people', here);
    await call('people', { country: 'planted-denied' }).catch(() => null);
    await call('people', { planted_argument: 1 }).catch(() => null);
    await call('broken').catch(() => null);
    await telemetry.flush();
    expect(receiver.spans.length).toBeGreaterThan(10);
    expect(receiver.bytes()).toContain('svc.database.execute');
    expect(receiver.bytes()).not.toMatch(/planted|alice|SELECT name/i);
  });

  // Requirements: event.telemetry, telemetry.environment, telemetry.headers
  it('says who sends it, with the headers of the operator', async () => {
    await call('people', here);
    await telemetry.flush();
    expect(receiver.requests.map(({ path }) => path).toSorted()).toEqual(['/v1/metrics', '/v1/traces']);
    for (const { headers } of receiver.requests) expect(headers['x-api-key']).toBe('planted-key');
    expect(receiver.resources[0]).toEqual({
      'service.name': 'demo',
      'service.version': '1.2.3',
      'deployment.environment.name': 'test',
      'cloud.region': 'eu',
    });
  });

  // Requirements: telemetry.metrics.enabled, telemetry.tracing.enabled
  it('is only what is switched on', async () => {
    start({ metrics: { enabled: false, export_interval: 60 } });
    await call('people', here);
    await telemetry.flush();
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/v1/traces']);
    receiver.requests.length = 0;
    start({ tracing: { enabled: false, console_export: true } });
    await call('people', here);
    await telemetry.flush();
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/v1/metrics']);
    expect(written).toEqual([]);
  });

  // Requirements: telemetry.service_name
  it('names the service as it is configured', async () => {
    start({ service_name: 'shop', resource_attributes: { 'service.name': 'other' } });
    await call('people', here);
    await telemetry.flush();
    expect(receiver.resources[0]).toMatchObject({ 'service.name': 'shop' });
  });

  // Sums of two servers in one series would go up and down.
  it('names each server that sends sums, unless the operator names it', async () => {
    const idOf = async (resource_attributes = {}) => {
      start({ resource_attributes }, false);
      receiver.resources.length = 0;
      await call('people', here);
      await telemetry.flush();
      await telemetry.close();
      return receiver.resources.map((resource) => resource['service.instance.id']);
    };
    const [first, second] = [await idOf(), await idOf()];
    for (const ids of [first, second]) expect(new Set(ids)).toEqual(new Set([expect.any(String)]));
    expect(first[0]).not.toBe(second[0]);
    expect(new Set(await idOf({ 'service.instance.id': 'pod-1' }))).toEqual(new Set(['pod-1']));
  });

  // Requirements: telemetry.metrics.export_interval, limit.metrics
  it('are sent every so many seconds', () => {
    const timers = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => timers.mockRestore());
    start({ metrics: { enabled: true, export_interval: 60 } }, false);
    expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([60_000]);
  });

  // Requirements: env.SVC_TELEMETRY_METRICS_INTERVAL
  it('wait as many seconds as the interval has, but no longer than a timer can', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval');
    onTestFinished(() => timers.mockRestore());
    for (const export_interval of [5, 99_999_999])
      start({ metrics: { enabled: true, export_interval } }, false);
    expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([5_000, 2 ** 31 - 1]);
  });
});

describe('a collector', () => {
  it.each(['failing', 'silent', 'babbling'] as const)('that is %s fails no call', async (mood) => {
    receiver.mood = mood;
    for (let turn = 0; turn < 5; turn += 1) expect((await call('people', here)).value).toHaveLength(1);
    await telemetry.flush();
    expect((await call('people', here)).value).toHaveLength(1);
  });

  it('that is gone is said once, is left alone for a while, and its return is said', async () => {
    receiver.mood = 'failing';
    for (let turn = 0; turn < 3; turn += 1) {
      await call('people', here);
      await telemetry.flush();
    }
    expect(lines.map(({ level, message }) => [level, message.slice(0, 38)]).toSorted()).toEqual([
      ['warn', 'telemetry: metrics cannot be exported:'],
      ['warn', 'telemetry: traces cannot be exported: '],
    ]);
    expect(receiver.requests).toHaveLength(2);
    lines.length = 0;
    start({}, false);
    await call('people', here);
    await telemetry.flush();
    receiver.mood = 'good';
    await call('people', here);
    await telemetry.flush();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'info', 'info']);
  });

  it('that is back gets the counts of the calls that came meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    start();
    const turn = async (mood: Receiver['mood']) => {
      receiver.mood = mood;
      await call('people', here);
      await telemetry.flush();
    };
    await turn('failing');
    for (let calls = 0; calls < 3; calls += 1) await turn('good');
    expect(receiver.metrics).toEqual([]);
    vi.setSystemTime(Date.now() + 30_000);
    await turn('good');
    const counts = receiver.metrics.filter(({ name }) => name === 'svc.endpoint.requests_total');
    expect(counts.map(({ points }) => points[0]?.value)).toEqual([4]);
  });

  it.each(['silent', 'dripping'] as const)(
    'that is %s holds up a flush on demand for one second at most',
    async (mood) => {
      receiver.mood = mood;
      await call('people', here);
      const begun = performance.now();
      await telemetry.flush();
      expect(performance.now() - begun).toBeLessThan(1_500);
      expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
    },
  );

  it('that resets an idle connection gets everything over a new one', async () => {
    receiver.mood = 'forgetful';
    for (let turn = 0; turn < 4; turn += 1) {
      await call('people', here);
      await telemetry.flush();
    }
    expect(receiver.spans.filter(({ name }) => name === 'svc.endpoint.execute')).toHaveLength(4);
    expect(receiver.metrics.filter(({ name }) => name === 'svc.endpoint.requests_total')).toHaveLength(4);
    expect(lines).toEqual([]);
  });

  it('that was never there neither fails nor holds up the end', async () => {
    await receiver.close();
    start({ endpoint: 'http://127.0.0.1:1' });
    await call('people', here);
    await telemetry.flush();
    await telemetry.close();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
  });
});
