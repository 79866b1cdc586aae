import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildTarget } from '../../deploy/build.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
import { sendLegacy } from '../legacy-request.ts';
import { type Receiver, startReceiver } from '../unit/adapters/otel/receiver.ts';
import { deadCollector } from './dead-collector.ts';
import { EDGE_PLATFORMS, type Start, type Started, startLambda } from './edge-platforms.ts';
import { createProject } from './fixture.ts';
import { rawCall } from './raw.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Off in the file: the environment switches it on, as it says where to. */
const CONFIG = `svc: 1
projects:
  matrix:
    profiles:
      default:
        telemetry: { enabled: false, environment: test }
`;
/** Transcribed from spec.md, "Spans": each with its parent. */
const TREE = {
  'svc.endpoint.execute': null,
  'svc.validation.input': 'svc.endpoint.execute',
  'svc.policy.enforce_input': 'svc.endpoint.execute',
  'svc.execution_engine.execute': 'svc.endpoint.execute',
  'svc.database.execute': 'svc.execution_engine.execute',
  'svc.validation.output': 'svc.execution_engine.execute',
  'svc.policy.enforce_output': 'svc.endpoint.execute',
};

/** The third call with the same arguments runs no statement: its result was kept. */
const { 'svc.database.execute': _, ...KEPT_TREE } = TREE;

const EDGES: readonly (readonly [string, TargetName, Start])[] = [
  ...EDGE_PLATFORMS.map(([target, start]) => [target, target, start] as const),
  [
    'aws-lambda, buffered',
    'aws-lambda',
    (folder, env) => startLambda(folder, { ...env, SVC_LAMBDA_RESPONSE: 'buffered' }),
  ],
];

let root: string;
let out: string;
let receiver: Receiver;
let running: Started | null = null;

beforeAll(async () => {
  root = await createProject();
  out = await mkdtemp(join(tmpdir(), 'svc-telemetry-'));
  await writeFile(join(root, 'user.yml'), CONFIG);
});
afterAll(async () => {
  for (const folder of [root, out]) await rm(folder, { recursive: true });
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await running?.close();
  running = null;
  await receiver.close();
});

const built = new Map<string, Promise<string>>();

function build(target: TargetName, config: boolean): Promise<string> {
  const name = `${target}-${config}`;
  const options = {
    root,
    public: true,
    target,
    out: join(out, name),
    ...(config ? { config: 'user.yml' } : {}),
  };
  const known = built.get(name) ?? buildTarget(options).then((result) => result.out);
  built.set(name, known);
  return known;
}

const call = ({ url }: { readonly url: URL }) => rawCall({ kind: 'http', url: new URL('mcp', url) }, 'hello');
/** The same call by a client that wants to see how it gets on: the answer is a stream of events. */
async function streamed({ url }: { readonly url: URL }): Promise<string> {
  const params = { name: 'hello', arguments: {}, _meta: { progressToken: 'p' } };
  const response = await sendLegacy(new URL('mcp', url), 'tools/call', params);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return response.text();
}
const on = (endpoint: string) => ({
  SVC_TELEMETRY_ENABLED: 'true',
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
});

function expectTree({ spans }: Receiver, expected: object = TREE): void {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  const tree = Object.fromEntries(
    spans.map(({ name, parentSpanId }) => [name, names.get(parentSpanId) ?? null]),
  );
  expect(tree).toEqual(expected);
  expect(spans).toHaveLength(Object.keys(expected).length);
}

describe.each(EDGES)('%s', (_name, target, start) => {
  // Requirements: event.telemetry, span.svc.*
  test('each request sends its spans and its metrics once, after the answer', async () => {
    running = await start(await build(target, true), on(receiver.url));
    const paths = () => receiver.requests.map(({ path }) => path).toSorted();
    for (const times of [1, 2]) {
      receiver.spans.length = 0;
      receiver.metrics.length = 0;
      expect(JSON.parse(await call(running)).result.isError).toBeUndefined();
      const both = ['/v1/metrics', '/v1/traces'].flatMap((path) => Array(times).fill(path));
      await vi.waitFor(() => expect(paths()).toEqual(both), 20_000);
      await vi.waitFor(() => expectTree(receiver), 20_000);
      const requests = receiver.metrics.find(({ name }) => name === 'svc.endpoint.requests_total');
      const labels = { endpoint: 'hello', status: 'success' };
      expect(requests).toMatchObject({ temporality: 'delta', points: [{ labels, value: 1 }] });
    }
    expect(receiver.resources[0]).toMatchObject({
      'service.name': 'matrix',
      'deployment.environment.name': 'test',
    });
    await (await fetch(new URL('health', running.url))).text();
    expect(paths()).toHaveLength(4);
    receiver.spans.length = 0;
    expect(await streamed(running)).toContain('"result"');
    await vi.waitFor(() => expectTree(receiver, KEPT_TREE), 20_000);
    await vi.waitFor(() => expect(paths()).toHaveLength(6), 20_000);
  });

  test.each(['dead', 'silent'] as const)('a %s collector neither fails nor holds up calls', async (kind) => {
    receiver.mood = 'silent';
    running = await start(
      await build(target, true),
      on(kind === 'dead' ? await deadCollector() : receiver.url),
    );
    const { log } = running;
    await call(running);
    for (const what of ['traces', 'metrics']) {
      const said = `telemetry: ${what} cannot be exported`;
      await vi.waitFor(() => expect(log().join('\n')).toContain(said), 20_000);
    }
    const attempts = receiver.requests.length;
    for (let time = 0; time < 20; time++) {
      expect(JSON.parse(await call(running)).result.isError).toBeUndefined();
    }
    // after a failure nobody waits for another for half a minute
    expect(receiver.requests.length - attempts).toBeLessThan(20);
  });

  test('built without telemetry, it says so instead of serving unmeasured', async () => {
    running = await start(await build(target, false), on(receiver.url));
    expect(await call(running)).toContain('config_invalid');
    const { log } = running;
    await vi.waitFor(() => expect(log().join('\n')).toContain('built without it'), 20_000);
  });
});

test('node: what was measured is sent before the program ends', async () => {
  const cwd = await build('node', true);
  const env = { PORT: '0', ...on(receiver.url) };
  const child = spawn(process.execPath, ['index.js'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      const { url }: { url?: string } = JSON.parse(line);
      if (url === undefined) continue;
      await call({ url: new URL(url) });
      break;
    }
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
  expectTree(receiver);
  const requests = receiver.metrics.find(({ name }) => name === 'svc.endpoint.requests_total');
  expect(requests).toMatchObject({ temporality: 'cumulative' });
});

test('the code of OpenTelemetry is in artefacts whose user file has a telemetry block, and in no others', async () => {
  for (const [target, file] of [
    ['node', 'index.js'],
    ['aws-lambda', 'index.mjs'],
    ['cloudflare-workers', 'index.js'],
  ] as const) {
    const [without = '', within = ''] = await Promise.all(
      [false, true].map(async (config) => readFile(join(await build(target, config), file), 'utf8')),
    );
    expect(within, target).toContain('application/x-protobuf');
    expect(without, target).not.toContain('application/x-protobuf');
  }
});
