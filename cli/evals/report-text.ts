import type { Cost, EvalResult, EvalsReport, SuiteReport } from '../../src/quality/evals/report.ts';
import { toColumns } from '../io/columns.ts';
import { docsPage } from '../io/docs-page.ts';
import { count } from '../io/findings.ts';
import { styled } from '../io/output.ts';

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
