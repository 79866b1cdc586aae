import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { buildTarget } from '../../../deploy/build.ts';
import type { Database } from '../../../src/ports.ts';
import { type RawCall, sendCall } from '../raw.ts';
import { answerOf, startEdge, uploadAgain } from './edge.ts';
import { createLargeProject, ROWS, randomly, rowsOf, statements } from './project.ts';

/** The calls among faults; 10,000 in the long form, which may be in several runs with different seeds. */
const CALLS = Number(process.env.SVC_TEST_EDGE_CALLS ?? 300);
const SEED = Number(process.env.SVC_TEST_EDGE_SEED ?? 1);
const CALLERS = 8;
const HOUR_MS = 3_600_000;
/** The deadline of a statement and the watchdog of an engine. */
const LONGEST_MS = 30_000 + 20_000;

let root: string;
let out: string;
let native: Database;

beforeAll(async () => {
  root = await createLargeProject();
  out = await mkdtemp(join(tmpdir(), 'svc-large-'));
  await buildTarget({ root, public: true, target: 'cloudflare-workers', out });
  native = await openNative({ path: join(root, 'data/large.duckdb'), readonly: true });
}, HOUR_MS);
afterAll(async () => {
  await native.close();
  await rm(out, { recursive: true });
});

/** The errors that a client may get if the bucket goes wrong. */
const ERRORS =
  /^The database is not available\.|^The query took longer than |^The statement reads more of the database/;

const POINT = 'SELECT id, customer, amount, status, note, shop FROM sales WHERE id =';

const WHOLE = 'SELECT round(sum(amount)) AS a, sum(reference) AS r, sum(weight) AS w FROM sales';

/** One call in the run: what it calls, what native answers, and when its client leaves. */
interface Planned {
  readonly call: RawCall;
  readonly sql: string;
  readonly leavesAfterMs: number | null;
}

function plan(count: number): readonly Planned[] {
  const upTo = randomly(SEED);
  const tools = [
    () => {
      const id = upTo(ROWS);
      return { call: { tool: 'sale', args: { id } }, sql: `${POINT} ${id}` };
    },
    () => ({
      call: { tool: 'hurried', args: {} },
      sql: 'SELECT round(sum(amount)) AS total, max(reference) AS last FROM sales',
    }),
    () => ({
      call: { tool: 'narrow', args: {} },
      sql: 'SELECT round(sum(amount)) AS total, max(reference) AS a, max(weight) AS b, max(ts) AS c, max(id) AS d FROM sales',
    }),
  ];
  return statements(count, SEED).map((sql) => {
    const tool = upTo(8) === 0 ? tools[upTo(tools.length)] : undefined;
    const chosen = tool?.() ?? { call: { tool: 'execute_sql_query', args: { sql } }, sql };
    return { ...chosen, leavesAfterMs: upTo(12) === 0 ? upTo(500) : null };
  });
}

// Requirements: large.faults
test(
  'a bucket that goes wrong in every way gives right answers or clear errors, and nothing stays stuck',
  async () => {
    const edge = await startEdge(out);
    await answerOf(edge.url, { tool: 'sale', args: { id: 1 } });
    const queue = [...plan(CALLS)];
    const wrong: string[] = [];
    const counted = { right: 0, failed: 0, left: 0, longestMs: 0 };
    await edge.misbehave({ slow: 0.02, fail: 0.06, reset: 0.04, cut: 0.04, flip: 0.04, hang: 0.0005 });
    const replaceAt = new Map([0.25, 0.5, 0.75].map((share, index) => [Math.floor(CALLS * share), index]));
    const caller = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const replacing = replaceAt.get(queue.length);
        if (replacing !== undefined) await uploadAgain(edge, out, (8 + replacing) * 1_048_576);
        const began = performance.now();
        const { call, sql, leavesAfterMs } = next;
        const signal = leavesAfterMs === null ? undefined : AbortSignal.timeout(leavesAfterMs);
        const answer = await answerOf(edge.url, call, signal).catch((thrown: unknown) => {
          if (signal?.aborted) return null;
          throw thrown;
        });
        counted.longestMs = Math.max(counted.longestMs, Math.round(performance.now() - began));
        if (answer === null) counted.left += 1;
        else if ('error' in answer && ERRORS.test(answer.error)) counted.failed += 1;
        else {
          const expected = await rowsOf(native, sql);
          if ('rows' in answer && JSON.stringify(answer.rows) === JSON.stringify(expected))
            counted.right += 1;
          else wrong.push(`${sql}: ${JSON.stringify(answer).slice(0, 300)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    console.info(JSON.stringify({ calls: CALLS, ...counted, ...(await edge.counts()) }));
    await edge.misbehave({});
    // It reads more than the engine holds. It fails if no call has noticed the last replaced object.
    await answerOf(edge.url, { tool: 'execute_sql_query', args: { sql: WHOLE } });
    for (const sql of statements(5, SEED + 1)) {
      const call = { tool: 'execute_sql_query', args: { sql } };
      expect(await answerOf(edge.url, call)).toEqual({ rows: await rowsOf(native, sql) });
    }
    const { opened } = await edge.counts();
    await edge.close();
    expect(wrong).toEqual([]);
    expect(counted.right).toBeGreaterThan(CALLS / 2);
    expect(counted.failed).toBeGreaterThan(0);
    expect(counted.left).toBeGreaterThan(0);
    expect(counted.longestMs).toBeLessThan(LONGEST_MS);
    // Two replacements may be noticed as one.
    expect(opened).toBeGreaterThan(2);
  },
  HOUR_MS,
);

// Requirements: large.left
test(
  'a client that leaves while the bucket is silent holds no other call up',
  async () => {
    const edge = await startEdge(out, { dropped: true });
    await answerOf(edge.url, { tool: 'sale', args: { id: 1 } });
    await edge.misbehave({ hang: 1 });
    const before = await edge.counts();
    const leaving = new AbortController();
    const sql = 'SELECT max(reference) AS r, max(weight) AS w, sum(amount) AS s FROM sales';
    const left = sendCall(edge.url, { tool: 'execute_sql_query', args: { sql } }, leaving.signal);
    await expect.poll(async () => (await edge.counts()).ranges).toBeGreaterThan(before.ranges);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await edge.misbehave({});
    const began = performance.now();
    const answer = await answerOf(edge.url, { tool: 'sale', args: { id: 7 } });
    expect(answer).toEqual({ rows: await rowsOf(native, `${POINT} 7`) });
    const tookMs = performance.now() - began;
    await edge.close();
    expect(tookMs).toBeLessThan(LONGEST_MS);
  },
  HOUR_MS,
);
