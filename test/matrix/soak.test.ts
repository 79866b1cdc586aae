import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { sendToSocket } from '../../adapters/admin-socket/client.ts';
import { project, Svc } from '../unit/cli/svc.ts';
import { deadCollector } from './dead-collector.ts';

/** What is offered; a machine that cannot take it, or make it, gets as much as it can. */
const RATE = Number(process.env.SVC_SOAK_RATE ?? 2_000);
const SECONDS = Number(process.env.SVC_SOAK_SECONDS ?? 30);
const RELOAD_MS = 2_000;
const SAMPLE_MS = 250;
/** Calls that may wait for their answer; no more are begun meanwhile. */
const MOST = 256;
/** Beyond what a heap that fills and empties shows, and far below what one kept record per call would be. */
const MOST_GROWTH = 200 * 1_048_576;

vi.setConfig({ testTimeout: SECONDS * 1_000 + 120_000 });

type Ending = 'answered' | 'busy' | 'deadline' | `failed: ${string}`;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** One call under a trace of its own, by which its record is found. */
async function call(url: string, traceId: string): Promise<Ending> {
  const sent = request(url, {
    agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      traceparent: `00-${traceId}-00000000000000aa-01`,
    },
  });
  sent.end(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'hello_world', arguments: { name: traceId } },
    }),
  );
  const [response] = await once(sent, 'response');
  const body = await text(response);
  if (body.includes(`Hello, ${traceId}!`)) return 'answered';
  if (/"busy"/.test(body)) return 'busy';
  return /"deadline_exceeded"/.test(body)
    ? 'deadline'
    : `failed: ${response.statusCode} ${body.slice(0, 200)}`;
}

/** Begins calls as the clock wants them, until the time is over and the last has ended. */
async function offer(url: string): Promise<ReadonlyMap<string, Ending>> {
  const endings = new Map<string, Ending>();
  const running = new Set<Promise<void>>();
  const from = performance.now();
  let due = 0;
  await every(5, SECONDS * 1_000, () => {
    const now = Math.floor(((performance.now() - from) / 1_000) * RATE);
    for (; due < now; due++) {
      if (running.size >= MOST) continue;
      const traceId = (due + 1).toString(16).padStart(32, '0');
      const one = call(url, traceId)
        .catch((error): Ending => `failed: ${error}`)
        .then((ending) => {
          endings.set(traceId, ending);
          running.delete(one);
        });
      running.add(one);
    }
  });
  await Promise.all(running);
  return endings;
}

async function every(ms: number, forMs: number, work: () => void): Promise<void> {
  const timer = setInterval(work, ms);
  await new Promise((resolve) => setTimeout(resolve, forMs));
  clearInterval(timer);
}

async function ask(socket: string, method: string, path: string): Promise<Record<string, unknown>> {
  return (await json(await sendToSocket({ socket, method, path }))) as Record<string, unknown>;
}

/** The traces of all records, of every file of the log. */
async function recordedTraces(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((name) => name.includes('.jsonl'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((content) => content.split('\n').filter(Boolean));
  return lines.map((line) => JSON.parse(line).trace_id);
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test(`up to ${RATE} calls a second for ${SECONDS} s, reloads and a dead collector: each call answered and recorded once`, async () => {
  const root = await project();
  const socket = join(root, 'admin.sock');
  const env = {
    SVC_ADMIN_ENABLED: 'true',
    SVC_ADMIN_SOCKET: socket,
    SVC_AUDIT_ENABLED: 'true',
    SVC_TELEMETRY_ENABLED: 'true',
    SVC_TELEMETRY_METRICS_INTERVAL: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: await deadCollector(),
  };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  const sizes: number[] = [];
  const reloads: Promise<unknown>[] = [];
  const samples: Promise<unknown>[] = [];
  const sample = async () => {
    const { memory_rss_bytes } = await ask(socket, 'GET', '/system/process');
    sizes.push(Number(memory_rss_bytes));
  };
  const [endings] = await Promise.all([
    offer(url),
    every(RELOAD_MS, SECONDS * 1_000, () => reloads.push(ask(socket, 'POST', '/reload'))),
    every(SAMPLE_MS, SECONDS * 1_000, () => samples.push(sample())),
  ]);
  await Promise.all([...reloads, ...samples]);
  await vi.waitFor(async () => {
    const { reload } = await ask(socket, 'GET', '/status');
    expect(reload).toMatchObject({
      in_progress: false,
      last_reload_status: 'success',
      last_reload_error: null,
    });
  }, 60_000);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  agent.destroy();
  expect(code, stderr).toBe(0);

  const endingOf = new Map(endings);
  expect([...endingOf.values()].filter((ending) => ending.startsWith('failed'))).toEqual([]);
  const answered = [...endingOf].flatMap(([traceId, ending]) => (ending === 'answered' ? [traceId] : []));
  expect(answered.length).toBeGreaterThan(0);
  expect(reloads.length).toBeGreaterThan(0);
  const recorded = await recordedTraces(join(root, 'audit'));
  const known = new Set(recorded);
  expect(recorded).toHaveLength(known.size);
  expect(answered.filter((traceId) => !known.has(traceId))).toEqual([]);
  expect(recorded.filter((traceId) => !endingOf.has(traceId))).toEqual([]);

  const third = Math.ceil(sizes.length / 3);
  const growth = medianOf(sizes.slice(-third)) - medianOf(sizes.slice(third, 2 * third));
  expect(growth).toBeLessThan(MOST_GROWTH);
  console.info(
    `soak: ${answered.length} of ${endingOf.size} calls answered, ${reloads.length} reloads, growth ${Math.round(growth / 1_048_576)} MiB`,
  );
});
