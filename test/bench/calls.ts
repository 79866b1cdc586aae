import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Built } from './built.ts';
import { buildArtefactOf, setUpCommit } from './load/against.ts';
import { artefact, bare, nativeArtefact } from './load/contenders.ts';
import { type Contender, measureContest } from './load/contest.ts';
import { toContestReport } from './load/contest-report.ts';
import { type LoadedServer, startServer } from './load/server.ts';
import { benchFile } from './program.ts';
import { CALLED_ROWS, createProject, FEW_IDS } from './projects.ts';
import type { Report } from './report.ts';

/** The projects that are called. */
export interface Called {
  readonly few: Built;
  readonly many: Built;
  readonly guarded: Built;
  /** A commit whose build is measured too. */
  readonly against: string | null;
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
  try {
    return toContestReport(await measureContest(contenders), BASE);
  } finally {
    for (const root of roots) await rm(root, { recursive: true });
  }
}

function contendersOf(
  { few, many, guarded }: Omit<Called, 'against'>,
  project: () => Promise<string>,
): readonly Contender[] {
  return [
    served('svc serve, native', benchFile('../../cli/svc.js'), project),
    artefact('artefact, wasm', few),
    nativeArtefact('artefact, native', few),
    { ...artefact('artefact, wasm, cached results', few), ids: FEW_IDS },
    artefact('artefact, wasm, 500 endpoints', many),
    artefact('artefact, wasm, policies and audit', guarded),
    bare(BASE, 'load/engine.ts', few),
    bare('MCP SDK by hand', 'load/sdk.ts', few),
    { ...bare('node:http, constant answer', 'load/constant.ts', few), checked: false },
  ];
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
    const out = join(root, 'build/node');
    buildArtefactOf(svc, root, out);
    return startServer(['index.js'], out);
  };
  return [
    { ...served(`svc serve, native, ${commit}`, svc, project), ours: false },
    { name: `artefact, wasm, ${commit}`, checked: true, ours: false, start: startArtefact },
  ];
}
