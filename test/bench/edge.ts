import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { MOST_HELD_BYTES } from '../../adapters/duckdb-wasm/remote/remote-file.ts';
import { buildTarget } from '../../deploy/build.ts';
import type { Database } from '../../src/ports.ts';
import { answerOf, type Edge, startEdge } from '../matrix/large/edge.ts';
import { createLargeProject, ROWS, randomly, rowsOf, statements } from '../matrix/large/project.ts';
import type { RawCall } from '../matrix/raw.ts';
import { median, type Row } from './measure.ts';

const MB = 1_048_576;
/** The statements to compare with native; `SVC_TEST_EDGE_STATEMENTS=2000` asks for more. */
const COUNT = Number(process.env.SVC_TEST_EDGE_STATEMENTS ?? 200);
const SEED = Number(process.env.SVC_TEST_EDGE_SEED ?? 7);
const LOOKUPS = 20;

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
    const rows = [
      ...(await measureReadAhead(folder)),
      ...(await withEdge(folder, async (edge) => [
        ...(await measureLookups(edge)),
        ...(await measureBesideScan(edge, native)),
        ...(await measureCrowd(edge, native)),
        ...(await measureStatements(edge, native)),
        ...(await measureMemory(edge)),
      ])),
    ];
    return rows;
  } finally {
    await native.close();
    await rm(out, { recursive: true });
  }
}

async function withEdge<T>(folder: string, work: (edge: Edge) => Promise<T>): Promise<T> {
  const edge = await startEdge(folder);
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

/** A scan of one narrow column whose reads take 30 ms each, with the map of blocks and without it. */
async function measureReadAhead(folder: string): Promise<readonly Row[]> {
  const without = `${folder}-serial`;
  await cp(folder, without, { recursive: true });
  const path = join(without, 'manifest.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  manifest.database.remote.columns = [];
  await writeFile(path, JSON.stringify(manifest));
  const scan = async (edge: Edge): Promise<Measured> => {
    await answerOf(edge.url, query('SELECT 1 AS one'));
    await edge.misbehave({ holdMs: 30 });
    return measureCall(edge, query('SELECT sum(shop) AS s FROM sales'));
  };
  const serial = await withEdge(without, scan);
  const ahead = await withEdge(folder, scan);
  return [
    {
      what: `sum of a SMALLINT, 30 ms a read, ${ahead.ranges} ranges`,
      ours: ahead.ms,
      base: serial.ms,
      baseName: `${serial.ranges} ranges one after the other`,
      unit: 'ms',
      budget: 1 / 3,
    },
  ];
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
  while (scans && times.length < LOOKUPS) {
    const id = upTo(ROWS);
    const asked = performance.now();
    const answer = await answerOf(edge.url, sale(id));
    if (scans) times.push(performance.now() - asked);
    await expectRows(answer, native, saleSql(id));
  }
  await expectRows(await scan, native, sql);
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
  ];
}

/** A hundred calls at once, of which ten read more than they may. */
async function measureCrowd(edge: Edge, native: Database): Promise<readonly Row[]> {
  edge.lines.length = 0;
  const upTo = randomly(SEED + 2);
  let refused = 0;
  const began = performance.now();
  const calls = Array.from({ length: 100 }, async (_, index) => {
    if (index % 10 !== 0) {
      const id = upTo(ROWS);
      return expectRows(await answerOf(edge.url, sale(id)), native, saleSql(id));
    }
    const answer = await answerOf(edge.url, { tool: 'narrow', args: {} });
    if ('error' in answer && answer.error.includes('`limits.scan_bytes`')) refused += 1;
    else throw new Error(`a call beyond its bytes: ${JSON.stringify(answer).slice(0, 300)}`);
  });
  await Promise.all(calls);
  const ms = performance.now() - began;
  const records = await recordsOf(edge, 100);
  const failed = records.filter(({ operation_status }) => operation_status === 'error').length;
  return [
    alone('100 calls at once', ms, 'ms', null),
    alone(
      'of them wrong, ten beyond their bytes not refused, or not recorded once',
      10 - refused + Math.abs(10 - failed) + Math.abs(100 - records.length),
      'calls',
      0,
    ),
  ];
}

async function measureStatements(edge: Edge, native: Database): Promise<readonly Row[]> {
  const queue = [...statements(COUNT, SEED)];
  const began = performance.now();
  const caller = async (): Promise<void> => {
    for (let sql = queue.pop(); sql !== undefined; sql = queue.pop())
      await expectRows(await answerOf(edge.url, query(sql)), native, sql);
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  const each = (performance.now() - began) / COUNT;
  return [alone(`${COUNT} statements, four at a time, equal to native: each`, each, 'ms', null)];
}

async function measureMemory(edge: Edge): Promise<readonly Row[]> {
  const { memoryMb } = await edge.counts();
  return [
    alone('memory of the engine', memoryMb, 'MiB', 64),
    alone('with the blocks that are kept and in flight, at most', memoryMb + MOST_HELD_BYTES / MB, 'MiB', 96),
  ];
}

async function expectRows(
  answer: Awaited<ReturnType<typeof answerOf>>,
  native: Database,
  sql: string,
): Promise<void> {
  const expected = JSON.stringify(await rowsOf(native, sql));
  if ('rows' in answer && JSON.stringify(answer.rows) === expected) return;
  throw new Error(`${sql}: ${JSON.stringify(answer).slice(0, 300)} instead of ${expected.slice(0, 300)}`);
}
