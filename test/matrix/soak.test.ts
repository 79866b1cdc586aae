import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sendToSocket } from '../../adapters/admin-socket/client.ts';
import { project, Svc } from '../unit/cli/svc.ts';
import { deadCollector } from './dead-collector.ts';
import { type Offer, type Offered, traceOf } from './offer.ts';

/** More than two cores can answer while they offer it: clients leave when they have waited too long. */
const RATE = Number(process.env.SVC_SOAK_RATE ?? 2_000);
const SECONDS = Number(process.env.SVC_SOAK_SECONDS ?? 15);
const RELOAD_MS = 2_000;
const SAMPLE_MS = 250;
/** Beyond what a heap that fills and empties shows, and far below what one kept record per call would be. */
const MOST_GROWTH = 200 * 1_048_576;

vi.setConfig({ testTimeout: SECONDS * 1_000 + 120_000 });

/** Calls come from another process: this one would begin them late, and never more than it can end. */
async function offer(asked: Offer): Promise<Offered> {
  const program = fork(resolve('test/matrix/offer.ts'), { execArgv: [] });
  onTestFinished(() => void program.kill('SIGKILL'));
  program.send(asked);
  const [offered] = await once(program, 'message');
  return offered as Offered;
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

// Requirements: event.audit, transition.waits
test(`${RATE} calls a second for ${SECONDS} s, reloads and a dead collector: each call is answered and recorded once, unless it waited too long`, async () => {
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
    offer({ url, perSecond: RATE, seconds: SECONDS }),
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
  expect(code, stderr).toBe(0);

  expect(endings).toHaveLength(RATE * SECONDS);
  expect(endings.filter((ending) => ending.startsWith('failed'))).toEqual([]);
  const answered = endings.flatMap((ending, index) => (ending === 'answered' ? [traceOf(index)] : []));
  expect(answered.length).toBeGreaterThan(0);
  expect(reloads.length).toBeGreaterThan(0);
  const recorded = await recordedTraces(join(root, 'audit'));
  const known = new Set(recorded);
  expect(recorded).toHaveLength(known.size);
  expect(answered.filter((traceId) => !known.has(traceId))).toEqual([]);
  const begun = new Set(endings.map((_, index) => traceOf(index)));
  expect(recorded.filter((traceId) => !begun.has(traceId))).toEqual([]);

  const third = Math.ceil(sizes.length / 3);
  const growth = medianOf(sizes.slice(-third)) - medianOf(sizes.slice(third, 2 * third));
  expect(growth).toBeLessThan(MOST_GROWTH);
  const counts = Object.entries(Object.groupBy(endings, (ending) => ending));
  const said = counts.map(([ending, all]) => `${all?.length} ${ending}`).join(', ');
  console.info(
    `soak: ${endings.length} calls offered: ${said}; ${reloads.length} reloads, growth ${Math.round(growth / 1_048_576)} MiB`,
  );
});
