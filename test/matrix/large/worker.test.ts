import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openNative } from '../../../adapters/duckdb-native/open.ts';
import { buildTarget } from '../../../deploy/build.ts';
import type { BuildResult } from '../../../deploy/build-options.ts';
import { startPreview } from '../../../deploy/preview/preview.ts';
import type { Preview } from '../../../deploy/preview/process.ts';
import type { Database } from '../../../src/ports.ts';
import { rawCall } from '../raw.ts';
import { createLargeProject, ROWS, rowsOf, statements } from './project.ts';

/** The statements to compare; 2,000 in the long form. */
const COUNT = Number(process.env.SVC_TEST_EDGE_STATEMENTS ?? 200);
const HOUR_MS = 3_600_000;

let root: string;
let out: string;
let built: BuildResult;
let preview: Preview;
let native: Database;
const lines: string[] = [];

beforeAll(async () => {
  root = await createLargeProject();
  out = await mkdtemp(join(tmpdir(), 'svc-large-'));
  built = await buildTarget({ root, public: true, target: 'cloudflare-workers', out });
  preview = await startPreview('cloudflare-workers', {
    folder: out,
    port: 0,
    root,
    env: process.env,
    onLine: (line) => lines.push(line),
  });
  native = await openNative({ path: join(root, 'data/large.duckdb'), readonly: true });
}, HOUR_MS);
afterAll(async () => {
  await preview?.close();
  await native?.close();
  await rm(out, { recursive: true });
});

async function call(tool: string, args: Record<string, unknown>) {
  const answer = JSON.parse(await rawCall({ kind: 'http', url: new URL(preview.url) }, tool, args));
  if (answer.error !== undefined || answer.result?.isError)
    throw new Error(`${JSON.stringify(answer)}\n${lines.slice(-20).join('\n')}`);
  return answer.result.structuredContent;
}

/** The audit records of a tool, which the Worker writes as lines. */
function recordsOf(tool: string): readonly Readonly<Record<string, number>>[] {
  const records = lines.filter((line) => line.includes(`"operation_name":"${tool}"`));
  if (records.length === 0) throw new Error('there is no record yet');
  return records.map((line) => JSON.parse(line));
}

// Requirements: large.deploy
test('a database above the asset limit is built for a bucket, with both commands in the right order', () => {
  const paths = built.files.map(({ path }) => path);
  expect(paths).toContain('upload/data.duckdb');
  expect(paths.filter((path) => path.startsWith('assets/'))).toEqual([]);
  expect(built.next).toMatch(
    /^(npx wrangler r2 object put|aws s3 cp) .*large-data\/large\/[0-9a-f]{16}\.duckdb.* && npx wrangler deploy$/,
  );
});

// Requirements: large.lookup
test(
  'a lookup gives its row, and reads few ranges: none the second time',
  async () => {
    const id = Math.floor(ROWS / 2);
    const sql = `SELECT id, customer, amount, status, note, shop FROM sales WHERE id = ${id}`;
    for (const most of [8, 0]) {
      expect(await call('sale', { id })).toEqual(await rowsOf(native, sql));
      const record = await vi.waitFor(() => recordsOf('sale').at(-1));
      expect(record?.fetched_ranges).toBeLessThanOrEqual(most);
      expect(record?.fetched_bytes).toBeLessThanOrEqual(most * 262_144);
      lines.length = 0;
    }
  },
  HOUR_MS,
);

// Requirements: large.answers
test(
  'generated statements, four at a time, give native’s answers',
  async () => {
    const queue = [...statements(COUNT)];
    const wrong: string[] = [];
    const caller = async (): Promise<void> => {
      for (let sql = queue.pop(); sql !== undefined; sql = queue.pop()) {
        const [found, expected] = await Promise.all([
          call('execute_sql_query', { sql }),
          rowsOf(native, sql),
        ]);
        if (JSON.stringify(found) !== JSON.stringify(expected)) {
          wrong.push(
            `${sql}: ${JSON.stringify(found).slice(0, 300)} instead of ${JSON.stringify(expected).slice(0, 300)}`,
          );
        }
      }
    };
    await Promise.all(Array.from({ length: 4 }, caller));
    expect(wrong).toEqual([]);
  },
  HOUR_MS,
);
