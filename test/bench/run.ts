import { measureAuth } from './auth.ts';
import { measureBoot } from './boot.ts';
import { type Built, createBuilt } from './built.ts';
import { measureCalls } from './calls.ts';
import { measureEdge } from './edge.ts';
import { measureEdgeAnswers } from './edge-answers.ts';
import { engineGroups } from './engine/group.ts';
import { measureLake } from './lake.ts';
import { keepsBudget, type Row, toTable } from './measure.ts';
import { measureMemory } from './memory.ts';
import { measureOverload } from './overload.ts';
import { measurePairs } from './pairs.ts';
import { measurePeers } from './peers/group.ts';
import { CALLED_ROWS } from './projects.ts';
import { measurePython } from './python/group.ts';
import { measurePyodide } from './python/pyodide.ts';
import type { Report } from './report.ts';
import { measureSizes } from './sizes.ts';

/*
 * npm run bench [-- calls peers auth boot sizes python engine lake overload memory edge pairs] [--big] [--against <commit>]: measured in one run, as a table in Markdown for each group;
 * `engine` means every group that begins so. Ends with 1 when a budget is not kept.
 */

const made: Promise<Built>[] = [];

/** Projects are built when the first group asks for them, and are gone at the end. */
function once(build: () => Promise<Built>): () => Promise<Built> {
  let built: Promise<Built> | undefined;
  return () => {
    built ??= remembered(build());
    return built;
  };
}

function remembered(building: Promise<Built>): Promise<Built> {
  made.push(building);
  return building;
}

const few = once(() => createBuilt(5));
const called = once(() => createBuilt(5, ['node'], { rows: CALLED_ROWS }));
const many = once(() => createBuilt(500, ['node'], { rows: CALLED_ROWS }));
const guarded = once(() => createBuilt(5, ['node'], { rows: CALLED_ROWS, guarded: true }));
const some = once(() => createBuilt(200));
const big = process.argv.includes('--big');

/** The commit after `--against`. */
function againstCommit(): string | null {
  const at = process.argv.indexOf('--against');
  if (at === -1) return null;
  const commit = process.argv[at + 1];
  if (commit === undefined) throw new Error('--against takes a commit, as in --against main~10.');
  return commit;
}

const against = againstCommit();

const measureServers = async (): Promise<Report> =>
  measureCalls({ few: await called(), many: await many(), guarded: await guarded(), against });

const ROWS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  auth: measureAuth,
  boot: async () => measureBoot(await some()),
  sizes: async () => measureSizes(await few()),
  python: measurePython,
  'python-pyodide': measurePyodide,
  lake: measureLake,
  overload: async () => measureOverload(await called()),
  memory: async () => measureMemory(await called()),
  edge: measureEdge,
  'edge-answers': measureEdgeAnswers,
  ...engineGroups({ big }),
};

const GROUPS: Readonly<Record<string, () => Promise<Report>>> = {
  calls: measureServers,
  peers: async () => measurePeers(await called()),
  ...(against === null ? {} : { pairs: async () => measurePairs(await called(), against) }),
  ...Object.fromEntries(Object.entries(ROWS).map(([name, measure]) => [name, () => toReport(measure)])),
};

async function toReport(measure: () => Promise<readonly Row[]>): Promise<Report> {
  const rows = await measure();
  return { table: toTable(rows), kept: rows.every(keepsBudget) };
}

const asked = process.argv.slice(2).filter((name) => !name.startsWith('--') && name !== against);
if (asked.includes('pairs') && against === null) throw new Error('pairs needs --against <commit>.');
const isAsked = (group: string): boolean =>
  asked.length === 0 || asked.some((name) => group === name || group.startsWith(`${name}-`));

let kept = true;
for (const [name, measure] of Object.entries(GROUPS)) {
  if (!isAsked(name)) continue;
  process.stderr.write(`measuring ${name} ...\n`);
  const report = await measure();
  process.stdout.write(`### ${name}\n\n${report.table}\n\n`);
  kept &&= report.kept;
}
for (const built of made) await (await built).remove();
process.exitCode = kept ? 0 : 1;
