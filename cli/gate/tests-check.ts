import type { LazyPython } from '../../adapters/node/project/lazy-python.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Endpoint } from '../../src/project/model.ts';
import { type CheckReport, type GateIssue, judge } from '../../src/quality/gate/report.ts';
import type { TestResult } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import type { CommandInput } from '../command.ts';
import { isSourced, readersOf } from '../drift/snapshot.ts';
import { createLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import type { Say } from '../io/progress.ts';
import { lazyPython } from '../project/python.ts';
import { checkProjectSettings } from '../project/settings.ts';
import type { ServedEndpoints } from './served-endpoints.ts';

interface Streams {
  readonly input: CommandInput;
  readonly output: Output;
}

/**
 * Runs the declared tests on the platform's engine. Tests of endpoints with findings are skipped, because the
 * findings are in the report already.
 */
export async function testsCheck(
  served: ServedEndpoints,
  findings: readonly Finding[],
  streams: Streams,
): Promise<CheckReport> {
  const { checked, catalog, database, allowed } = served;
  const tested = checked.project.endpoints.flatMap(({ endpoint }) =>
    endpoint?.enabled && endpoint.tests.length > 0 ? [endpoint] : [],
  );
  const broken = new Set(findings.map(({ file }) => file));
  const readers = readersOf(checked, catalog).filter(
    (endpoint) => !filesOf(endpoint).some((file) => broken.has(file)),
  );
  const python = tested.some(isPython) ? await openPython(served, streams) : null;
  const able = tested.filter((one) => readers.includes(one) && (python !== null || !isPython(one)));
  const open = async () => database;
  const parts = { catalog, open, log: createLog(streams.output) };
  const runtime = createRuntime(python === null ? parts : { ...parts, openPython: () => python.open() });
  try {
    const problems = await streams.output.progress('testing', (say) => runAll(able, runtime, say));
    const left = tested.filter((one) => !able.includes(one)).map(({ name }) => name);
    return judge(
      'tests',
      problems,
      allowed,
      left.length === 0 ? undefined : `not run here: ${left.join(', ')}`,
    );
  } finally {
    await python?.close();
  }
}

/**
 * Opens Python; null if the configuration cannot be read here, because an artefact gets its own from the platform.
 */
async function openPython(
  { checked, database }: ServedEndpoints,
  { input, output }: Streams,
): Promise<LazyPython | null> {
  const { settings } = await checkProjectSettings(input, checked);
  if (settings === null) return null;
  return lazyPython(checked, {
    settings: () => settings,
    database: async () => database,
    log: createLog(output),
  });
}

async function runAll(
  endpoints: readonly Endpoint[],
  runtime: Runtime,
  say: Say,
): Promise<readonly GateIssue[]> {
  const { signal } = new AbortController();
  const problems: GateIssue[] = [];
  const onTest = (endpoint: string, test: string) => say(`${endpoint}: ${test}`);
  for (const endpoint of endpoints) {
    const { tests } = await runTests(endpoint, { runtime, user: null, signal, onTest });
    problems.push(...tests.flatMap((test) => problemOf(endpoint, test)));
  }
  return problems;
}

function problemOf({ kind, name, file }: Endpoint, test: TestResult): readonly GateIssue[] {
  if (test.status === 'passed') return [];
  const how = test.status === 'failed' ? 'fails' : 'ends with an error';
  return [{ message: `${kind} ${name}: the test ${test.name} ${how}: ${test.error ?? ''}`, file }];
}

function filesOf(endpoint: Endpoint): readonly string[] {
  return isSourced(endpoint) && endpoint.source.file !== null
    ? [endpoint.file, endpoint.source.file]
    : [endpoint.file];
}

function isPython(endpoint: Endpoint): boolean {
  return isSourced(endpoint) && endpoint.source.language === 'python';
}
