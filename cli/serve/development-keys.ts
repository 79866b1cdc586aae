import { spawn } from 'node:child_process';
import { SvcError } from '../../src/errors.ts';
import { type EndpointReport, toTestReport } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import type { Output } from '../io/output.ts';
import { soundPart } from '../project/project.ts';
import { toReportText } from '../test/report-text.ts';
import type { DevelopmentKey } from './keys.ts';
import type { Started } from './started.ts';

/** The keys of `svc dev`: a reload, all tests, and the workbench in the browser. */
export function developmentKeys(
  started: Started,
  workbench: string,
  output: Output,
): readonly DevelopmentKey[] {
  return [
    { key: 'r', does: 'reload', press: () => void started.reloader.request() },
    { key: 't', does: 'run tests', press: () => runAllTests(started, output) },
    { key: 'w', does: 'open the workbench', press: () => openInBrowser(workbench) },
  ];
}

async function runAllTests(started: Started, output: Output): Promise<void> {
  const startedAt = performance.now();
  const { runtime, checked } = started;
  const { signal } = new AbortController();
  const endpoints = soundPart(checked).endpoints.flatMap(({ endpoint }) =>
    endpoint?.enabled ? [endpoint] : [],
  );
  const reports: EndpointReport[] = [];
  await output.progress('testing', async (say) => {
    const onTest = (endpoint: string, test: string) => say(`${endpoint}: ${test}`);
    for (const endpoint of endpoints)
      reports.push(await runTests(endpoint, { runtime, user: null, signal, onTest }));
  });
  output.note(toReportText(toTestReport(reports), (performance.now() - startedAt) / 1000));
}

const OPENERS: { readonly [platform: string]: readonly [string, ...string[]] } = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the person's browser. Throws if the machine has no program for that. */
function openInBrowser(url: string): Promise<void> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  return new Promise((opened, fail) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', (cause) => {
      fail(new SvcError('usage', `No browser can be opened from here. Open ${url} yourself.`, { cause }));
    });
    child.once('spawn', () => {
      child.unref();
      opened();
    });
  });
}
