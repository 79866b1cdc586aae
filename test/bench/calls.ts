import { join } from 'node:path';
import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import type { Built } from './built.ts';
import { createClient, toCall } from './client.ts';
import { type Cost, costPerCall, median, type Row } from './measure.ts';
import { benchFile, type Program, startProgram } from './program.ts';
import { STATEMENT } from './projects.ts';

const CALLS = 1_500;
const ROUNDS = 8;

/** The projects that are called. */
export interface Called {
  readonly few: Built;
  readonly many: Built;
  readonly guarded: Built;
}

/** One-row tool calls over HTTP: against the engine alone, against HTTP alone, with rules and records, and among many endpoints. */
export async function measureCalls({ few, many, guarded }: Called): Promise<readonly Row[]> {
  const programs = {
    ours: await startProgram(['index.js'], few.folderOf('node')),
    large: await startProgram(['index.js'], many.folderOf('node')),
    guarded: await startProgram(['index.js'], guarded.folderOf('node')),
    protocol: await startProgram(
      [benchFile('bare/protocol.ts'), join(few.folderOf('node'), 'manifest.json')],
      few.root,
    ),
    http: await startProgram([benchFile('bare/hono.ts')], few.root),
  };
  const engine = await openWasmPool({ path: join(few.folderOf('node'), 'data.duckdb'), workers: 1 });
  const callers = {
    ours: await caller(programs.ours, 'tool_3'),
    large: await caller(programs.large, 'tool_333'),
    guarded: await caller(programs.guarded, 'tool_3'),
    protocol: await caller(programs.protocol, 'tool_3'),
    http: await caller(programs.http, 'tool_3'),
  };
  const { ours, large, guarded: watched, protocol, http } = callers;
  try {
    return toRows(
      await measureInRounds({
        ours: ours.once,
        large: large.once,
        guarded: watched.once,
        protocol: protocol.once,
        http: http.once,
        engine: () => costPerCall(() => runBare(engine), CALLS, ownCpu),
      }),
    );
  } finally {
    for (const each of Object.values(callers)) each.close();
    for (const program of Object.values(programs)) await program.close();
    await engine.close();
  }
}

type Bare = Awaited<ReturnType<typeof openWasmPool>>;

async function runBare(engine: Bare): Promise<unknown> {
  const request = { sql: STATEMENT, values: ['Hello', 7n], mode: 'read', maxRows: 2 } as const;
  return engine.run(request, { caller: null, signal: new AbortController().signal, timeoutMs: 30_000 });
}

async function ownCpu(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function caller({ url, cpu }: Program, tool: string) {
  const client = createClient(url);
  const body = toCall(tool, { id: 7 });
  const first = await client.post(body);
  if (!first.includes(tool) && !first.includes('customer 7')) throw new Error(`unexpected answer: ${first}`);
  return { once: () => costPerCall(() => client.post(body), CALLS, cpu), close: () => client.close() };
}

type Part = 'ours' | 'large' | 'guarded' | 'protocol' | 'http' | 'engine';
type Round = Readonly<Record<Part, Cost>>;

/** Rounds are compared with themselves; the first one warms everything up. */
async function measureInRounds(
  parts: Readonly<Record<Part, () => Promise<Cost>>>,
): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureAll(parts, round % 2 === 1));
  return rounds.slice(1);
}

/** What runs first in a round does not always run first: neighbours disturb each other. */
async function measureAll(
  parts: Readonly<Record<Part, () => Promise<Cost>>>,
  backwards: boolean,
): Promise<Round> {
  const names = Object.keys(parts) as Part[];
  const measured: [Part, Cost][] = [];
  for (const name of backwards ? names.toReversed() : names) measured.push([name, await parts[name]()]);
  return Object.fromEntries(measured) as Record<Part, Cost>;
}

function toRows(rounds: readonly Round[]): readonly Row[] {
  const middle = (of: (round: Round) => number) => median(rounds.map(of));
  const wall = (part: Part) => middle((round) => round[part].wall);
  const cpu = (part: Part) => middle((round) => round[part].cpu);
  const beside = (part: Part) => middle((round) => round[part].wall - round.http.wall - round.engine.wall);
  const flat = (of: keyof Cost) => middle((round) => round.large[of] / round.ours[of]);
  const rows: readonly [string, number, number, string, number?][] = [
    ['tools/call over HTTP', wall('ours'), wall('engine'), 'engine alone'],
    ['tools/call over HTTP', wall('ours'), wall('http'), 'bare Hono'],
    ['tools/call without database', wall('protocol'), wall('http'), 'bare Hono'],
    ['protocol, checks, shape', beside('ours'), wall('engine'), 'engine alone', 1],
    ['the same, policies, audit', beside('guarded'), wall('engine'), 'engine alone', 1],
    ['tools/call, 500 endpoints', wall('ours') * flat('wall'), wall('ours'), '5 endpoints', 1.1],
    ['CPU of a tools/call', cpu('ours'), cpu('http'), 'bare Hono'],
    ['CPU of one with policies, audit', cpu('guarded'), cpu('http'), 'bare Hono'],
    ['CPU of one without database', cpu('protocol'), cpu('http'), 'bare Hono'],
    ['CPU of one, 500 endpoints', cpu('ours') * flat('cpu'), cpu('ours'), '5 endpoints', 1.1],
  ];
  return rows.map(([what, ours, base, baseName, budget = null]) => {
    return { what, ours, base, baseName, unit: 'us', budget };
  });
}
