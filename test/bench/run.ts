import { measureBoot } from './boot.ts';
import { type Built, createBuilt } from './built.ts';
import { measureCalls } from './calls.ts';
import { measureEngine } from './engine/group.ts';
import { keepsBudget, type Row, toTable } from './measure.ts';
import { measureSizes } from './sizes.ts';

/*
 * npm run bench [-- calls boot sizes engine] [--big]: ratios measured in one run, as a table in Markdown for each group;
 * ends with 1 when a budget is not kept.
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
const many = once(() => createBuilt(500, ['node']));
const some = once(() => createBuilt(200));
const big = process.argv.includes('--big');

const GROUPS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  calls: async () => measureCalls(await few(), await many()),
  boot: async () => measureBoot(await some()),
  sizes: async () => measureSizes(await few()),
  engine: () => measureEngine({ big }),
};

const asked = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const reports: [string, readonly Row[]][] = [];
for (const [name, measure] of Object.entries(GROUPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stderr.write(`measuring ${name} ...\n`);
  reports.push([name, await measure()]);
}
for (const built of made) await (await built).remove();
for (const [name, rows] of reports) process.stdout.write(`### ${name}\n\n${toTable(rows)}\n\n`);
process.exitCode = reports.every(([, rows]) => rows.every(keepsBudget)) ? 0 : 1;
