import { join, relative, resolve } from 'node:path';
import { createRuntime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import { toJunit } from '../../src/quality/evals/junit.ts';
import { toOffers } from '../../src/quality/evals/offer.ts';
import {
  type Cost,
  type EvalResult,
  type EvalsReport,
  type SuiteReport,
  type Transcript,
  toEvalsReport,
} from '../../src/quality/evals/report.ts';
import { runSuites } from '../../src/quality/evals/run.ts';
import type { LoadedSuites, SuiteFile } from '../../src/quality/evals/suite.ts';
import { type CommandInput, numberOf, type Run } from '../command.ts';
import { prepareSuites, transcriptSecrets } from '../evals/models.ts';
import { chooseSuites, loadProjectSuites } from '../evals/suites.ts';
import { docsPage } from '../io/docs-page.ts';
import { createLog } from '../io/log.ts';
import { count, type Output, styled, toColumns } from '../io/output.ts';
import { writeText } from '../io/write-files.ts';
import { lazyPython, openProjectDatabase, withPrinted } from '../project/open.ts';
import { databaseFor, parseUser, targetOf } from '../project/options.ts';
import { type CheckedProject, checkProject, siteOf, soundPart } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

/** `svc evals [suite]`: lets a model call the project's endpoints, and checks the outcome. */
export const run: Run = async (input, output) => {
  const start = performance.now();
  const concurrency = numberOf(input, 'concurrency', CONCURRENCY, MOST_CONCURRENT);
  const checked = await checkProject(input);
  siteOf(checked);
  const loaded = await loadProjectSuites(checked);
  refuseUnread(loaded);
  const chosen = chooseSuites(loaded.files, input.args[0]);
  if (chosen.length > 0) noteBroken(checked, output);
  const report = await runAll({ chosen, findings: loaded.findings, checked, concurrency }, input, output);
  const junit = input.text('junit');
  if (junit !== undefined) await writeText(resolve(junit), toJunit(report));
  const document = loaded.files.length === 0 ? { ...report, no_evals: true } : report;
  output.data(document, () => toEvalsText(report, (performance.now() - start) / 1_000));
  return report.status === 'ok' ? 0 : 1;
};

/** Suites that cannot be listed must not pass as no suites. */
function refuseUnread({ files, findings }: LoadedSuites): void {
  const lost = findings.find(({ file }) => !files.some((one) => one.file === file));
  if (lost === undefined) return;
  throw new SvcError('project_invalid', `${lost.file} cannot be read: ${lost.message} ${lost.fix}`);
}

/** A model is not offered endpoints with errors, so assertions such as `must_not_call` hold for them in any case. */
function noteBroken(checked: CheckedProject, output: Output): void {
  const broken = checked.project.endpoints.length - soundPart(checked).endpoints.length;
  if (broken === 0) return;
  output.note(
    `The model is not offered ${count(broken, 'endpoint')} with errors; \`svc validate\` shows them.`,
  );
}

const CONCURRENCY = 4;
const MOST_CONCURRENT = 64;
const MOST_PYTHON = 4;

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

/** Writes the transcript of a test over the one of the run before. In the default folder, git ignores it. */
async function keepTranscript(folder: string, transcript: Transcript, usual: boolean): Promise<string> {
  const path = join(folder, transcript.suite, `${transcript.test}.json`);
  await writeText(path, `${JSON.stringify(transcript, null, 2)}\n`);
  if (usual) await writeText(join(folder, '.gitignore'), '*\n');
  return relative(process.cwd(), path);
}

const MARKS = { passed: styled('ok', '✓'), failed: styled('error', '✗'), error: styled('error', '!') };

/** Formats a report for people: each test, its failures, and a table of tokens and costs. */
export function toEvalsText(report: EvalsReport, seconds: number): string {
  const { suites, tests_run } = report;
  if (suites.length === 0)
    return `There are no suites below evals/. See ${docsPage('how-to/evaluate-with-models.md')} for an example.`;
  const tests = suites.flatMap((suite) => suite.tests);
  const many = (status: EvalResult['status']) => tests.filter((test) => test.status === status).length;
  const [failed, errors] = [many('failed'), many('error')];
  const broken = suites.filter(({ error }) => error !== undefined).length;
  const parts = [
    styled(report.status === 'ok' ? 'ok' : 'strong', `${many('passed')} passed`),
    ...(failed > 0 ? [styled('error', `${failed} failed`)] : []),
    ...(errors > 0 ? [styled('error', count(errors, 'error'))] : []),
    ...(broken > 0 ? [styled('error', `${count(broken, 'suite')} broken`)] : []),
  ];
  const sum = `${parts.join(', ')} ${styled('dim', `(${count(tests_run, 'test')}, ${seconds.toFixed(1)} s)`)}`;
  return [...suites.map(toBlock), '', toTable(report), '', sum].join('\n');
}

function toBlock({ suite, path, model, error, tests }: SuiteReport): string {
  const about = [path, ...(model === undefined ? [] : [model])].join('  ');
  const head = `${styled('strong', suite)}  ${styled('dim', about)}`;
  const broken = error === undefined ? [] : [`  ${MARKS.error} ${indented(error)}`];
  return [head, ...broken, ...tests.map(toTest)].join('\n');
}

function toTest({ name, status, failures, error, calls, time_ms, transcript }: EvalResult): string {
  const about = `${count(calls.length, 'call')}, ${(time_ms / 1_000).toFixed(1)} s`;
  const line = `  ${MARKS[status]} ${name}  ${styled('dim', about)}`;
  const problems = error === undefined ? failures : [error];
  const more = status === 'passed' || transcript === undefined ? [] : [styled('dim', `see ${transcript}`)];
  return [line, ...[...problems, ...more].map((text) => `      ${indented(text)}`)].join('\n');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('+ ') ? styled('error', line) : line))
    .join('\n      ');
}

/** A table of tokens, with costs if the user file has prices. */
function toTable({ suites, ...all }: EvalsReport): string {
  const head = ['suite', 'model', 'tests', 'input tokens', 'output tokens', 'cost'];
  const rows = suites.map((one) => [one.suite, one.model ?? '-', String(one.tests.length), ...amounts(one)]);
  const total = ['total', '', String(all.tests_run), ...amounts(all)];
  return toColumns([
    head.map((cell) => styled('strong', cell)),
    ...rows,
    ...(suites.length > 1 ? [total] : []),
  ]);
}

function amounts({ usage, cost }: Pick<SuiteReport, 'usage' | 'cost'>): readonly string[] {
  const tokens = [usage.input_tokens, usage.output_tokens].map((many) => many.toLocaleString('en-US'));
  const asked = usage.input_tokens + usage.output_tokens > 0;
  return [...tokens, asked ? toCostText(cost) : '-'];
}

function toCostText(cost: Cost | undefined): string {
  return cost === undefined ? 'no prices' : `${cost.amount.toFixed(4)} ${cost.currency}`;
}
