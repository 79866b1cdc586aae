import { relative, resolve } from 'node:path';
import type { TargetName } from '../../deploy/target.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import { createRuntime } from '../../src/endpoint/create.ts';
import type { Database } from '../../src/ports.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Endpoint } from '../../src/project/model.ts';
import { compareSnapshots } from '../../src/quality/drift/compare-snapshot.ts';
import { BASELINE } from '../../src/quality/drift/document.ts';
import { type Snapshot, toSnapshot } from '../../src/quality/drift/snapshot.ts';
import { readTables } from '../../src/quality/drift/tables.ts';
import {
  type CheckName,
  type CheckReport,
  judge,
  judgeChanges,
  skip,
} from '../../src/quality/gate/report.ts';
import { checkStatements } from '../../src/quality/statements.ts';
import type { TestResult } from '../../src/quality/test/report.ts';
import { runTests } from '../../src/quality/test/run.ts';
import { readBaseline } from '../baseline.ts';
import { createLog } from '../log.ts';
import type { Output } from '../output.ts';
import type { CheckedProject } from '../project.ts';
import { isSourced, readersOf, readModules } from '../snapshot.ts';

/** What is checked on the database as the artefact serves it. */
export interface Served {
  readonly checked: CheckedProject;
  readonly catalog: Catalog;
  readonly database: Database;
  readonly target: TargetName;
  readonly allowed: readonly CheckName[];
}

/** Each statement that the engine of the platform cannot run. */
export function statementFindings({
  checked,
  catalog,
  database,
  target,
}: Served): Promise<readonly Finding[]> {
  const reading = readersOf(checked, catalog).filter(isSourced);
  return checkStatements(reading, catalog, database, { platform: target, engine: database.engine });
}

/** Declared tests on the engine of the platform; those of a statement that it cannot run have been told already. */
export async function testsCheck(
  { checked, catalog, database, allowed }: Served,
  findings: readonly Finding[],
  output: Output,
): Promise<CheckReport> {
  const runtime = createRuntime({ catalog, open: async () => database, log: createLog(output) });
  const { signal } = new AbortController();
  const broken = new Set(findings.map(({ file }) => file));
  const all = readersOf(checked, catalog).filter(({ tests }) => tests.length > 0);
  const able = all.filter(
    (endpoint) => !filesOf(endpoint).some((file) => broken.has(file)) && !isPython(endpoint),
  );
  const problems = [];
  for (const endpoint of able) {
    const { tests } = await runTests(endpoint, { runtime, user: null, signal });
    problems.push(...tests.flatMap((test) => problemOf(endpoint, test)));
  }
  const left = all.filter((endpoint) => !able.includes(endpoint)).map(({ name }) => name);
  const note = left.length === 0 ? undefined : `not run here: ${left.join(', ')}`;
  return judge('tests', problems, allowed, note);
}

function problemOf({ kind, name, file }: Endpoint, { status, name: test, error = '' }: TestResult) {
  if (status === 'passed') return [];
  return [
    {
      message: `${kind} ${name}: the test ${test} ${status === 'failed' ? 'fails' : 'ends with an error'}: ${error}`,
      file,
    },
  ];
}

function filesOf(endpoint: Endpoint): readonly string[] {
  return isSourced(endpoint) && endpoint.source.file !== null
    ? [endpoint.file, endpoint.source.file]
    : [endpoint.file];
}

function isPython(endpoint: Endpoint): boolean {
  return isSourced(endpoint) && endpoint.source.language === 'python';
}

/** Tables and endpoints against the baseline; how tests end is a check of its own. */
export async function driftCheck({ checked, catalog, database, allowed }: Served): Promise<CheckReport> {
  const { project } = checked;
  const path = resolve(project.root, project.site?.drift.path ?? '');
  const baseline = await readBaseline<Snapshot>(BASELINE, path);
  if (baseline === null) {
    const where = relative(process.cwd(), path) || path;
    return skip('drift', `there is no baseline at ${where}; \`svc drift-snapshot\` makes one`);
  }
  const tables = await readTables(database, new AbortController().signal);
  const modules = await readModules(checked);
  const snapshot = toSnapshot({ project, catalog, tables, reports: null, findings: [], modules });
  return judgeChanges('drift', compareSnapshots(baseline.content, snapshot, { outcomes: false }), allowed);
}
