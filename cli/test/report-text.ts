import type { EndpointReport, TestReport, TestResult } from '../../src/quality/test/report.ts';
import { count, styled } from '../io/output.ts';

const MARKS = { passed: styled('ok', '✓'), failed: styled('error', '✗'), error: styled('error', '!') };

/** Formats a test report for people: the failed tests with their differences, and the sum. */
export function toReportText({ endpoints, tests_run }: TestReport, seconds: number): string {
  const shown = endpoints.filter(({ tests, error }) => tests.length > 0 || error !== undefined);
  const untested = endpoints.length - shown.length;
  const many = (status: TestResult['status']) =>
    endpoints.flatMap(({ tests }) => tests).filter((test) => test.status === status).length;
  const [failed, errors] = [many('failed'), many('error')];
  const broken = endpoints.filter(({ error }) => error !== undefined).length;
  const parts = [
    styled(failed + errors + broken === 0 ? 'ok' : 'strong', `${many('passed')} passed`),
    ...(failed > 0 ? [styled('error', `${failed} failed`)] : []),
    ...(errors > 0 ? [styled('error', count(errors, 'error'))] : []),
    ...(broken > 0 ? [styled('error', `${count(broken, 'endpoint')} broken`)] : []),
    ...(untested > 0 ? [`${count(untested, 'endpoint')} without tests`] : []),
  ];
  const sum = `${parts.join(', ')} ${styled('dim', `(${count(tests_run, 'test')}, ${seconds.toFixed(1)} s)`)}`;
  return [...shown.map(toBlock), sum].join('\n');
}

function toBlock({ endpoint, path, error, tests }: EndpointReport): string {
  const head = `${styled('strong', endpoint)}  ${styled('dim', path)}`;
  const broken = error === undefined ? [] : [`  ${MARKS.error} ${indented(error)}`];
  return [head, ...broken, ...tests.map(toTestLines)].join('\n');
}

function toTestLines({ name, status, error, time_ms }: TestResult): string {
  const line = `  ${MARKS[status]} ${name}  ${styled('dim', `${time_ms} ms`)}`;
  return error === undefined ? line : `${line}\n      ${indented(error)}`;
}

function indented(text: string): string {
  return text.split('\n').map(coloured).join('\n      ');
}

function coloured(line: string): string {
  if (line.startsWith('- ')) return styled('ok', line);
  return line.startsWith('+ ') ? styled('error', line) : line;
}
