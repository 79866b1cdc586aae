import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTarget } from '../../deploy/build.ts';
import { thisArchitecture } from '../../deploy/native/architecture.ts';
import type { Built } from './built.ts';
import { setUpCommit } from './load/against.ts';
import type { Load, Outcome } from './load/client.ts';
import { type LoadedServer, startServer } from './load/server.ts';
import { median } from './measure.ts';
import { benchFile } from './program.ts';
import { CALLED_ROWS, createProject } from './projects.ts';
import { type Report, toLines } from './report.ts';

const CONNECTIONS = [1, 8, 64];
const ROUNDS = 3;
const ROUND_MS = 800;
const WARM_MS = 3_000;
const FEW_IDS = 50;

/** The projects that are called. */
export interface Called {
  readonly few: Built;
  readonly many: Built;
  readonly guarded: Built;
  /** A commit whose build is measured too. */
  readonly against: string | null;
}

/** A server that is measured, and whether its answers are its own. */
interface Contender {
  readonly name: string;
  readonly checked: boolean;
  readonly ours: boolean;
  /** The number of different rows that are asked for; few if results are kept. */
  readonly ids?: number;
  readonly start: () => Promise<LoadedServer>;
}

/** The others are compared with the engine behind plain HTTP. */
const BASE = 'engine alone behind node:http';

/** One-row tool calls over HTTP, in turn: ours on each engine, the engine and HTTP alone, the MCP SDK, and another commit. */
export async function measureCalls({ against, ...built }: Called): Promise<Report> {
  const roots: string[] = [];
  const project = async (): Promise<string> => {
    const root = await createProject(5, { rows: CALLED_ROWS });
    roots.push(root);
    return root;
  };
  const contenders = [
    ...contendersOf(built, project),
    ...(against === null ? [] : otherCommit(against, project)),
  ];
  const servers: Running[] = [];
  const client = fork(benchFile('load/client.ts'));
  const send = async (load: Load): Promise<Outcome> => {
    const told = once(client, 'message');
    client.send(load);
    const [outcome] = await told;
    return outcome;
  };
  try {
    for (const contender of contenders) servers.push({ ...contender, server: await contender.start() });
    return toReport(await measureAll(servers, send));
  } finally {
    client.disconnect();
    for (const { server } of servers) await server.close();
    for (const root of roots) await rm(root, { recursive: true });
  }
}

type Running = Contender & { readonly server: LoadedServer };
type Send = (load: Load) => Promise<Outcome>;

function contendersOf(
  { few, many, guarded }: Omit<Called, 'against'>,
  project: () => Promise<string>,
): readonly Contender[] {
  const artefact = (name: string, { folderOf }: Built): Contender => ({
    name,
    checked: true,
    ours: true,
    start: () => startServer(['index.js'], folderOf('node')),
  });
  const data = join(few.folderOf('node'), 'data.duckdb');
  const bare = (name: string, file: string, checked: boolean): Contender => ({
    name,
    checked,
    ours: false,
    start: () => startServer([benchFile(file), data], few.root),
  });
  return [
    served('svc serve, native', benchFile('../../cli/svc.js'), project),
    artefact('artefact, wasm', few),
    {
      ...artefact('artefact, native', few),
      start: async () => startServer(['index.js'], await buildNative(few)),
    },
    { ...artefact('artefact, wasm, kept results', few), ids: FEW_IDS },
    artefact('artefact, wasm, 500 endpoints', many),
    artefact('artefact, wasm, policies and audit', guarded),
    bare(BASE, 'load/engine.ts', true),
    bare('MCP SDK by hand', 'load/sdk.ts', true),
    bare('node:http, constant answer', 'load/constant.ts', false),
  ];
}

async function buildNative({ root }: Built): Promise<string> {
  const out = join(root, 'build/node-native');
  await buildTarget({ root, target: 'node', engine: 'native', arch: thisArchitecture(), out });
  return out;
}

/** A project as it is, with its database open for writing. */
function served(name: string, svc: string, project: () => Promise<string>): Contender {
  const start = async () => startServer([svc, 'serve', '--port', '0', '--json'], await project());
  return { name, checked: true, ours: true, start };
}

function otherCommit(asked: string, project: () => Promise<string>): readonly Contender[] {
  const { commit, svc } = setUpCommit(asked);
  const startArtefact = async (): Promise<LoadedServer> => {
    const root = await project();
    const args = [svc, 'build', '--target', 'node', '--out', join(root, 'build/node')];
    execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    return startServer(['index.js'], join(root, 'build/node'));
  };
  return [
    { ...served(`svc serve, native, ${commit}`, svc, project), ours: false },
    { name: `artefact, wasm, ${commit}`, checked: true, ours: false, start: startArtefact },
  ];
}

/** A stretch of load on one server, with the processor time that its processes used. */
interface Stretch extends Outcome {
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
  { name, ours, checked, ids = CALLED_ROWS, server }: Running,
  { connections, ms, round }: { readonly connections: number; readonly ms: number; readonly round: number },
  send: Send,
): Promise<Stretch> {
  const before = server.cpuMs();
  const outcome = await send({ url: server.url, connections, ms, ids, checked });
  return { ...outcome, name, ours, checked, connections, round, cpuMs: server.cpuMs() - before };
}

const HEAD = [
  'server',
  'connections',
  'calls/s',
  'CPU ms a call',
  'CPU, of engine',
  'p50 ms',
  'p99 ms',
  'wrong',
  'failed',
];

function toReport(stretches: readonly Stretch[]): Report {
  const groups = Map.groupBy(stretches, ({ name, connections }) => `${connections} ${name}`);
  const rows = [...groups.values()].map((group) => toCells(group, stretches));
  const kept = stretches.every(({ ours, wrong, failed }) => !ours || wrong + failed === 0);
  return { table: toLines(HEAD, rows), kept };
}

const cpuPerCall = ({ cpuMs, calls }: Stretch): number => cpuMs / calls;

/** The middle round counts; wrong and failed answers of all rounds are added up. */
function toCells(group: readonly Stretch[], all: readonly Stretch[]): readonly string[] {
  const middle = (of: (stretch: Stretch) => number): number => median(group.map(of));
  const sum = (of: (stretch: Stretch) => number): number =>
    group.reduce((total, stretch) => total + of(stretch), 0);
  const ofEngine = (stretch: Stretch): number => {
    const base = all.find(
      ({ name, connections, round }) =>
        name === BASE && connections === stretch.connections && round === stretch.round,
    );
    return base === undefined ? Number.NaN : cpuPerCall(stretch) / cpuPerCall(base);
  };
  const [first] = group;
  return [
    first?.name ?? '',
    String(first?.connections),
    middle(({ calls, elapsedMs }) => (calls * 1000) / elapsedMs).toFixed(0),
    middle(cpuPerCall).toFixed(3),
    `${middle(ofEngine).toFixed(2)}x`,
    middle(({ p50 }) => p50).toFixed(2),
    middle(({ p99 }) => p99).toFixed(1),
    first?.checked ? String(sum(({ wrong }) => wrong)) : '',
    String(sum(({ failed }) => failed)),
  ];
}
