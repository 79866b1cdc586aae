import { join, resolve } from 'node:path';
import { createRuntime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import { toJunit } from '../../src/quality/evals/junit.ts';
import { toOffers } from '../../src/quality/evals/offer.ts';
import type { EvalsReport } from '../../src/quality/evals/report.ts';
import { runSuites } from '../../src/quality/evals/run.ts';
import type { SuiteFile } from '../../src/quality/evals/suite.ts';
import { toEvalsReport } from '../../src/quality/evals/sum.ts';
import type { Run } from '../command.ts';
import { prepareSuites, transcriptSecrets } from '../evals/models.ts';
import { toEvalsText } from '../evals/report-text.ts';
import { chooseSuites, loadProjectSuites } from '../evals/suites.ts';
import { keepTranscript, writeText } from '../evals/transcripts.ts';
import type { CommandInput } from '../io/command-input.ts';
import { createLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import {
  type CheckedProject,
  checkProject,
  databaseFor,
  openProjectDatabase,
  siteOf,
  soundPart,
} from '../project/project.ts';
import { lazyPython, withPrinted } from '../project/python.ts';
import { settingsOf } from '../project/settings.ts';
import { targetOf } from '../project/target.ts';
import { parseUser } from '../project/user-context.ts';

/** `svc evals [suite]`: lets a model call the project's endpoints, and checks the outcome. */
export const run: Run = async (input, output) => {
  const start = performance.now();
  const concurrency = concurrencyOf(input);
  const checked = await checkProject(input);
  siteOf(checked);
  const loaded = await loadProjectSuites(checked);
  const chosen = chooseSuites(loaded.files, input.args[0]);
  const report = await runAll({ chosen, findings: loaded.findings, checked, concurrency }, input, output);
  const junit = input.text('junit');
  if (junit !== undefined) await writeText(resolve(junit), toJunit(report));
  const document = loaded.files.length === 0 ? { ...report, no_evals: true } : report;
  output.data(document, () => toEvalsText(report, (performance.now() - start) / 1_000));
  return report.status === 'ok' ? 0 : 1;
};

const CONCURRENCY = 4;
const MOST_PYTHON = 4;

function concurrencyOf(input: CommandInput): number {
  const asked = input.text('concurrency');
  if (asked === undefined) return CONCURRENCY;
  const many = Number(asked);
  if (Number.isInteger(many) && many >= 1 && many <= 64) return many;
  throw new SvcError('usage', `--concurrency ${asked} must be a whole number from 1 to 64.`);
}

interface Job {
  readonly chosen: readonly SuiteFile[];
  readonly findings: readonly Finding[];
  readonly checked: CheckedProject;
  readonly concurrency: number;
}

async function runAll(job: Job, input: CommandInput, output: Output): Promise<EvalsReport> {
  const { chosen, findings, checked, concurrency } = job;
  if (chosen.length === 0) return toEvalsReport([]);
  const settings = await settingsOf(input, checked);
  const user = await parseUser(input.text('userContext'));
  const { runnable, broken } = await prepareSuites(chosen, findings, {
    settings,
    asked: input.text('model'),
  });
  const choice = databaseFor(checked, targetOf(input));
  let database: Promise<Database> | undefined;
  const open = () => {
    database = openProjectDatabase(checked.project.root, { ...choice, secrets: settings.secrets }, output);
    return database;
  };
  const catalog = await compileCatalog(soundPart(checked));
  const log = createLog(output);
  const python = lazyPython(checked, {
    settings: () => settings,
    database: () => runtime.database(),
    log: withPrinted(log, output),
    size: Math.min(concurrency, MOST_PYTHON),
  });
  const runtime = createRuntime({ catalog, open, openPython: python.open, log });
  const folder = input.text('out') ?? join(checked.project.root, foldersOf(checked), 'transcripts');
  const total = runnable.reduce((sum, { suite }) => sum + suite.tests.length, 0);
  try {
    let begun = 0;
    const reports = await output.progress('evaluating', (say) =>
      runSuites(runnable, {
        ...{ runtime, offers: toOffers(catalog), user, concurrency },
        onTest: (suite, test) => {
          say(`${suite}: ${test}`, begun, total);
          begun += 1;
        },
        secrets: transcriptSecrets(settings),
        signal: new AbortController().signal,
        keep: (transcript) => keepTranscript(folder, transcript, input.text('out') === undefined),
      }),
    );
    return toEvalsReport([...broken, ...reports].toSorted((one, other) => (one.path < other.path ? -1 : 1)));
  } finally {
    await python.close();
    await (await database?.catch(() => undefined))?.close();
  }
}

function foldersOf({ project }: CheckedProject): string {
  return project.site?.paths.evals ?? 'evals';
}
