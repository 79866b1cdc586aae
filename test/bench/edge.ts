import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { MOST_HELD_BYTES } from '../../adapters/duckdb-wasm/remote/remote-file.ts';
import { buildTarget } from '../../deploy/build.ts';
import type { Database } from '../../src/ports.ts';
import { answerOf, type Edge, type EdgeOptions, startEdge } from '../matrix/large/edge.ts';
import { createLargeProject, ROWS, randomly, rowsOf, statements } from '../matrix/large/project.ts';
import type { RawCall } from '../matrix/raw.ts';
import { median, type Row } from './measure.ts';

const MB = 1_048_576;
/** The statements to compare with native; `SVC_TEST_EDGE_STATEMENTS=2000` asks for more. */
const COUNT = Number(process.env.SVC_TEST_EDGE_STATEMENTS ?? 200);
const SEED = Number(process.env.SVC_TEST_EDGE_SEED ?? 7);
const LOOKUPS = 20;
/** The sums with read-ahead and without, and the most rows of each: few enough for the deadline on a busy machine. */
const SUMS = 3;
const SUMMED_ROWS = 16_000_000;

/**
 * A large database in R2 behind a Worker, in local workerd: 78 MB, or 1.3 GB with `SVC_TEST_EDGE_ROWS=50000000`. Nothing
 * is known here of Cloudflare's own machines.
 */
export async function measureEdge(): Promise<readonly Row[]> {
  const root = await createLargeProject();
  const out = await mkdtemp(join(tmpdir(), 'svc-edge-bench-'));
  const native = await openNative({ path: join(root, 'data/large.duckdb'), readonly: true });
  try {
    const folder = join(out, 'worker');
    await buildTarget({ root, public: true, target: 'cloudflare-workers', out: folder });
    const served = await withEdge(folder, async (edge) => [
      ...(await measureLookups(edge)),
      ...(await measureBesideScan(edge, native)),
      ...(await measureCrowd(edge, native)),
      ...(await measureStatements(edge, native)),
      ...(await measureMemory(edge)),
    ]);
    return [...served, ...(await measureReadAhead(folder))];
  } finally {
    await native.close();
    await rm(out, { recursive: true });
  }
}

async function withEdge<T>(
  folder: string,
  work: (edge: Edge) => Promise<T>,
  options: EdgeOptions = {},
): Promise<T> {
  const edge = await startEdge(folder, options);
  try {
    return await work(edge);
  } finally {
    await edge.close();
  }
}

const sale = (id: number): RawCall => ({ tool: 'sale', args: { id } });
const query = (sql: string): RawCall => ({ tool: 'execute_sql_query', args: { sql } });
const saleSql = (id: number): string =>
  `SELECT id, customer, amount, status, note, shop FROM sales WHERE id = ${id}`;

/** One call: its time, and the ranges and bytes of its record. */
interface Measured {
  readonly ms: number;
  readonly ranges: number;
  readonly mb: number;
}

async function measureCall(edge: Edge, call: RawCall): Promise<Measured> {
  edge.lines.length = 0;
  const began = performance.now();
  const answer = await answerOf(edge.url, call);
  const ms = performance.now() - began;
  if ('error' in answer) throw new Error(`${JSON.stringify(call)}: ${answer.error}`);
  const [record] = await recordsOf(edge, 1);
  return { ms, ranges: Number(record?.fetched_ranges), mb: Number(record?.fetched_bytes) / MB };
}

type AuditLine = Readonly<Record<string, unknown>>;

/** The audit records since the lines were emptied, once there are as many. */
async function recordsOf({ lines }: Edge, count: number): Promise<readonly AuditLine[]> {
  for (;;) {
    const records = lines.filter((line) => line.startsWith('{"type":"audit"'));
    if (records.length >= count) return records.map((line) => JSON.parse(line));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const alone = (what: string, ours: number, unit: string, budget: number | null): Row => ({
  what,
  ours,
  base: null,
  baseName: '',
  unit,
  budget,
});

async function measureLookups(edge: Edge): Promise<readonly Row[]> {
  const opening = await measureCall(edge, query('SELECT 1 AS one'));
  const upTo = randomly(SEED);
  const ids = Array.from({ length: LOOKUPS }, () => upTo(ROWS));
  const cold: Measured[] = [];
  const warm: Measured[] = [];
  for (const id of ids) {
    cold.push(await measureCall(edge, sale(id)));
    warm.push(await measureCall(edge, sale(id)));
  }
  const most = (all: readonly Measured[], of: keyof Measured): number =>
    Math.max(...all.map((one) => one[of]));
  return [
    alone('the first call, which opens the file', opening.ms, 'ms', null),
    alone(`cold lookup, the most of ${LOOKUPS}`, most(cold, 'ranges'), 'ranges', 8),
    alone('cold lookup', most(cold, 'mb'), 'MiB', 2),
    alone('cold lookup, median', median(cold.map(({ ms }) => ms)), 'ms', null),
    alone('the same lookup again', most(warm, 'ranges'), 'ranges', 0),
    alone('the same lookup again, median', median(warm.map(({ ms }) => ms)), 'ms', null),
  ];
}

/** Scans of one narrow column whose reads take 30 ms each, with the map of blocks and without it, in turn. */
async function measureReadAhead(folder: string): Promise<readonly Row[]> {
  const part = Math.min(SUMMED_ROWS, Math.floor(ROWS / SUMS));
  return withEdge(
    folder,
    (serial) =>
      withEdge(folder, async (ahead) => {
        for (const edge of [serial, ahead]) {
          await answerOf(edge.url, query('SELECT 1 AS one'));
          await edge.misbehave({ holdMs: 30 });
        }
        const sums: { readonly serial: Measured; readonly ahead: Measured }[] = [];
        for (let from = 0; from < SUMS * part; from += part) {
          const sum = query(`SELECT sum(shop) AS s FROM sales WHERE id >= ${from} AND id < ${from + part}`);
          sums.push({ serial: await measureCall(serial, sum), ahead: await measureCall(ahead, sum) });
        }
        const [middle] = sums
          .toSorted((a, b) => a.ahead.ms / a.serial.ms - b.ahead.ms / b.serial.ms)
          .slice(1);
        if (middle === undefined) throw new Error('nothing was measured');
        return [
          {
            what: `sum of a SMALLINT, 30 ms a read, ${middle.ahead.ranges} ranges; the middle of ${SUMS}`,
            ours: middle.ahead.ms,
            base: middle.serial.ms,
            baseName: `${middle.serial.ranges} ranges one after the other`,
            unit: 'ms',
            budget: 1 / 3,
          },
        ];
      }),
    { serial: true },
  );
}

/** Lookups while a scan runs, and reads take 10 ms. */
async function measureBesideScan(edge: Edge, native: Database): Promise<readonly Row[]> {
  await edge.misbehave({ holdMs: 10 });
  const sql = 'SELECT sum(customer) AS c FROM sales';
  const { ranges } = await edge.counts();
  let scans = true;
  const began = performance.now();
  const scan = answerOf(edge.url, query(sql)).finally(() => {
    scans = false;
  });
  while (scans && (await edge.counts()).ranges === ranges);
  const upTo = randomly(SEED + 1);
  const times: number[] = [];
  let wrong = 0;
  while (scans && times.length < LOOKUPS) {
    const id = upTo(ROWS);
    const asked = performance.now();
    const answer = await answerOf(edge.url, sale(id));
    if (scans) times.push(performance.now() - asked);
    if (!(await isRight(answer, native, saleSql(id)))) wrong += 1;
  }
  if (!(await isRight(await scan, native, sql))) wrong += 1;
  const scanMs = performance.now() - began;
  await edge.misbehave({});
  return [
    alone(
      `lookup while a scan runs (${times.length}, reads held 10 ms), longest`,
      Math.max(...times),
      'ms',
      1000,
    ),
    alone('the scan', scanMs, 'ms', null),
    alone('the scan and the lookups, not equal to native', wrong, 'calls', 0),
  ];
}

/** The error of a call beyond its bytes. */
const REFUSED = /`limits\.scan_bytes`/;

/** A hundred calls at once, of which ten read more than they may. */
async function measureCrowd(edge: Edge, native: Database): Promise<readonly Row[]> {
  edge.lines.length = 0;
  const upTo = randomly(SEED + 2);
  const began = performance.now();
  const calls = Array.from({ length: 100 }, async (_, index) => {
    const id = upTo(ROWS);
    if (index % 10 !== 0) return isRight(await answerOf(edge.url, sale(id)), native, saleSql(id));
    const answer = await answerOf(edge.url, { tool: 'narrow', args: {} });
    return 'error' in answer && REFUSED.test(answer.error);
  });
  const right = (await Promise.all(calls)).filter((one) => one).length;
  const ms = performance.now() - began;
  const records = (await recordsOf(edge, 100)).length;
  return [
    alone('100 calls at once, ten of them beyond their bytes', ms, 'ms', null),
    alone('of them not answered as they must be', 100 - right, 'calls', 0),
    alone('their audit records, more or fewer than 100', Math.abs(records - 100), 'records', 0),
  ];
}

async function measureStatements(edge: Edge, native: Database): Promise<readonly Row[]> {
  const queue = [...statements(COUNT, SEED)];
  let wrong = 0;
  const began = performance.now();
  const caller = async (): Promise<void> => {
    for (let sql = queue.pop(); sql !== undefined; sql = queue.pop())
      if (!(await isRight(await answerOf(edge.url, query(sql)), native, sql))) wrong += 1;
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  const each = (performance.now() - began) / COUNT;
  return [
    alone(`${COUNT} statements, four at a time: each`, each, 'ms', null),
    alone('of them not equal to native', wrong, 'statements', 0),
  ];
}

async function measureMemory(edge: Edge): Promise<readonly Row[]> {
  const { memoryMb } = await edge.counts();
  return [
    alone('memory of the engine', memoryMb, 'MiB', 64),
    alone('with the blocks that are kept and in flight, at most', memoryMb + MOST_HELD_BYTES / MB, 'MiB', 96),
  ];
}

/** Whether an answer has native's rows. Prints one that has not. */
async function isRight(
  answer: Awaited<ReturnType<typeof answerOf>>,
  native: Database,
  sql: string,
): Promise<boolean> {
  const expected = JSON.stringify(await rowsOf(native, sql));
  if ('rows' in answer && JSON.stringify(answer.rows) === expected) return true;
  process.stderr.write(
    `${sql}: ${JSON.stringify(answer).slice(0, 300)} instead of ${expected.slice(0, 300)}\n`,
  );
  return false;
}
