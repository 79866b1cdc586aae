import { spawn } from 'node:child_process';
import { SvcError, toSvcError } from '../../src/errors.ts';
import { type EndpointReport, toTestReport } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import type { Output } from '../io/output.ts';
import { soundPart } from '../project/project.ts';
import { toReportText } from '../test/report-text.ts';
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

/** A key of `svc dev` on a terminal. */
interface DevelopmentKey {
  readonly key: string;
  /** The effect in a word or two, e.g. `run tests`. */
  readonly does: string;
  readonly press: () => Promise<unknown> | unknown;
}

/** The terminal that the keys come from. */
export type KeyInput = Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'resume' | 'pause' | 'on' | 'off'>;

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';

/** Formats the keys on one line. */
export function toKeyLine(keys: readonly DevelopmentKey[]): string {
  return [...keys, { key: 'Ctrl-C', does: 'stop' }].map(({ key, does }) => `${key} ${does}`).join(' · ');
}

/** Listens to keys until the returned function is called. `fail` receives the text of an error. */
export function listenToKeys(
  keys: readonly DevelopmentKey[],
  input: KeyInput,
  fail: (message: string) => void,
): () => void {
  const press = async ({ press: work }: DevelopmentKey) => {
    try {
      await work();
    } catch (thrown) {
      fail(toSvcError(thrown).message);
    }
  };
  const onData = (chunk: Buffer) => {
    // A busy process gets several keys at once.
    const typed = [...new Set(chunk.toString())];
    // Without its usual mode, the terminal sends these keys as text.
    if (typed.includes(CTRL_C)) return void process.kill(process.pid, 'SIGINT');
    if (typed.includes(CTRL_Z)) return void process.kill(process.pid, 'SIGTSTP');
    const found = typed.flatMap((one) => keys.find(({ key }) => key === one) ?? []);
    // A chunk with other characters is a paste, or a key such as an arrow.
    if (found.length === typed.length) for (const one of found) void press(one);
  };
  const onContinue = () => input.setRawMode(true);
  input.setRawMode(true);
  input.resume();
  input.on('data', onData);
  process.on('SIGCONT', onContinue);
  return () => {
    input.off('data', onData);
    process.off('SIGCONT', onContinue);
    input.setRawMode(false);
    input.pause();
  };
}
