import { setTimeout as wait } from 'node:timers/promises';
import { withFile } from '../../adapters/duckdb-native/files/database-file.ts';
import { type Outcome, READ } from './calls.ts';
import { FAULTS, type Fault } from './faults.ts';
import type { Mismatches } from './ledger.ts';
import { measureCapacity, offer } from './load.ts';
import { type Memory, sample } from './memory.ts';
import { descriptorsOf, familyOf, identityOf } from './processes.ts';
import type { Kind } from './project.ts';
import { createRandom, type Random, shuffle } from './random.ts';
import { explain, type Soaked, startSoaked, toProblems } from './server.ts';

/** A stretch of load with faults. */
export interface Asked {
  readonly ms: number;
  readonly seed: number;
  readonly kinds: readonly Kind[];
  readonly python: boolean;
}

/** What happened to one server. */
export interface Result {
  readonly kind: Kind;
  /** Right answers of a second, as measured before; the load is 70 % of it. */
  readonly capacity: number;
  readonly seconds: number;
  readonly calls: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly unsent: number;
  /** Each fault with its number, and the longest time until the server answered again. */
  readonly faults: ReadonlyMap<string, { readonly count: number; readonly longestMs: number }>;
  readonly longestMs: number;
  readonly memory: readonly Memory[];
  readonly records: Mismatches;
  /** The calls that the metrics count, and the records and refusals for want of records that they must be. */
  readonly metrics: { readonly counted: number; readonly least: number; readonly most: number };
  /** Rows that were acknowledged, and those that are missing in the end. */
  readonly written: { readonly acknowledged: number; readonly missing: number };
  /** Processes that outlived the server. */
  readonly left: readonly string[];
  /** All that is not as it must be. */
  readonly problems: readonly string[];
}

const LOAD = 0.7;
const MOST_GAP_MS = 5_000;
const RECOVERY_MS = 60_000;
/** A shorter run shows how a heap and the pool of engines fill. */
const LONG_S = 600;
const MOST_GROWTH = 1.25;
const MOST_GROWTH_MB = 50;
const REMEMBERED_MS = 300_000;
/** The deadline of a statement or a function, and a margin for the way of the answer on a busy machine. */
const DEADLINE_MS = 30_000 + 15_000;

/** Loads the servers side by side, with a fault at random on each, and checks every answer and every record. */
export async function soak({ ms, seed, kinds, python }: Asked): Promise<readonly Result[]> {
  const servers: Soaked[] = [];
  try {
    for (const kind of kinds) servers.push(await startSoaked(kind, python));
    return await soakAll(servers, { ms, seed });
  } finally {
    for (const { server } of servers) await server.close();
  }
}

async function soakAll(
  servers: readonly Soaked[],
  { ms, seed }: Pick<Asked, 'ms' | 'seed'>,
): Promise<readonly Result[]> {
  const random = createRandom(seed);
  const capacityMs = Math.min(10_000, ms / 10);
  // Once to warm them up.
  await Promise.all(servers.map((soaked) => measureCapacity(soaked, capacityMs, random)));
  const capacities = await Promise.all(servers.map((soaked) => measureCapacity(soaked, capacityMs, random)));
  const runs = servers.map((soaked, index) =>
    soakOne(soaked, { ms, capacity: capacities[index] ?? 0, random: createRandom(seed + index + 1) }),
  );
  return Promise.all(runs);
}

interface One {
  readonly ms: number;
  readonly capacity: number;
  readonly random: Random;
}

async function soakOne(soaked: Soaked, { ms, capacity, random }: One): Promise<Result> {
  const { kind, server, ledger, outcomes } = soaked;
  const begun = performance.now();
  enforceRunning(soaked);
  const before = figuresOf(server.pid);
  const calls = new AbortController();
  const sampled = sample(server.pid, ms, calls.signal);
  const offered = offer(soaked, { perSecond: LOAD * capacity, random, signal: calls.signal });
  const faults = await breakTogether(soaked, random, begun + ms);
  calls.abort();
  const unsent = await offered;
  const { quarters, seen } = await sampled;
  const seconds = (performance.now() - begun) / 1_000;
  await settle(soaked, before);
  await server.close();
  await soaked.records.finish();
  const records = ledger.check();
  const counted = countOf(soaked);
  const metrics = { counted, least: records.records, most: records.records + outcomes.blocked };
  const written = await checkWritten(soaked);
  const left = seen().filter((identity) => identity !== '');
  const result = {
    kind,
    capacity,
    seconds,
    calls: records.calls,
    outcomes,
    unsent,
    faults,
    records,
    metrics,
    written,
    left,
    longestMs: soaked.longestMs,
    memory: quarters,
  };
  const problems = [...toProblems(soaked), ...problemsOf(result)];
  await soaked.close();
  return { ...result, problems };
}

/** Two faults at a time: one that runs beside others, and one of the others. */
async function breakTogether(soaked: Soaked, random: Random, end: number): Promise<Result['faults']> {
  const lanes = [true, false].map((beside) => {
    const deck = FAULTS.filter((fault) => fault.kinds.includes(soaked.kind) && fault.beside === beside);
    return breakInTurn(soaked, deck, { random, end });
  });
  return new Map((await Promise.all(lanes)).flatMap((faults) => [...faults]));
}

/** Deals the faults in an order of the seed, and again when all were dealt, until the time is over. Each has its turn. */
async function breakInTurn(
  soaked: Soaked,
  all: readonly Fault[],
  { random, end }: { readonly random: Random; readonly end: number },
): Promise<Result['faults']> {
  const faults = new Map<string, { count: number; longestMs: number }>();
  for (
    let deck: readonly Fault[] = [];
    performance.now() < end || faults.size < all.length;
    deck = deck.slice(1)
  ) {
    if (deck.length === 0) deck = shuffle(all, random);
    const [fault] = deck;
    if (fault === undefined) break;
    enforceRunning(soaked);
    const recoveryMs = await breakOnce(soaked, fault, random);
    const { count, longestMs } = faults.get(fault.name) ?? { count: 0, longestMs: 0 };
    faults.set(fault.name, { count: count + 1, longestMs: Math.max(longestMs, recoveryMs) });
    // The folder of the records is in its place between two such faults.
    if (!fault.beside) await soaked.records.sweep();
    const left = Math.max(0, end - performance.now());
    await wait(random() * Math.min(MOST_GAP_MS, left / 20));
  }
  return faults;
}

/** Returns the milliseconds from the end of the fault to the next right answer. */
async function breakOnce(soaked: Soaked, fault: Fault, random: Random): Promise<number> {
  const { faults } = soaked;
  const running = { ...fault, end: Number.POSITIVE_INFINITY };
  faults.push(running);
  // No call lasts as long as these have been over.
  while ((faults[0]?.end ?? 0) < performance.now() - REMEMBERED_MS && faults.length > 2) faults.shift();
  try {
    await fault.run(soaked, random);
    return await recover(soaked, fault);
  } catch (thrown) {
    enforceRunning(soaked);
    explain(soaked, `"${fault.name}" failed: ${thrown instanceof Error ? thrown.message : thrown}`);
    return recover(soaked, fault);
  } finally {
    running.end = performance.now();
  }
}

/** Ends the run if a server has ended: nothing after that can be judged. */
function enforceRunning({ kind, server, logEnd }: Soaked): void {
  if (identityOf(server.pid) === '')
    throw new Error(`"${kind}" has ended by itself. The end of its log: ${logEnd()}`);
}

async function recover(soaked: Soaked, { name }: Fault): Promise<number> {
  const begun = performance.now();
  while (performance.now() < begun + RECOVERY_MS) {
    const { outcome } = await soaked.callTool(READ);
    if (outcome === 'right') return performance.now() - begun;
  }
  explain(soaked, `a minute after "${name}", no call was answered`);
  return RECOVERY_MS;
}

interface Figures {
  readonly processes: number;
  readonly descriptors: number;
}

const figuresOf = (pid: number): Figures => ({
  processes: familyOf(pid).length,
  descriptors: descriptorsOf(pid),
});

/** Waits until the server has as few processes, files and sockets as before. */
async function settle(soaked: Soaked, before: Figures): Promise<void> {
  soaked.line.close();
  const begun = performance.now();
  for (;;) {
    const { processes, descriptors } = figuresOf(soaked.server.pid);
    if (processes <= before.processes && descriptors <= before.descriptors + 8) return;
    if (performance.now() > begun + RECOVERY_MS) {
      explain(
        soaked,
        `${processes} processes and ${descriptors} files are left of ${JSON.stringify(before)}`,
      );
      return;
    }
    await wait(100);
  }
}

/** The calls that the metrics count: the last point of each line of the counter, which grows. */
function countOf({ receiver }: Soaked): number {
  const last = new Map<string, number>();
  for (const { name, points, temporality } of receiver.metrics) {
    if (name !== 'svc.endpoint.requests_total') continue;
    for (const { labels, value } of points) {
      const key = JSON.stringify(labels);
      last.set(key, temporality === 'delta' ? (last.get(key) ?? 0) + value : value);
    }
  }
  return [...last.values()].reduce((sum, value) => sum + value, 0);
}

async function checkWritten({ mix, database, added }: Soaked): Promise<Result['written']> {
  if (!mix.some(({ tool }) => tool === 'add')) return { acknowledged: 0, missing: 0 };
  const kept = await withFile(database, {}, async (connection) => {
    const reader = await connection.runAndReadAll('SELECT id FROM added');
    return new Set(reader.getRows().map(([id]) => Number(id)));
  });
  return { acknowledged: added.length, missing: added.filter((id) => !kept.has(id)).length };
}

type Checked = Omit<Result, 'problems'>;

/** The memory of a server that grew from the second quarter to the last one, in a run that is long enough to tell. */
function growthOf({ memory, seconds }: Pick<Result, 'memory' | 'seconds'>): readonly string[] {
  const [, second, , last] = memory.map(({ middle }) => middle);
  if (seconds < LONG_S || second === undefined || last === undefined) return [];
  if (last <= second * MOST_GROWTH + MOST_GROWTH_MB) return [];
  return [
    `the memory grew from ${Math.round(second)} MB in the second quarter to ${Math.round(last)} MB in the last`,
  ];
}

/** A fault ends the engine below at most one statement that is alone in it. */
function mostBlamed(faults: Result['faults']): number {
  const attacks = ['engine killed', 'runaway SQL'].map((name) => faults.get(name)?.count ?? 0);
  return attacks.reduce((sum, count) => sum + count, 0);
}

function problemsOf(checked: Checked): readonly string[] {
  const { kind, outcomes, faults, records, metrics, written, left, longestMs } = checked;
  const { counted, least, most } = metrics;
  return [
    ...(records.wrong > 0
      ? [`${records.wrong} calls have a wrong number of audit records: ${records.examples.join(', ')}`]
      : []),
    ...(counted < least || counted > most
      ? [`the metrics count ${counted} calls, not ${least} to ${most}`]
      : []),
    ...(written.missing > 0 ? [`${written.missing} acknowledged rows are missing`] : []),
    ...(outcomes.blamed + outcomes.unknown > mostBlamed(faults)
      ? [
          `${outcomes.blamed} statements were blamed for an engine that ended, and ${outcomes.unknown} writes are unknown`,
        ]
      : []),
    ...growthOf(checked),
    ...left.map((identity) => `the process ${identity} outlived the server`),
    ...(longestMs > DEADLINE_MS ? [`a call took ${Math.round(longestMs)} ms`] : []),
  ].map((problem) => `${kind}: ${problem}`);
}
