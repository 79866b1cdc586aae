import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import type { Built } from '../built.ts';
import { artefact, bare, nativeArtefact } from '../load/contenders.ts';
import { type Contender, callsPerSecond, measureContest, middleOf, type Stretch } from '../load/contest.ts';
import { toContestReport } from '../load/contest-report.ts';
import { type LoadedServer, startCommand } from '../load/server.ts';
import { FEW_IDS } from '../projects.ts';
import { type Report, toLines } from '../report.ts';
import { type Installed, install } from './install.ts';
import { PEERS, type Peer } from './peers.ts';

const NATIVE = 'svc, native';
const WASM = 'svc, wasm';
const CACHED = 'svc, native, cached results';

/** Ours and other servers for one lookup in the same rows. Peers that cannot be installed are named with the reason. */
export async function measurePeers(built: Built): Promise<Report> {
  const peers = await Promise.all(
    PEERS.map(async (peer) => ({ peer, at: await install(folderOf(peer), peer.packages) })),
  );
  const roots: string[] = [];
  const contenders: readonly Contender[] = [
    nativeArtefact(NATIVE, built),
    artefact(WASM, built),
    { ...nativeArtefact(CACHED, built), ids: FEW_IDS },
    ...peers.flatMap(({ peer, at }) =>
      'folder' in at ? [toContender(peer, at.folder, { built, roots })] : [],
    ),
    bare('MCP SDK and node-api, by hand', 'load/sdk.ts', built),
    { ...bare('node:http, constant answer', 'load/constant.ts', built), checked: false },
  ];
  try {
    const stretches = await measureContest(contenders);
    const { table, kept } = toContestReport(stretches, null);
    const goals = goalsOf(stretches);
    const reached = goals.every(({ ratio, least }) => ratio >= least);
    return { table: [table, toGoals(goals), toSetups(peers)].join('\n\n'), kept: kept && reached };
  } finally {
    for (const root of roots) await rm(root, { recursive: true });
  }
}

const folderOf = ({ name }: Peer): string => name.replaceAll(' ', '-');

interface Around {
  readonly built: Built;
  /** Gets the folder that the peer's project is made in. */
  readonly roots: string[];
}

function toContender(peer: Peer, packages: string, { built, roots }: Around): Contender {
  const start = async (): Promise<LoadedServer> => {
    const project = await mkdtemp(join(tmpdir(), 'svc-peer-'));
    roots.push(project);
    const port = await freePort();
    const data = join(built.folderOf('node'), 'data.duckdb');
    const command = await peer.command({ packages, project, data, port });
    const url = `http://127.0.0.1:${port}/mcp`;
    return startCommand({
      ...command,
      cwd: project,
      address: (printed) => (peer.ready.test(printed) ? url : undefined),
    });
  };
  return { name: peer.name, checked: true, ours: false, asked: peer.asked, start };
}

/** The calls a second of one of ours at 8 connections as a multiple of a peer's. */
interface Goal {
  readonly ours: string;
  readonly peer: string;
  readonly ratio: number;
  readonly least: number;
}

/** The multiples that are asked of us; more than every other peer is asked too. */
const LEAST: Readonly<Record<string, number>> = { mxcp: 20, 'fastmcp and duckdb': 3 };

/** A point lookup of SQLite costs less than a plan of DuckDB: only cached results are compared with it. */
function goalsOf(stretches: readonly Stretch[]): readonly Goal[] {
  const rate = (server: string): number =>
    middleOf(
      stretches.filter(({ name, connections }) => name === server && connections === 8),
      callsPerSecond,
    );
  const measured = PEERS.filter(({ name }) => stretches.some((stretch) => stretch.name === name));
  return measured.flatMap(({ name, engine }) =>
    (engine === 'DuckDB' ? [NATIVE, WASM] : [CACHED]).map((ours) => ({
      ours,
      peer: name,
      ratio: rate(ours) / rate(name),
      least: LEAST[name] ?? 1,
    })),
  );
}

function toGoals(goals: readonly Goal[]): string {
  const lines = goals.map(({ ours, peer, ratio, least }) => [
    ours,
    peer,
    `${ratio.toFixed(1)}x`,
    `${least}x${ratio < least ? ' **short**' : ''}`,
  ]);
  return toLines(['calls/s at 8 connections', 'against', 'ratio', 'at least'], lines);
}

function toSetups(peers: readonly { readonly peer: Peer; readonly at: Installed }[]): string {
  const lines = peers.map(({ peer, at }) => [
    peer.name,
    peer.packages.names.join(', '),
    'folder' in at ? peer.setup : `not measured: ${at.reason}`,
  ]);
  return toLines(['peer', 'packages', 'setup'], lines);
}
