import { relative } from 'node:path';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import type { LazyPython } from '../../adapters/node/project/lazy-python.ts';
import type { TargetName } from '../../deploy/targets/targets.ts';
import { createRuntime, type Runtime } from '../../src/call/runtime.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import type { Database } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Endpoint } from '../../src/project/model.ts';
import { compareSnapshots } from '../../src/quality/drift/compare-snapshot.ts';
import { BASELINE } from '../../src/quality/drift/document.ts';
import { type Snapshot, toSnapshot } from '../../src/quality/drift/snapshot.ts';
import { readMacros, readTables } from '../../src/quality/drift/tables.ts';
import {
  type CheckName,
  type CheckReport,
  type GateIssue,
  judge,
  judgeChanges,
  skip,
} from '../../src/quality/gate/report.ts';
import { checkStatements } from '../../src/quality/statements.ts';
import { checkTablesExist } from '../../src/quality/table-rules.ts';
import type { TestResult } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import type { CommandInput } from '../command.ts';
import { readBaseline } from '../drift/baseline.ts';
import { isSourced, readersOf, readModules } from '../drift/snapshot.ts';
import { createLog } from '../io/log.ts';
import type { Output } from '../io/output.ts';
import type { Say } from '../io/progress.ts';
import { lazyPython } from '../project/open.ts';
import type { CheckedProject } from '../project/project.ts';
import { checkProjectSettings } from '../project/settings.ts';

/** The project and the database as the artefact serves it. */
export interface ServedEndpoints {
  readonly checked: CheckedProject;
  readonly catalog: Catalog;
  readonly database: Database;
  readonly target: TargetName;
  readonly allowed: readonly CheckName[];
}

/** Finds each statement that the platform's engine cannot run, and each rule of `sql_tools.tables` without its table or column. */
export async function statementFindings({
  checked,
  catalog,
  database,
  target,
}: ServedEndpoints): Promise<readonly Finding[]> {
  const reading = readersOf(checked, catalog).filter(isSourced);
  const { site, sitePositions = {} } = checked.project;
  return [
    ...(await checkTablesExist(site?.sqlTools.tables ?? [], sitePositions, database)),
    ...(await checkStatements(reading, catalog, database, { platform: target, engine: database.engine })),
  ];
}

/** Compares tables and endpoints with the baseline. Test outcomes have their own check. */
export async function driftCheck({
  checked,
  catalog,
  database,
  allowed,
}: ServedEndpoints): Promise<CheckReport> {
  const { project } = checked;
  const path = absolutePath(project.root, project.site?.drift.path ?? '');
  const baseline = await readBaseline<Snapshot>(BASELINE, path);
  if (baseline === null) {
    const where = relative(process.cwd(), path) || path;
    return skip('drift', `there is no baseline at ${where}; \`svc drift-snapshot\` makes one`);
  }
  const { signal } = new AbortController();
  const [tables, macros] = [await readTables(database, signal), await readMacros(database, signal)];
  const modules = await readModules(checked);
  const snapshot = toSnapshot({ project, catalog, tables, macros, reports: null, findings: [], modules });
  return judgeChanges('drift', compareSnapshots(baseline.content, snapshot, { outcomes: false }), allowed);
}

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
