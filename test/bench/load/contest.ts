import { median } from '../measure.ts';
import { CALLED_ROWS } from '../projects.ts';
import type { Load, Outcome } from './client.ts';
import { type LoadClient, startLoadClient } from './load-client.ts';
import type { LoadedServer } from './server.ts';

const CONNECTIONS = [1, 8, 64];
const ROUNDS = 3;
const ROUND_MS = 800;
/** V8 compiles the wasm engine's busiest functions a second time during the first 10,000 calls or so. */
const WARM_MS = 10_000;

/** A server that is measured, and whether its answers are its own. */
export interface Contender extends Pick<Load, 'checked' | 'asked'> {
  readonly name: string;
  readonly ours: boolean;
  /** The number of different rows that are asked for; few if results are kept. */
  readonly ids?: number;
  readonly start: () => Promise<LoadedServer>;
}

type Running = Contender & { readonly server: LoadedServer };
type Send = LoadClient['send'];

/** Starts all servers and loads them in turn, on 1, 8 and 64 connections. */
export async function measureContest(contenders: readonly Contender[]): Promise<readonly Stretch[]> {
  const servers: Running[] = [];
  const client = startLoadClient();
  try {
    for (const contender of contenders) servers.push({ ...contender, server: await contender.start() });
    return await measureAll(servers, client.send);
  } finally {
    client.close();
    for (const { server } of servers) await server.close();
  }
}

/** A stretch of load on one server, with the processor time that its processes used. */
export interface Stretch extends Outcome {
  readonly name: string;
  readonly ours: boolean;
  readonly checked: boolean;
  readonly connections: number;
  readonly round: number;
  readonly cpuMs: number;
}

/** Servers take turns, each as often early as late in a round: neighbours on the machine disturb each other. */
async function measureAll(servers: readonly Running[], send: Send): Promise<readonly Stretch[]> {
  for (const running of servers) await measureOne(running, { connections: 8, ms: WARM_MS, round: 0 }, send);
  const stretches: Stretch[] = [];
  for (const connections of CONNECTIONS) {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const running of round % 2 === 0 ? servers : servers.toReversed()) {
        stretches.push(await measureOne(running, { connections, ms: ROUND_MS, round }, send));
      }
    }
  }
  return stretches;
}

async function measureOne(
  { name, ours, checked, asked, ids = CALLED_ROWS, server }: Running,
  { connections, ms, round }: { readonly connections: number; readonly ms: number; readonly round: number },
  send: Send,
): Promise<Stretch> {
  const before = server.cpuMs();
  const outcome = await send({
    url: server.url,
    connections,
    ms,
    ids,
    checked,
    ...(asked === undefined ? {} : { asked }),
  });
  return { ...outcome, name, ours, checked, connections, round, cpuMs: server.cpuMs() - before };
}

/** Milliseconds of processor time that one call used. */
export const cpuPerCall = ({ cpuMs, calls }: Stretch): number => cpuMs / calls;

/** Calls that were answered in a second. */
export const callsPerSecond = ({ calls, elapsedMs }: Stretch): number => (calls * 1000) / elapsedMs;

/** The stretches of each server at each number of connections. */
export function groupsOf(stretches: readonly Stretch[]): readonly (readonly Stretch[])[] {
  return [...Map.groupBy(stretches, ({ name, connections }) => `${connections} ${name}`).values()];
}

/** The middle round of a figure. */
export const middleOf = (group: readonly Stretch[], of: (stretch: Stretch) => number): number =>
  median(group.map(of));

/** The sum of a figure of all rounds. */
export const sumOf = (group: readonly Stretch[], of: (stretch: Stretch) => number): number =>
  group.reduce((total, stretch) => total + of(stretch), 0);

/** Whether all of our answers were right. */
export const areRight = (stretches: readonly Stretch[]): boolean =>
  stretches.every(({ ours, wrong, failed }) => !ours || wrong + failed === 0);
