import type { EvalResult, EvalsReport, SuiteReport } from './report.ts';

/** Converts a report to JUnit XML, which CI systems read. */
export function toJunit({ suites, tests_run }: EvalsReport): string {
  const all = suites.flatMap(({ tests }) => tests);
  const broken = suites.filter(({ error }) => error !== undefined).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc evals" tests="${tests_run + broken}" ${countsOf(all, broken)}>`,
    ...suites.map(toSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

function countsOf(tests: readonly EvalResult[], broken: number): string {
  const many = (status: EvalResult['status']) => tests.filter((test) => test.status === status).length;
  const seconds = tests.reduce((sum, { time_ms }) => sum + time_ms, 0) / 1_000;
  return `failures="${many('failed')}" errors="${many('error') + broken}" time="${seconds.toFixed(3)}"`;
}

function toSuite({ suite, path, tests, error }: SuiteReport): string {
  const broken = error === undefined ? 0 : 1;
  const name = `name="${escaped(suite)}" file="${escaped(path)}"`;
  return [
    `  <testsuite ${name} tests="${tests.length + broken}" ${countsOf(tests, broken)}>`,
    ...(error === undefined
      ? []
      : [
          `    <testcase classname="${escaped(suite)}" name="${escaped(path)}">${element('error', error)}</testcase>`,
        ]),
    ...tests.map((test) => toCase(suite, test)),
    '  </testsuite>',
  ].join('\n');
}

function toCase(suite: string, { name, status, failures, error, time_ms, answer }: EvalResult): string {
  const head = `classname="${escaped(suite)}" name="${escaped(name)}" time="${(time_ms / 1_000).toFixed(3)}"`;
  const problem =
    status === 'failed'
      ? element('failure', failures.join('\n'))
      : error === undefined
        ? ''
        : element('error', error);
  const said = answer === '' ? '' : `<system-out>${escaped(answer)}</system-out>`;
  return `    <testcase ${head}>${problem}${said}</testcase>`;
}

function element(name: string, text: string): string {
  return `<${name} message="${escaped(text.split('\n')[0] ?? '')}">${escaped(text)}</${name}>`;
}

/** Omits characters that XML 1.0 cannot represent, even escaped. */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
      .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}
