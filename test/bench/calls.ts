import { join } from 'node:path';
import { openWasmPool } from '../../adapters/duckdb-wasm/node.ts';
import type { Built } from './built.ts';
import { createClient, toCall } from './client.ts';
import { median, perCall, type Row } from './measure.ts';
import { benchFile, type Program, startProgram } from './program.ts';
import { STATEMENT } from './projects.ts';

const CALLS = 1_500;
const ROUNDS = 8;

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
  const parts = { ours: ours.once, large: large.once, http: http.once, engine: engine.once };
  const rounds: Record<keyof typeof parts, number>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureAll(parts, round % 2 === 1));
  for (const each of [ours, large, http]) each.close();
  // Rounds are compared with themselves; the first one warms everything up.
  const later = rounds.slice(1);
  const middle = (of: (round: (typeof rounds)[number]) => number) => median(later.map(of));
  const total = middle((round) => round.ours);
  const net = middle((round) => round.http);
  const query = middle((round) => round.engine);
  const own = middle((round) => round.ours - round.http - round.engine);
  const ratio = middle((round) => round.large / round.ours);
  return [
    {
      what: 'tools/call over HTTP',
      ours: total,
      base: query,
      baseName: 'engine alone',
      unit: 'us',
      budget: null,
    },
    {
      what: 'tools/call over HTTP',
      ours: total,
      base: net,
      baseName: 'bare Hono',
      unit: 'us',
      budget: null,
    },
    {
      what: 'protocol, checks, shape',
      ours: own,
      base: query,
      baseName: 'engine alone',
      unit: 'us',
      budget: 1,
    },
    {
      what: 'tools/call, 500 endpoints',
      ours: total * ratio,
      base: total,
      baseName: '5 endpoints',
      unit: 'us',
      budget: 1.1,
    },
  ];
}

/** What runs first in a round does not always run first: neighbours disturb each other. */
async function measureAll<Name extends string>(
  parts: Readonly<Record<Name, () => Promise<number>>>,
  backwards: boolean,
): Promise<Record<Name, number>> {
  const names = Object.keys(parts) as Name[];
  const measured: [Name, number][] = [];
  for (const name of backwards ? names.toReversed() : names) measured.push([name, await parts[name]()]);
  return Object.fromEntries(measured) as Record<Name, number>;
}

async function caller(program: Program, tool: string) {
  const client = createClient(program.url);
  const body = toCall(tool, { id: 7 });
  const first = await client.post(body);
  if (!first.includes(tool) && !first.includes('customer 7')) throw new Error(`unexpected answer: ${first}`);
  return { once: () => perCall(() => client.post(body), CALLS), close: () => client.close() };
}
