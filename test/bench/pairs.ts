import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Built } from './built.ts';
import { buildArtefactOf, setUpCommit } from './load/against.ts';
import type { Outcome } from './load/client.ts';
import { type LoadClient, startLoadClient } from './load/load-client.ts';
import { type LoadedServer, startServer } from './load/server.ts';
import { CALLED_ROWS } from './projects.ts';
import { type Report, toLines } from './report.ts';

const ROUNDS = 14;
const WARM_MS = 3_500;
const STRETCHES = 8;
const STRETCH_MS = 700;

/** The places of the two artefacts that run. Their paths have the same length, so that nothing else differs. */
type Places = readonly [string, string];

/** The processor time of a call in one round, in milliseconds. */
type Pair = readonly [ours: number, other: number];

/**
 * The processor time of a call of an artefact, wasm, compared with the build of another commit and with a copy of itself.
 * Two processes of the same build differ by more than ten per cent until they end. So each round starts both anew and
 * swaps their places, and the copy shows how much of that luck remains.
 */
export async function measurePairs({ root, folderOf }: Built, asked: string): Promise<Report> {
  const { commit, svc } = setUpCommit(asked);
  const folder = await mkdtemp(join(tmpdir(), 'svc-pairs-'));
  const builds = {
    ours: join(folder, 'ours'),
    copy: join(folder, 'copy'),
    other: join(folder, 'other'),
  };
  const client = startLoadClient();
  try {
    for (const target of [builds.ours, builds.copy]) await cp(folderOf('node'), target, { recursive: true });
    buildArtefactOf(svc, root, builds.other);
    const places: Places = [join(folder, 'a'), join(folder, 'b')];
    const others = [
      { name: commit, build: builds.other },
      { name: 'a copy of itself', build: builds.copy },
    ];
    const lines: (readonly string[])[] = [];
    for (const { name, build } of others) {
      const pairs: Pair[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        pairs.push(await measureRound([builds.ours, build], places, round, client));
      }
      lines.push(toLine(name, pairs));
    }
    return { table: toLines(HEAD, lines), kept: true };
  } finally {
    client.close();
    await rm(folder, { recursive: true });
  }
}

/** Starts both builds, each as often first as last and as often in one place as in the other, and loads them in turn. */
async function measureRound(
  builds: Places,
  places: Places,
  round: number,
  client: LoadClient,
): Promise<Pair> {
  const at: Places = round % 2 === 0 ? places : [places[1], places[0]];
  const oursFirst = Math.floor(round / 2) % 2 === 0;
  const servers: LoadedServer[] = [];
  for (const index of [0, 1] as const) await rename(builds[index], at[index]);
  try {
    const start = async (place: string): Promise<LoadedServer> => {
      const server = await startServer(['index.js'], place);
      servers.push(server);
      return server;
    };
    const first = await start(at[oursFirst ? 0 : 1]);
    const second = await start(at[oursFirst ? 1 : 0]);
    const [a, b] = await costsInTurn([first, second], client);
    return oursFirst ? [a, b] : [b, a];
  } finally {
    for (const server of servers) await server.close();
    for (const index of [0, 1] as const) await rename(at[index], builds[index]);
  }
}

async function costsInTurn(
  servers: readonly [LoadedServer, LoadedServer],
  client: LoadClient,
): Promise<readonly [number, number]> {
  for (const server of servers) await load(server, WARM_MS, client);
  const costs = servers.map((server) => ({ server, calls: 0, cpuMs: 0 }));
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    for (const cost of stretch % 2 === 0 ? costs : costs.toReversed()) {
      const before = cost.server.cpuMs();
      cost.calls += (await load(cost.server, STRETCH_MS, client)).calls;
      cost.cpuMs += cost.server.cpuMs() - before;
    }
  }
  const [a = Number.NaN, b = Number.NaN] = costs.map(({ cpuMs, calls }) => cpuMs / calls);
  return [a, b];
}

async function load({ url }: LoadedServer, ms: number, client: LoadClient): Promise<Outcome> {
  const outcome = await client.send({ url, connections: 8, ms, ids: CALLED_ROWS, checked: true });
  const bad = outcome.wrong + outcome.failed;
  if (bad > 0) throw new Error(`${bad} of ${outcome.calls} answers of ${url} were wrong or errors.`);
  return outcome;
}

const HEAD = ['compared with', 'pairs', 'ours, CPU ms a call', 'the other', 'ratio', 'lowest', 'highest'];

/** The geometric mean of the ratios, with twice its standard error. */
function toLine(name: string, pairs: readonly Pair[]): readonly string[] {
  const logs = pairs.map(([ours, other]) => Math.log(ours / other));
  const mean = meanOf(logs);
  const variance = meanOf(logs.map((log) => (log - mean) ** 2)) * (logs.length / (logs.length - 1));
  const twice = 2 * Math.sqrt(variance / logs.length);
  return [
    name,
    String(pairs.length),
    meanOf(pairs.map(([ours]) => ours)).toFixed(3),
    meanOf(pairs.map(([, other]) => other)).toFixed(3),
    `${Math.exp(mean).toFixed(3)} ± ${twice.toFixed(3)}`,
    Math.exp(Math.min(...logs)).toFixed(2),
    Math.exp(Math.max(...logs)).toFixed(2),
  ];
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
