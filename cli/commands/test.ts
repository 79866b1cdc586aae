import { createRuntime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { findEntry } from '../../src/catalog/find.ts';
import type { AnyEntry, Catalog } from '../../src/catalog/model.ts';
import { mayWrite } from '../../src/catalog/run-sources.ts';
import type { Database } from '../../src/ports.ts';
import type { EndpointFile } from '../../src/project/model.ts';
import { type EndpointReport, type TestReport, toTestReport } from '../../src/quality/test/report.ts';
import { runTests, type TestRun } from '../../src/quality/test/run.ts';
import type { CommandInput, Run } from '../command.ts';
import { createLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import { chooseEndpoints } from '../project/endpoint-choice.ts';
import { lazyPython, openBeside, withPrinted } from '../project/open.ts';
import { databaseFor, parseUser, targetOf } from '../project/options.ts';
import { type CheckedProject, checkProject, siteOf, soundPart } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';
import { toReportText } from '../test/report-text.ts';

/**
 * `svc test [kind [name]]`: runs the tests of endpoint files on the profile's database. A test that may write makes all
 * of them run on a copy.
 */
export const run: Run = async (input, output) => {
  const start = performance.now();
  const checked = await checkProject(input);
  siteOf(checked);
  const chosen = chooseEndpoints(checked, input.args);
  if (input.args[1] !== undefined) noteDisabled(chosen, output);
  const report = await runAll(chosen, checked, input, output);
  output.data(report, () => toReportText(report, (performance.now() - start) / 1000));
  return report.status === 'ok' ? 0 : 1;
};

/** An endpoint that the author names and that runs no test must not look as if it passed. */
function noteDisabled(chosen: readonly EndpointFile[], output: Output): void {
  for (const { endpoint } of chosen) {
    if (endpoint?.enabled !== false) continue;
    output.note(
      `${endpoint.kind} ${endpoint.name} is disabled (\`enabled: false\`), so its tests do not run.`,
    );
  }
}

async function runAll(
  chosen: readonly EndpointFile[],
  checked: CheckedProject,
  input: CommandInput,
  output: Output,
): Promise<TestReport> {
  const sound = soundPart(checked);
  const choice = databaseFor(checked, targetOf(input));
  const settings = await settingsOf(input, checked);
  const { secrets } = settings;
  const user = await parseUser(input.text('userContext'));
  let database: Promise<Database> | undefined;
  const open = () => {
    const writes = testedEntries(chosen, catalog).some((entry) => mayWrite(entry, catalog));
    const beside = { output, writes: writes ? 'dropped' : 'refused' } as const;
    database = openBeside(checked.project.root, { ...choice, secrets }, beside);
    return database;
  };
  const log = createLog(output);
  const python = lazyPython(checked, {
    settings: () => settings,
    database: () => runtime.database(),
    log: withPrinted(log, output),
    size: 1,
  });
  const catalog = await compileCatalog(sound);
  const runtime = createRuntime({ catalog, open, openPython: python.open, log });
  const { signal } = new AbortController();
  try {
    // Opened before the tests, so that no test's time includes it.
    if (chosen.some(({ endpoint }) => endpoint?.kind !== 'prompt' && endpoint?.tests.length)) {
      await runtime.database();
    }
    return await output.progress('testing', async (say) => {
      const onTest = (endpoint: string, test: string) => say(`${endpoint}: ${test}`);
      return toTestReport(await reportsOf(chosen, checked, { runtime, user, signal, onTest }));
    });
  } finally {
    await python.close();
    await (await database?.catch(() => undefined))?.close();
  }
}

/** The entries that have tests. */
function testedEntries(chosen: readonly EndpointFile[], catalog: Catalog): readonly AnyEntry[] {
  return chosen.flatMap(({ endpoint }) => {
    if (!endpoint?.enabled || endpoint.tests.length === 0) return [];
    const { kind, name } = endpoint;
    return findEntry(catalog, kind, kind === 'resource' ? endpoint.uri : name) ?? [];
  });
}

/** Runs the tests file by file. Disabled endpoints are skipped, because no server offers them. */
async function reportsOf(
  chosen: readonly EndpointFile[],
  checked: CheckedProject,
  run: TestRun,
): Promise<readonly EndpointReport[]> {
  const reports: EndpointReport[] = [];
  for (const file of chosen) {
    const error = errorOf(file, checked);
    if (error !== null) reports.push(toBrokenReport(file, error));
    else if (file.endpoint?.enabled) reports.push(await runTests(file.endpoint, run));
  }
  return reports;
}

function errorOf({ file }: EndpointFile, { findings }: CheckedProject): string | null {
  const error = findings.find((finding) => finding.file === file && finding.severity === 'error');
  return error ? `${error.file}:${error.line}:${error.column}: ${error.message} ${error.fix}` : null;
}

function toBrokenReport({ file, kind, endpoint }: EndpointFile, error: string): EndpointReport {
  return { endpoint: `${kind}/${endpoint?.name ?? '?'}`, path: file, error, tests: [] };
}
