import { join } from 'node:path';
import { openWasmPool } from '../../adapters/duckdb-wasm/node.ts';
import type { Built } from './built.ts';
import { createClient, toCall } from './client.ts';
import { inTurn, median, perCall, type Row } from './measure.ts';
import { benchFile, type Program, startProgram } from './program.ts';
import { STATEMENT } from './projects.ts';

const CALLS = 1_500;
const ROUNDS = 7;

/** One-row tool calls over HTTP: against the engine alone, against HTTP alone, and against many endpoints. */
export async function measureCalls(few: Built, many: Built): Promise<readonly Row[]> {
  const programs = await Promise.all([
    startProgram(['index.js'], few.folders.node),
    startProgram(['index.js'], many.folders.node),
    startProgram([benchFile('bare/hono.ts')], few.root),
  ]);
  const engine = await openWasmPool({ path: join(few.folders.node, 'data.duckdb'), workers: 1 });
  try {
    return await compare(programs, () => runBare(engine));
  } finally {
    await engine.close();
    for (const program of programs) await program.close();
  }
}

type Bare = Awaited<ReturnType<typeof openWasmPool>>;

async function runBare(engine: Bare): Promise<unknown> {
  const request = { sql: STATEMENT, values: ['Hello', 7n], mode: 'read', maxRows: 2 } as const;
  return engine.run(request, { caller: null, signal: new AbortController().signal, timeoutMs: 30_000 });
}

async function compare(
  [few, many, hono]: [Program, Program, Program],
  bare: () => Promise<unknown>,
): Promise<readonly Row[]> {
  const ours = await caller(few, 'tool_3');
  const large = await caller(many, 'tool_333');
  const http = await caller(hono, 'tool_3');
  const engine = { once: () => perCall(bare, CALLS), close() {} };
  const sums: { ours: number; http: number; engine: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    sums.push({ ours: await ours.once(), http: await http.once(), engine: await engine.once() });
  }
  const count = await inTurn(large.once, ours.once, ROUNDS);
  for (const each of [ours, large, http]) each.close();
  const [total, net, query] = (['ours', 'http', 'engine'] as const).map((key) =>
    median(sums.map((sum) => sum[key])),
  );
  const own = median(sums.map((sum) => sum.ours - sum.http - sum.engine));
  return [
    {
      what: 'tools/call over HTTP',
      ours: total ?? 0,
      base: query ?? 0,
      baseName: 'engine alone',
      unit: 'us',
      budget: null,
    },
    {
      what: 'tools/call over HTTP',
      ours: total ?? 0,
      base: net ?? 0,
      baseName: 'bare Hono',
      unit: 'us',
      budget: null,
    },
    {
      what: 'protocol, checks, shape',
      ours: own,
      base: query ?? 0,
      baseName: 'engine alone',
      unit: 'us',
      budget: 1,
    },
    {
      what: 'tools/call, 500 endpoints',
      ours: count.a,
      base: count.b,
      baseName: '5 endpoints',
      unit: 'us',
      budget: 1.1,
    },
  ];
}

async function caller(program: Program, tool: string) {
  const client = createClient(program.url);
  const body = toCall(tool, { id: 7 });
  const first = await client.post(body);
  if (!first.includes(tool) && !first.includes('customer 7')) throw new Error(`unexpected answer: ${first}`);
  return { once: () => perCall(() => client.post(body), CALLS), close: () => client.close() };
}
