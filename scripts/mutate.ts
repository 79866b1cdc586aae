import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, type Part } from './mutate/areas.ts';
import { judgeMutants, type MutationReport, readReasons, toText } from './mutate/report.ts';
import { installOnce } from './test/install-once.js';
import { installNpm, npmPins } from './test/npm-packages.js';

/*
 * `npm run mutate -- policy`: changes the code of an area in small ways, one at a time, and runs the tests that reach the
 * change. It prints the share of changes that a test noticed, and each one that no test noticed. It fails below 95 %.
 *
 * StrykerJS does the work. It is installed under build/ on demand, because nothing else needs it.
 */

const FOLDER = 'build/mutate';
const RUNNER = join(FOLDER, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js');
const REASONS = 'scripts/mutate/survivors.yml';
const LEAST = 95;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string' },
    json: { type: 'boolean', default: false },
    report: { type: 'string' },
    file: { type: 'string', multiple: true },
    changed: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
  },
});
const [name = ''] = positionals;
const area = Object.hasOwn(AREAS, name) ? (AREAS[name] ?? []) : [];
const parts = area.filter((part) => values.part === undefined || part.name === values.part);
if (parts.length === 0) {
  const known = Object.entries(AREAS).map(
    ([one, all]) => `${one} (${all.map((part) => part.name).join(', ')})`,
  );
  console.error(`Usage: npm run mutate -- <area> [--part <name>] [--file <path>] [--changed] [--jobs <n>] [--report <files>] [--json]
Areas, with their parts: ${known.join('; ')}
--part    tries one part only
--file    changes one file of the part only; may be repeated
--changed tries again only what the last run of the part left open, and what changed since
--jobs    the number of processes; 2 by default
--report  reads the reports of earlier runs, separated by commas, in place of a new run
--json    prints the result as JSON`);
  process.exit(2);
}
process.exitCode = await run();

async function run(): Promise<number> {
  const paths = values.report?.split(',') ?? (await mutateAll());
  const reports = paths.map((path) => JSON.parse(readFileSync(path, 'utf8')) as MutationReport);
  const verdict = judgeMutants(reports, readReasons(readFileSync(REASONS, 'utf8')));
  console.log(values.json ? JSON.stringify(verdict, null, 2) : toText(verdict));
  return verdict.score >= LEAST && verdict.stale.length === 0 ? 0 : 1;
}

async function mutateAll(): Promise<readonly string[]> {
  const reason = await installOnce(FOLDER, [npmPins('mutate')], () => installNpm('mutate', FOLDER));
  if (reason !== '') throw new Error(reason);
  return parts.map(mutate);
}

/** Runs StrykerJS on a part and returns the path of its report. */
function mutate(part: Part): string {
  const report = join(FOLDER, `${name}-${part.name}.json`);
  const config = join(FOLDER, `${name}-${part.name}.config.json`);
  writeFileSync(config, JSON.stringify(configOf(part, report), null, 2));
  rmSync(report, { force: true });
  if (!values.changed) rmSync(lastOf(part.name), { force: true });
  const stryker = join(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const env = { ...process.env, SVC_MUTATE_TESTS: part.tests.join(';') };
  const { status } = spawnSync(process.execPath, [stryker, 'run', config], { stdio: 'inherit', env });
  if (status !== 0 || !existsSync(report)) throw new Error('StrykerJS did not finish; its message is above.');
  return report;
}

/** The outcomes of the last run of a part, which `--changed` uses again. */
function lastOf(part: string): string {
  return join(FOLDER, `${name}-${part}.last.json`);
}

function configOf({ name: part, files }: Part, report: string) {
  return {
    mutate: values.file ?? files,
    incremental: true,
    incrementalFile: lastOf(part),
    testRunner: 'vitest',
    plugins: [join(process.cwd(), RUNNER)],
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: false, pool: 'forks' },
    coverageAnalysis: 'perTest',
    concurrency: Number(values.jobs),
    // Values that are made once, when a module is loaded: each would need a new process.
    ignoreStatic: true,
    // It would rewrite the file with an API that TypeScript 7 has no more.
    tsconfigFile: 'none.json',
    tempDirName: join(FOLDER, `tmp-${part}`),
    ignorePatterns: ['build', 'docs', 'examples', 'dist/types'],
    // Most texts are messages to people.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: report },
    timeoutMS: 15_000,
  };
}
