import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLiveCalls } from '../../../src/admin/live-calls.ts';
import { callEndpoint } from '../../../src/call/pipeline.ts';
import { NO_SPANS } from '../../../src/telemetry/no-spans.ts';
import { contextOf, type Served, serveTree } from '../call/project.ts';

const TREE = {
  'tools/one.yml': 'svc: 1\ntool:\n  name: one\n  description: One\n  source: { code: SELECT 1 AS n }\n',
};
const TRACE = 'c'.repeat(32);

let served: Served;
beforeAll(async () => {
  served = await serveTree(TREE, 'SELECT 1');
});
afterAll(() => served.close());

const watchedCalls = async (traceparent: string | null) => {
  const live = createLiveCalls({ always: true, inputs: true, conceal: (text) => text });
  const runtime = { ...served.runtime, spans: live.spans(NO_SPANS), observe: live.observe };
  const entry = runtime.catalog.tools.one;
  if (entry === undefined) throw new Error('no tool');
  const call = () => callEndpoint({ runtime, entry, args: {}, context: { ...contextOf(null), traceparent } });
  await Promise.all([call(), call()]);
  return live.recent();
};

it('a watched call has the trace of its client, and its own steps', async () => {
  const calls = await watchedCalls(`00-${TRACE}-${'d'.repeat(16)}-01`);
  expect(calls.map(({ record }) => record.trace_id)).toEqual([TRACE, TRACE]);
  for (const { spans } of calls) {
    expect(spans.filter(({ depth }) => depth === 0).map(({ name }) => name)).toEqual([
      'svc.endpoint.execute',
    ]);
    expect(spans.length).toBeGreaterThan(3);
  }
});

it('a watched call without a trace has none in its record', async () => {
  const calls = await watchedCalls(null);
  expect(calls.map(({ record }) => record.trace_id)).toEqual([null, null]);
});
